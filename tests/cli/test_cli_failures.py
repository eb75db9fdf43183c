"""The command gives one line and a status for everything that can go wrong."""

import json
import sys
from pathlib import Path

import cv2
import h5py
import numpy as np
import pytest
from command import run, run_process, save_matches
from synthetic import planar_scene

from cvscore.cli import main


def bad_inputs(folder, left, right):
    """Arguments of ``match``, and words of the line that they must give."""
    (folder / "empty.png").touch()
    (folder / "text.png").write_text("not an image")
    (folder / "half.png").write_bytes(Path(left).read_bytes()[:200])
    (folder / "some.csv").write_text("1,2,3\n")
    (folder / "words.csv").write_text("1,2,3,4\n5,6,seven,8\n")
    (folder / "ragged.csv").write_text("1,2,3,4\n5,6,7,8,9\n")
    (folder / "nothing.csv").write_text("x1,y1,x2,y2\n")
    (folder / "binary.csv").write_bytes(bytes(range(256)))
    (folder / "broken.npz").write_bytes(b"PK\x03\x04 and no more")
    (folder / "broken.h5").write_bytes(b"no HDF5")
    np.savez(folder / "names.npz", a=1, b=2)
    np.savez(folder / "shape.npz", x1=np.zeros((4, 3)), x2=np.zeros((4, 3)))
    np.savez(folder / "lengths.npz", x1=np.zeros((4, 2)), x2=np.zeros((5, 2)))
    np.savez(folder / "nan.npz", x1=np.full((9, 2), np.nan), x2=np.zeros((9, 2)))
    np.savez(folder / "few.npz", x1=np.eye(2), x2=np.eye(2))
    beyond = {"keypoints0": np.eye(2), "keypoints1": np.eye(2), "matches": [[0, 5]]}
    np.savez(folder / "beyond.npz", **beyond)
    with h5py.File(folder / "groups.h5", "w") as file:
        file["pair/x1"] = np.zeros((9, 2))
    flat = np.full((60, 80), 128, np.uint8)
    cv2.imwrite(str(folder / "flat.png"), flat)
    rng = np.random.default_rng(0)
    x1, x2 = rng.uniform(0, 100, (2, 50, 2))
    good = save_matches(folder / "good.npz", x1, x2)
    return [
        ([left, "missing.png"], "missing.png: No such file"),
        ([left, folder], "directory"),
        ([left, folder / "empty.png"], "empty.png is not an image"),
        ([left, folder / "text.png"], "text.png is not an image"),
        ([left, folder / "flat.png"], "distinct matches"),
        ([left], "two images"),
        ([left, left, left], "two images"),
        ([folder / "missing.npz"], "missing.npz: No such file"),
        ([folder / "missing.csv"], "missing.csv: No such file"),
        ([folder / "missing.h5"], "missing.h5: No such file"),
        ([folder / "some.csv"], "line 1: expected x1, y1, x2, y2"),
        ([folder / "words.csv"], "line 2: not all numbers"),
        ([folder / "ragged.csv"], "line 2: rows differ"),
        ([folder / "nothing.csv"], "no rows"),
        ([folder / "binary.csv"], "not a text file"),
        ([folder / "broken.npz"], "not a readable .npz"),
        ([folder / "broken.h5"], "not a readable HDF5"),
        ([folder / "groups.h5"], "groups: pair"),
        ([folder / "groups.h5", "--group", "other"], "no group 'other'"),
        ([folder / "names.npz"], "has a, b; looked for x1, x2"),
        ([folder / "shape.npz"], "x1 must be numbers (N, 2)"),
        ([folder / "lengths.npz"], "4 points of one image, 5 of two"),
        ([folder / "nan.npz"], "NaN"),
        ([folder / "few.npz"], "2 distinct matches"),
        ([folder / "beyond.npz"], "beyond 2 keypoints1"),
        ([good, "--model", "essential"], "needs a camera"),
        ([good, "--camera", "1,2"], "fx,fy,cx,cy"),
        ([good, "--camera", "900"], "no principal point"),
        ([good, "--camera", "missing.txt"], "missing.txt: No such file"),
        ([good, "--camera", folder / "words.csv"], "3 x 3 camera matrix"),
        ([good, "--camera=-5,0,0"], "positive focal lengths"),
        ([good, "--camera2", "900,5,5"], "--camera2 needs --camera"),
        ([good, "--output", "a.png"], "give the two images as well"),
        ([good, "--sweep", folder], "is a folder"),
        ([good, "--sweep", "a.what"], "pictures end in"),
        ([good, "--report", "a.png"], "reports end in .html"),
        ([good, "--report", folder], "reports end in .html"),
        ([good, "--seed", "-1"], "seed must not be negative"),
        ([good, "--confidence", "2"], "confidence must be in (0, 1)"),
        ([good, "--max-iterations", "0"], "max_iterations must be at least 1"),
        ([left, right, "--ratio", "7"], "ratio must be in (0, 1]"),
        ([left, right, "--output", "a.what"], "pictures end in"),
        ([left, right, "--output", folder / "flat.png" / "b.png"], "flat.png"),
    ]


def test_every_failure_is_one_line_and_a_status(views, here, capsys):
    folder, _ = views
    for arguments, words in bad_inputs(here, folder / "left.png", folder / "right.jpg"):
        status, out, err = run(capsys, "match", *arguments)
        assert status == 1, (arguments, out, err)
        assert words in err, (arguments, err)
        assert err.count("\n") == 1, err
        assert out == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "COMMAND"),
        (["fly"], "invalid choice: 'fly'"),
        (["match"], "INPUT"),
        (["match", "a.npz", "--model", "conic"], "conic"),
        (["match", "a.npz", "--seed", "x"], "invalid int value: 'x'"),
        (["match", "a.npz", "--sped", "1"], "--sped"),
        (["demo", "--seed"], "expected one argument"),
    ],
)
def test_wrong_usage_is_one_line_and_status_two(arguments, words, capsys):
    status, out, err = run(capsys, *arguments)
    assert status == 2
    assert words in err
    assert "--help" in err
    assert (out, err.count("\n")) == ("", 1)


def test_a_failure_is_an_object_for_machines_too(here, capsys):
    status, out, err = run(capsys, "match", "missing.npz", "--json")
    assert status == 1
    assert json.loads(out)["error"] in err


def test_a_missing_package_is_named(here, capsys, monkeypatch, rng):
    scene = planar_scene(rng)
    path = save_matches(here / "m.npz", scene.x1, scene.x2)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "h5py", None)
    sweep = ["match", path, "--model", "homography", "--sweep", "s.png"]
    assert 'pip install "cvscore-ransac[draw]"' in run(capsys, *sweep)[2]
    assert "pip install h5py" in run(capsys, "match", "m.h5")[2]


def test_an_unexpected_error_is_one_line_unless_debugged(here, capsys, monkeypatch):
    def fail(options):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr("cvscore.cli.match.load_pair", fail)
    status, _, err = run(capsys, "match", "m.npz")
    assert status == 1
    assert "unexpected RuntimeError: two lines" in err
    monkeypatch.setenv("CVSCORE_DEBUG", "1")
    with pytest.raises(RuntimeError):
        main(["match", "m.npz"])


def test_an_interrupt_has_the_status_of_one(here, capsys, monkeypatch):
    def interrupt(options):
        raise KeyboardInterrupt

    monkeypatch.setattr("cvscore.cli.match.load_pair", interrupt)
    assert run(capsys, "match", "m.npz")[::2] == (130, "cvscore: interrupted\n")


def test_the_process_fails_in_one_line_too(views, tmp_path):
    folder, _ = views
    images = [folder / "left.png", folder / "right.jpg"]
    broken = tmp_path / "broken.jpg"
    broken.write_bytes((folder / "right.jpg").read_bytes()[:500])
    for arguments in (
        ["match", folder / "left.png", tmp_path / "none.png"],
        ["match", *images, "--output", "/dev/null/a.png"],
        ["match", folder / "left.png", "--nonsense"],
    ):
        done = run_process(*arguments)
        assert done.returncode != 0
        assert done.stderr.count("\n") == 1, done.stderr
        assert done.stdout == ""
    done = run_process("match", folder / "left.png", broken)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
