"""The commands beside `match`: calibrate, verify, info, warmup and demo."""

import json
from pathlib import Path

import cv2
import numba
import numpy as np
import pytest
from command import run, save_matches
from synthetic import planar_scene

from cvscore import __version__
from cvscore._numba.compile import kernels
from cvscore.cli import main


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
    status, out, _ = run(capsys, "verify", "colmap.db", "--json", "--overwrite")
    assert json.loads(out)["accepted"] == {"CALIBRATED": 3}
    for arguments, words in (
        (["none.db"], "none.db"),
        (["colmap.db", "--pairs", "none.txt"], "none.txt"),
        (["colmap.db", "--workers", "0"], "num_workers must be at least 1"),
    ):
        status, out, err = run(capsys, "verify", *arguments)
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert words in err


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
    # The definition of the score, and the solver that is held to OpenCV's.
    assert unused <= {"best_prefix_by_sorting", "essential_5pt"}


def cached(kernel):
    return Path(kernel._cache._cache_file._index_path).exists()


def test_demo_shows_thresholds_beside_none(here, capsys):
    status, out, err = run(capsys, "demo", "--json", "--output", "pictures/demo.png")
    assert status == 0, err
    found = json.loads(out)
    ours = found["methods"]["cvscore, no threshold"]
    others = [row for name, row in found["methods"].items() if "cv2" in name]
    assert len(others) == 10
    # One call is right in every light; a method with a threshold fails in some.
    assert max(ours["degrees"]) < 5.0
    worst = [max(row["degrees"]) for row in others]
    assert np.mean(np.array(worst) > 5.0) >= 0.8
    assert cv2.imread("pictures/demo.png").shape == (3 * (240 + 28), 3 * 640, 3)
