"""The commands beside `match`: calibrate, verify, info, warmup and demo."""

import json

import cv2
import numba
import numpy as np
import pytest
from command import run, save_matches
from synthetic import planar_scene

from cvscore import __version__
from cvscore._numba.compile import kernel, kernels
from cvscore.cli import main
from cvscore.cli.demo_picture import RIGHT, WRONG


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
    assert "calibration is for the model 'homography'" in err
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


def test_verify_writes_a_page_of_all_pairs(here, capsys, rng):
    pytest.importorskip("pycolmap")
    from colmap_scenes import write_scene

    write_scene(here / "colmap.db", rng, num_images=3)
    (here / "images").mkdir()
    cv2.imwrite("images/0.png", np.zeros((60, 80), np.uint8))
    arguments = ["verify", "colmap.db", "--report", "page.html", "--images", "images"]
    status, out, err = run(capsys, *arguments)
    assert status == 0, err
    assert out.endswith("report: page.html\n")
    page = (here / "page.html").read_text(encoding="utf-8")
    assert page.count("data:image/jpeg") == 1
    assert page.count('"CALIBRATED"') == 3
    assert '"evidence":[null' not in page
    status, out, _ = run(capsys, *arguments, "--json")  # now they are kept
    assert json.loads(out)["report"] == "page.html"
    page = (here / "page.html").read_text(encoding="utf-8")
    assert '"evidence":[null,null,null]' in page
    database = (here / "colmap.db").read_bytes()
    for arguments, words in (
        (["--report", "page.pdf"], "reports end in .html"),
        (["--images", "images"], "give --report too"),
        (["--report", "page.html", "--images", "none"], "there is no folder none"),
        (["--report", "folder/none.html", "--images", "page.html"], "no folder"),
    ):
        status, out, err = run(capsys, "verify", "colmap.db", *arguments)
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert words in err
    assert (here / "colmap.db").read_bytes() == database


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
    assert f"{found['kernels']['machine']['kernels']} kept on this machine" in out
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])


@pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled without the JIT"
)
def test_info_tells_where_each_kernel_came_from(capsys):
    @kernel
    def compiled_just_now(x):
        return x + 1

    assert compiled_just_now(1) == 2
    status, out, _ = run(capsys, "info", "--json")
    found = json.loads(out)["kernels"]
    assert status == 0
    (name,) = (name for name in found["layers"] if "compiled_just_now(int64)" in name)
    assert found["layers"][name] in ("process", "machine")
    for layer in ("shipped", "machine", "process"):
        names = [name for name, other in found["layers"].items() if other == layer]
        assert len(names) == found[layer]["kernels"]
    _, out, _ = run(capsys, "info", "--kernels")
    assert any(line.endswith(name) for line in out.splitlines())


def test_warmup_leaves_nothing_to_compile(capsys):
    status, out, err = run(capsys, "warmup", "--json")
    assert status == 0, err
    found = json.loads(out)["kernels"]
    if numba.config.DISABLE_JIT:
        return
    assert len(found["layers"]) > 50
    again = json.loads(run(capsys, "warmup", "--json")[1])["kernels"]
    assert again["process"] == found["process"]
    functions = [each.py_func for each in kernels]
    # The benchmarks have kernels of their own, which other tests may have imported.
    ours = {f"{f.__module__}.{f.__qualname__}" for f in functions}
    ours = {name for name in ours if name.startswith("cvscore.")}
    unused = ours - {name.partition("(")[0] for name in found["layers"]}
    # The definition of the score, and the solver that is held to OpenCV's.
    known = {"best_prefix_by_sorting", "essential_5pt"}
    assert {name.rpartition(".")[2] for name in unused} <= known


def test_demo_shows_thresholds_beside_none(here, capsys):
    files = ["--output", "pictures/demo.png", "--report", "demo.html"]
    status, out, err = run(capsys, "demo", "--json", *files)
    assert status == 0, err
    found = json.loads(out)
    ours = found["methods"]["cvscore, no threshold"]
    others = [row for name, row in found["methods"].items() if "cv2" in name]
    assert len(others) == 10
    # One call is right whatever the noise; a method with a threshold fails somewhere.
    assert max(ours["degrees"]) < 5.0
    worst = [max(row["degrees"]) for row in others]
    assert np.mean(np.array(worst) > 5.0) >= 0.8
    small, middle, large = found["noise"]
    assert 2 * small < middle < large
    assert found["files"] == files[1::2]
    page = (here / "demo.html").read_text(encoding="utf-8")
    assert page.count("data:image/jpeg") == 2
    picture = cv2.imread("pictures/demo.png").astype(int)
    assert picture.shape[1] == 3 * 480 + 2 * 12 + 2 * 12
    # Verdicts in green below some cells, in red below others.
    green, red = (
        (np.abs(picture - colour).max(axis=2) < 3).mean() for colour in (RIGHT, WRONG)
    )
    assert green > 0.03
    assert red > 0.01
