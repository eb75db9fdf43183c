"""Rendered clips: matches agree with the true cameras, and photographs are used."""

from functools import lru_cache

import cv2
import numpy as np
import pytest

from benchmarks.data import clips
from benchmarks.data.pair import cross_matrix
from benchmarks.data.room import texture_of
from cvscore.models.homography import homography_residuals
from cvscore.models.sampson import sampson_residuals

TRUTH = 2.0  # pixels: what lens, focal length and tracker are off by, together


@pytest.fixture(autouse=True, scope="module")
def few_frames():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clips, "GAPS", (2,))
        patch.setattr(clips, "TURN", (2.0, 3.0))
        patch.setattr(clips, "MOVED", (0.05, 0.06))
        patch.setattr(clips, "WALL", (14.0, 11.0))
        patch.setattr(clips, "NUM_POSTERS", 5)
        yield


@lru_cache
def pairs_of_kind(kind):
    tracked, matched = clips.clips_of(kind, [0], texture_of)
    return tracked, matched


def packed(pair):
    return np.ascontiguousarray(np.hstack([pair.x1, pair.x2]).T)


def off_lines(pair):
    """Return distances from the true epipolar lines, pixels."""
    t = pair.truth.t / np.linalg.norm(pair.truth.t)
    inverse = np.linalg.inv(pair.K1)
    F = inverse.T @ cross_matrix(t) @ pair.truth.R @ inverse
    return np.sqrt(sampson_residuals(F[None], packed(pair))[0])


def off_turn(pair):
    """Return distances from where the true turn alone would take points, pixels."""
    H = pair.K1 @ pair.truth.R @ np.linalg.inv(pair.K1)
    return np.sqrt(homography_residuals(H[None], packed(pair))[0])


@pytest.mark.parametrize("kind", ["wall", "nearly flat", "depth", "turning on an arm"])
def test_matches_lie_on_the_lines_of_the_true_cameras(kind):
    for pair in pairs_of_kind(kind):
        assert len(pair.x1) > 100
        assert np.median(off_lines(pair)) < TRUTH
        # The camera has moved, and that is seen.
        assert np.median(off_turn(pair)) > np.median(off_lines(pair))


def test_a_camera_that_only_turns_has_no_translation_and_takes_points_along():
    for pair in pairs_of_kind("turning"):
        assert not pair.truth.t.any()
        assert np.median(np.linalg.norm(pair.x1 - pair.x2, axis=1)) > 5.0
        assert np.median(off_turn(pair)) < TRUTH


def test_nothing_moves_before_a_camera_that_is_still_but_noise():
    for pair in pairs_of_kind("still"):
        np.testing.assert_allclose(pair.truth.R, np.eye(3), atol=1e-12)
        assert not pair.truth.t.any()
        moved = np.linalg.norm(pair.x1 - pair.x2, axis=1)
        assert 0.0 < np.median(moved) < 0.3


@pytest.mark.parametrize("kind", ["wall", "depth"])
def test_only_what_stands_out_is_off_a_plane(kind):
    tracked, _ = pairs_of_kind(kind)
    H, _ = cv2.findHomography(tracked.x1, tracked.x2, cv2.RANSAC, 1.0)
    near = np.sqrt(homography_residuals(H[None], packed(tracked))[0]) < 1.0
    assert (near.mean() > 0.9) == (kind == "wall")


def test_a_seed_is_a_clip():
    one, _ = pairs_of_kind("wall")
    again, _, another, _ = clips.clips_of("wall", [0, 1], texture_of)
    np.testing.assert_array_equal(one.x2, again.x2)
    assert another.K1[0, 0] != one.K1[0, 0]


def test_photographs_are_put_on_walls_where_there_are_some(tmp_path, monkeypatch):
    monkeypatch.setattr(clips, "data_root", lambda: tmp_path)
    assert list(clips.textures()) == ["drawn"]
    folder = tmp_path / clips.SETS["rematched"]["E"]["reichstag-orb"].path / "images"
    folder.mkdir(parents=True)
    shades = np.tile(np.arange(200, dtype=np.uint8), (150, 1))
    cv2.imwrite(str(folder / "one.png"), shades)
    texture = clips.textures()["photographs"](np.random.default_rng(0), 4.0, 1.0)
    height, width = texture.shape
    assert (height, width) == (85, 340)
    # Enlarged to be as wide as it has to be.
    assert np.all(np.diff(texture[40, 20:-20]) >= 0.0)
    assert np.ptp(texture) > 190.0
