"""No command overwrites what it reads."""

import hashlib
import os
import shutil

import numpy as np
import pytest
from command import run, save_matches
from synthetic import planar_scene


def checksums(folder):
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
    }


@pytest.fixture
def inputs(views, here, rng):
    """A folder with two images, their matches, a calibration and a camera."""
    folder, _ = views
    shutil.copy(folder / "left.png", "a.png")
    shutil.copy(folder / "right.jpg", "b.jpg")
    shutil.copy(folder / "left.png", "cvscore-match.png")
    shutil.copy(folder / "left.png", "page.html")
    (here / "link.png").symlink_to("a.png")
    os.link("a.png", "hard.png")
    for i in range(2):
        scene = planar_scene(rng, noise=0.5)
        save_matches(f"l{i}.npz", scene.x1, scene.x2, inliers=scene.is_inlier)
    shutil.copy("l0.npz", "matches.csv.png")
    np.savetxt("K.png", [[500, 0, 200], [0, 500, 150], [0, 0, 1]])
    return here


@pytest.mark.parametrize(
    "arguments",
    [
        ["match", "a.png", "b.jpg", "--output", "a.png"],
        ["match", "a.png", "b.jpg", "-o", "b.jpg"],
        ["match", "a.png", "b.jpg", "--output", "./sub/../a.png"],
        ["match", "a.png", "b.jpg", "--output", "link.png"],
        ["match", "a.png", "b.jpg", "--output", "hard.png"],
        ["match", "link.png", "b.jpg", "--output", "a.png"],
        ["match", "a.png", "b.jpg", "--sweep", "a.png"],
        ["match", "cvscore-match.png", "b.jpg"],
        ["match", "page.html", "b.jpg", "--report", "page.html"],
        ["match", "l0.npz", "a.png", "b.jpg", "--output", "a.png"],
        ["match", "a.png", "b.jpg", "--camera", "K.png", "--output", "K.png"],
        ["match", "a.png", "b.jpg", "--output", "c.png", "--sweep", "c.png"],
        ["calibrate", "l0.npz", "l1.npz", "--model", "homography", "-o", "l0.npz"],
        ["calibrate", "l0.npz", "l1.npz", "--model", "homography", "-o", "./l1.npz"],
    ],
    ids=" ".join,
)
def test_an_input_is_never_written_to(inputs, capsys, arguments):
    before = checksums(inputs)
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (1, "", 1), err
    assert "would be overwritten" in err or "two pictures" in err
    assert checksums(inputs) == before


def test_a_picture_of_an_earlier_run_is_replaced(inputs, capsys):
    for _ in range(2):
        status, _, err = run(capsys, "match", "a.png", "b.jpg", "-o", "out.png")
        assert status == 0, err
    assert not list(inputs.glob(".cvscore*"))
