"""A homography among likely matches is found at a look."""

import numpy as np
import pytest
from synthetic import packed, planar_scene, project

from cvscore.two_view.plane_check import check_for_plane


def test_the_check_sees_a_plane(rng):
    for seed in range(20):
        s = planar_scene(rng, 120, noise=0.5)
        points = packed(s.x1, s.x2)
        wrong = ~s.is_inlier
        kept = s.is_inlier | (wrong & (np.cumsum(wrong) <= 20))  # as few as are left
        found = check_for_plane(points, kept, 2.0, seed)
        assert not found.inliers[~kept].any()
        assert found.inliers[s.is_inlier].mean() > 0.95
        assert found.scale == pytest.approx(0.5, rel=0.35)
        moved = project(found.H, s.x1[s.is_inlier])
        truth = project(s.H, s.x1[s.is_inlier])
        assert np.median(np.linalg.norm(moved - truth, axis=1)) < 0.5


def test_the_check_does_not_depend_on_the_unit(rng):
    s = planar_scene(rng, 60, noise=0.5)
    points = packed(s.x1[s.is_inlier], s.x2[s.is_inlier])
    everybody = np.full(points.shape[1], True)
    pixels = check_for_plane(points, everybody, 2.0, 0)
    small = check_for_plane(points / 256, everybody, 2 / 256, 0)
    np.testing.assert_array_equal(pixels.inliers, small.inliers)
    assert small.scale == pytest.approx(pixels.scale / 256)


def test_too_few_matches_have_no_plane(rng):
    points = rng.uniform(0, 1000, (4, 5))
    assert check_for_plane(points, np.full(5, True), 2.0, 0) is None
