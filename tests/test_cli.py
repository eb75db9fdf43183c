"""The command: what it prints, and one line for everything that can go wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import h5py
import numba
import numpy as np
import pytest
from synthetic import planar_scene, two_view_scene

from cvscore import __version__
from cvscore._kernel import kernels
from cvscore.cli import main
from cvscore.rendering import render_pair

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    """Two rendered views on disk, and the truth about them."""
    folder = tmp_path_factory.mktemp("views")
    pair = render_pair(0, width=400, height=300)
    cv2.imwrite(str(folder / "left.png"), pair.image1)
    cv2.imwrite(str(folder / "right.jpg"), pair.image2)
    return folder, pair


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def save_matches(path, x1, x2, **more):
    np.savez(path, x1=x1, x2=x2, **more)
    return str(path)


def run(capsys, *arguments):
    """Exit status, stdout and stderr of the command."""
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as stop:
        status = stop.code
    return status, *capsys.readouterr()


def test_images_in_model_numbers_and_picture_out(views, here, capsys):
    folder, _ = views
    status, out, err = run(capsys, "match", folder / "left.png", folder / "right.jpg")
    assert status == 0, err
    names = [line.split()[0] for line in out.splitlines() if line[0] != " "]
    assert names[:4] == ["scene", "model", "inliers", "scale"]
    assert "general" in out.splitlines()[0]
    assert {"threshold", "evidence", "time", "picture"} <= set(names)
    picture = cv2.imread("cvscore-match.png")
    assert picture.shape == (2 * (300 + 28), 800, 3)


def test_essential_matrix_of_images_has_the_true_pose(views, here, capsys):
    folder, pair = views
    K = ",".join(map(str, pair.K[[0, 1, 0, 1], [0, 1, 2, 2]]))
    arguments = ["match", folder / "left.png", folder / "right.jpg"]
    arguments += [
        "--model",
        "essential",
        "--camera",
        K,
        "--json",
        "--output",
        "a/b.png",
    ]
    status, out, _ = run(capsys, *arguments)
    assert status == 0
    found = json.loads(out)  # one object, and nothing else
    assert np.degrees(np.arccos(np.dot(found["t"], pair.t))) < 3.0
    assert found["num_inliers"] == len(found["inliers"]) > 50
    assert found["pictures"] == [str(Path("a/b.png"))]
    assert Path("a/b.png").stat().st_size > 10_000


@pytest.mark.parametrize("suffix", ["npz", "csv", "h5", "txt"])
def test_matches_from_files_give_the_same_model(suffix, here, capsys, rng):
    scene = planar_scene(rng)
    path = here / f"matches.{suffix}"
    table = np.hstack([scene.x1, scene.x2])
    if suffix == "npz":
        save_matches(path, scene.x1, scene.x2)
    elif suffix == "h5":
        with h5py.File(path, "w") as file:
            file.update({"pair/x1": scene.x1, "pair/x2": scene.x2})
    else:
        delimiter = "," if suffix == "csv" else " "
        header = "x1,y1,x2,y2" if suffix == "csv" else ""
        np.savetxt(
            path, table, fmt="%.17g", delimiter=delimiter, header=header, comments=""
        )
    group = ["--group", "pair"] if suffix == "h5" else []
    status, out, err = run(
        capsys, "match", path, "--model", "homography", "--json", *group
    )
    assert (status, err) == (0, "")
    found = json.loads(out)
    truth = scene.H / scene.H[2, 2]
    np.testing.assert_allclose(found["model"], truth, rtol=0.05, atol=0.05)
    assert found["num_matches"] == len(table)
    assert not list(here.glob("*.png"))


def test_the_sweep_is_plotted_on_request(here, capsys, rng):
    scene = two_view_scene(rng)
    path = save_matches(here / "m.npz", scene.x1, scene.x2, K1=scene.K1, K2=scene.K2)
    arguments = ["--model", "essential", "--sweep", "plots/sweep.png"]
    status, out, err = run(capsys, "match", path, *arguments)
    assert status == 0, err
    assert "plots/sweep.png" in out
    assert cv2.imread("plots/sweep.png").shape[1] == 1000


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
        (["match", "a.npz", "--model", "affine"], "affine"),
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


def test_the_kind_of_scene_is_told_by_evidence(here, capsys, rng):
    plane = planar_scene(rng)
    path = save_matches(here / "m.npz", plane.x1, plane.x2)
    status, out, _ = run(capsys, "match", path, "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["scene"], found["kind"]) == ("planar_or_rotation", "homography")
    assert found["is_significant"]
    low, high = found["scale_interval"]
    assert low < found["scale"] < high
    x1, x2 = rng.uniform(0, 1000, (2, 100, 2))
    path = save_matches(here / "noise.npz", x1, x2)
    status, out, err = run(capsys, "match", path)
    assert (status, out) == (1, "")
    assert "no significant model" in err
    status, out, err = run(capsys, "match", path, "--model", "fundamental")
    assert status == 0
    assert "not significant" in out


def test_calibrate_writes_what_match_takes(here, capsys, rng):
    paths = []
    for i in range(2):
        scene = planar_scene(rng, noise=2.0)
        labels = {"inliers": scene.is_inlier, "H": scene.H}
        paths += [save_matches(here / f"{i}.npz", scene.x1, scene.x2, **labels)]
    arguments = ["--model", "homography", "--max-iterations", "100", "--json"]
    status, out, err = run(capsys, "calibrate", *paths, *arguments)
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["scale"] == pytest.approx(2.0, rel=0.2)
    assert found["num_pairs"] == 2
    given = ["--calibration", found["file"], "--json"]
    status, out, err = run(capsys, "match", paths[0], *given)
    assert status == 0, err
    assert json.loads(out)["kind"] == "homography"
    status, _, err = run(capsys, "match", paths[0], "--model", "fundamental", *given)
    assert status == 1
    assert "calibration is for the homography" in err
    for bad, words in ((here / "0.npz", "0.npz"), (here / "none.json", "No such file")):
        status, _, err = run(capsys, "match", paths[0], "--calibration", bad)
        assert (status, err.count("\n")) == (1, 1)
        assert words in err
    unlabelled = save_matches(here / "u.npz", scene.x1, scene.x2)
    status, _, err = run(capsys, "calibrate", unlabelled, *arguments[:-1])
    assert (status, err.count("\n")) == (1, 1)
    assert "which matches are right" in err


def test_verify_prints_a_closing_table(here, capsys, rng):
    pytest.importorskip("pycolmap")
    from colmap_scenes import read_geometries, write_scene

    write_scene(here / "colmap.db", rng, num_images=3)
    status, out, err = run(capsys, "verify", "colmap.db", "--workers", "1")
    assert status == 0, err
    assert "accepted" in out
    assert len(read_geometries(here / "colmap.db")) == 3
    status, out, _ = run(capsys, "verify", "colmap.db", "--json")
    assert json.loads(out)["num_kept"] == 3
    for arguments, words in (
        (["none.db"], "none.db"),
        (["colmap.db", "--pairs", "none.txt"], "none.txt"),
        (["colmap.db", "--workers", "0"], "num_workers must be at least 1"),
    ):
        status, out, err = run(capsys, "verify", *arguments)
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert words in err


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
    assert 'pip install "cvscore[draw]"' in run(capsys, *sweep)[2]
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


def test_info_names_versions_and_the_cache(capsys):
    status, out, _ = run(capsys, "info", "--json")
    found = json.loads(out)
    assert status == 0
    assert found["cvscore"] == __version__
    assert found["numpy"] == np.__version__
    assert found["opencv"].startswith(cv2.__version__.split("-")[0])
    status, out, _ = run(capsys, "info")
    assert status == 0
    assert "cache" in out
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])


def test_warmup_leaves_nothing_to_compile(capsys):
    status, out, err = run(capsys, "warmup", "--json")
    assert status == 0, err
    cache = json.loads(out)["cache"]
    if numba.config.DISABLE_JIT:
        return
    assert cache["compiled"] > 0.8 * cache["kernels"]
    # Kernels that were compiled within others keep no file; none is left without.
    assert run(capsys, "info")[0] == 0
    # The benchmarks have kernels of their own, which other tests may have imported.
    ours = [k for k in kernels if k.py_func.__module__.startswith("cvscore.")]
    unused = {k.py_func.__name__ for k in ours if not (k.signatures or cached(k))}
    assert unused <= {"best_prefix_by_sorting"}  # the definition, for tests


def cached(kernel):
    return Path(kernel._cache._cache_file._index_path).exists()


def test_demo_shows_thresholds_beside_none(here, capsys):
    status, out, err = run(capsys, "demo", "--json", "--output", "pictures/demo.png")
    assert status == 0, err
    found = json.loads(out)
    ours = found["methods"]["cvscore, no threshold"]
    others = [row for name, row in found["methods"].items() if "cv2" in name]
    assert len(others) == 10
    # One call, on all three views: no threshold of cv2's RANSAC is as good.
    assert max(ours["degrees"]) < 3.0
    worst = [max(row["degrees"]) for row in others]
    assert max(worst) > 2 * max(ours["degrees"])
    assert cv2.imread("pictures/demo.png").shape == (2 * (480 + 28), 1280, 3)


def run_process(*arguments, **more):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **more}
    return subprocess.run(
        [sys.executable, "-m", "cvscore", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


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
