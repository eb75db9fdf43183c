"""The command `match`: images or files in; model, numbers and pictures out."""

import json
from pathlib import Path

import cv2
import h5py
import numpy as np
import pytest
from command import run, save_matches
from near_misses import shifted_with_misses
from synthetic import planar_scene, pose_error, two_view_scene
from walls import K, Wall

import cvscore


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


def test_a_report_is_written_on_request(views, here, capsys):
    folder, _ = views
    images = folder / "left.png", folder / "right.jpg"
    status, out, err = run(capsys, "match", *images, "--report", "pages/page.html")
    assert status == 0, err
    assert out.splitlines()[-1].split() == ["report", "pages/page.html"]
    page = Path("pages/page.html").read_text(encoding="utf-8")
    assert page.count("data:image/jpeg") == 2
    assert "<title>left.png and right.jpg</title>" in page
    assert [path.name for path in Path("pages").iterdir()] == ["page.html"]


def test_a_report_needs_neither_images_nor_a_model(here, capsys, rng):
    scene = planar_scene(rng)
    path = save_matches(here / "m.npz", scene.x1, scene.x2)
    status, out, _ = run(capsys, "match", path, "--json", "--report", "a.html")
    assert status == 0
    assert json.loads(out)["report"] == "a.html"
    page = Path("a.html").read_text(encoding="utf-8")
    assert "<title>m.npz, first image and m.npz, second image</title>" in page
    x1, x2 = rng.uniform(0, 1000, (2, 100, 2))
    path = save_matches(here / "noise.npz", x1, x2)
    status, out, err = run(capsys, "match", path, "--report", "b.html")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.endswith("(report: b.html)\n")
    page = Path("b.html").read_text(encoding="utf-8")
    assert '"reason":"random matches (100 of them) have as good a one"' in page


def test_a_model_that_was_fitted_to_near_misses_is_told(rng, here, capsys):
    x1, x2, is_right = shifted_with_misses(rng)
    path = save_matches(here / "misses.npz", x1, x2)
    status, out, err = run(capsys, "match", path, "--model", "homography")
    assert status == 0, err
    lines = [line for line in out.splitlines() if line.startswith("warning")]
    assert len(lines) == 1
    assert "a narrower fit is likelier" in lines[0]
    status, out, _ = run(capsys, "match", path, "--model", "homography", "--json")
    found = json.loads(out)
    assert is_right[found["inliers"]].mean() < 0.5
    (narrower,) = found["alternatives"]
    assert is_right[narrower["inliers"]].mean() > 0.8


def no_constant(name):
    raise AssertionError(f"JSON has no {name}")


def test_a_wall_is_told_to_have_two_poses(here, capsys):
    wall = Wall(0)
    path = save_matches(here / "wall.npz", wall.x1, wall.x2, K1=K, K2=K)
    for model in (["--model", "essential"], []):
        status, out, err = run(capsys, "match", path, *model)
        assert status == 0, err
        lines = [line for line in out.splitlines() if line.startswith("warning")]
        assert len(lines) == 1
        assert "two poses fit" in lines[0]
        (pose,) = (line for line in out.splitlines() if line.startswith("pose"))
        assert "standard deviations" in pose
        status, out, _ = run(capsys, "match", path, *model, "--json")
        found = json.loads(out, parse_constant=no_constant)
        assert found["is_determined"]
        poses = found["plane_poses"] or [found, *found["alternatives"]]
        errors = [pose_error(np.array(p["R"]), np.array(p["t"]), wall) for p in poses]
        assert len(poses) == 2
        assert min(errors) < 1.0 < 20.0 < max(errors)
        assert abs(poses[1]["evidence_difference"]) < 10.0
        for one in poses:
            assert np.array(one["covariance"]).shape == (5, 5)
            assert len(one["coordinates"]) == len(one["standard_deviations"]) == 5


def test_what_is_open_is_said(here, capsys):
    wall = Wall(0)
    path = save_matches(here / "wall.npz", wall.x1, wall.x2)
    status, out, err = run(capsys, "match", path, "--model", "fundamental")
    assert status == 0, err
    assert "undetermined: all inliers lie on a plane" in out
    status, out, _ = run(capsys, "match", path, "--model", "fundamental", "--json")
    found = json.loads(out, parse_constant=no_constant)
    assert not found["is_determined"]
    assert "epipole is open" in found["reason_undetermined"]


def test_a_second_plane_is_another_structure(here, capsys, rng):
    first, second = (planar_scene(rng, num=80, inlier_ratio=1.0) for _ in range(2))
    both = (np.vstack([getattr(s, x) for s in (first, second)]) for x in ("x1", "x2"))
    path = save_matches(here / "two.npz", *both)
    status, out, err = run(capsys, "match", path, "--model", "homography")
    assert status == 0, err
    assert "another structure has" in out
    assert "mapped" in out
    status, out, _ = run(capsys, "match", path, "--model", "homography", "--json")
    (other,) = json.loads(out, parse_constant=no_constant)["alternatives"]
    assert not other["is_of_the_same_matches"]
    assert other["num_inliers"] == len(other["inliers"]) > 60


def test_weights_of_a_file_are_those_of_the_estimate(here, capsys, rng):
    scene = planar_scene(rng)
    weights = np.exp(rng.uniform(-2.0, 2.0, len(scene.x1)))
    np.savez("m.npz", x1=scene.x1, x2=scene.x2, weights=weights)
    words = ["match", "m.npz", "--model", "homography", "--json"]
    status, out, err = run(capsys, *words, "--sweep", "s.png", "--report", "r.html")
    assert status == 0, err
    content = json.loads(out)
    found = cvscore.estimate_homography(scene.x1, scene.x2, weights=weights)
    np.testing.assert_allclose(content["model"], found.model)
    np.testing.assert_allclose(content["probabilities"], found.probabilities)
    plain = cvscore.estimate_homography(scene.x1, scene.x2)
    assert not np.allclose(content["model"], plain.model, rtol=1e-12, atol=0)
