"""Photographs matched anew: where the matches are, and that bad files are named."""

import cv2
import numpy as np
import pytest

from benchmarks.data import real, rematching, splits
from benchmarks.methods import oracle
from cvscore.images.rendering import render_pair


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("photographs")
    pair = render_pair()
    paths = folder / "1.png", folder / "2.png"
    for path, image in zip(paths, (pair.image1, pair.image2), strict=True):
        cv2.imwrite(str(path), image)
    t = np.cross(np.eye(3), pair.t / np.linalg.norm(pair.t))
    inverse = np.linalg.inv(pair.K)
    return paths, inverse.T @ t @ pair.R @ inverse


@pytest.mark.parametrize("name", list(rematching.RECIPES))
def test_matches_lie_on_the_lines_of_the_true_cameras(photographs, name):
    paths, F = photographs
    rows, quality = rematching.match_photographs(*paths, name)
    assert rows.shape == (len(quality), 4)
    assert len(rows) > 40
    recipe = rematching.RECIPES[name]
    assert np.all((quality > 1 - recipe.ratio) & (quality <= 1))
    x1, x2 = rows[:, :2], rows[:, 2:]
    distances = np.abs(oracle.epipolar_residuals(F, x1, x2))
    assert np.median(distances) < 1.0 / recipe.size


def test_features_of_a_smaller_image_are_where_they_were(tmp_path):
    image = np.zeros((400, 600), np.uint8)
    centres = np.array([[100.0, 120.0], [301.0, 203.0], [450.0, 330.0]])
    y, x = np.mgrid[:400, :600]
    for u, v in centres:
        image = np.maximum(
            image, 255 * np.exp(-((x - u) ** 2 + (y - v) ** 2) / 200)
        ).astype(np.uint8)
    path = tmp_path / "dots.png"
    cv2.imwrite(str(path), image)
    points, _ = rematching._features(path, "sift-half")
    # OpenCV's SIFT is off by a quarter of a pixel, here of the smaller image.
    for centre in centres + 0.5:
        assert np.linalg.norm(points - centre, axis=1).min() < 0.15


def test_a_mutual_match_is_the_only_one_of_its_keypoint(photographs):
    paths, _ = photographs
    rows, _ = rematching.match_photographs(*paths, "sift-2k")
    back, _ = rematching.match_photographs(*paths[::-1], "sift-2k")
    # A point may carry two keypoints, of two orientations; a pair of points stays one.
    there = {tuple(row) for row in rows}
    assert len(there & {(*row[2:], *row[:2]) for row in back}) > 0.8 * len(there)


def test_what_is_no_photograph_is_named(tmp_path):
    path = tmp_path / "broken.jpg"
    path.write_bytes(b"no image")
    with pytest.raises(FileNotFoundError, match=r"broken\.jpg"):
        rematching.match_photographs(path, path, "orb")


def test_sets_without_photographs_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("CVSCORE_DATA", str(tmp_path))
    folder = tmp_path / real.REMATCHED_SETS["reichstag-orb"].path
    folder.mkdir(parents=True)
    assert splits.regimes_of("E", "rematched") == []
    (folder / "images").mkdir()
    assert splits.regimes_of("E", "rematched") == [
        f"reichstag-{name}" for name in rematching.RECIPES
    ]
    assert splits.regimes_of("H", "rematched") == []
