"""The parts that a pair is verified by, each against a truth or a law."""

import numpy as np
import pytest
from synthetic import (
    homogeneous,
    packed,
    planar_scene,
    project,
    rotation,
    two_view_scene,
)

from cvscore.calibration.plane_fit import whitened_transfer
from cvscore.colmap.depths import NUM_BY_CHANCE, depth_log_ratios
from cvscore.colmap.plane_check import look_for_plane
from cvscore.models.rotation_homography import fit_rotation
from cvscore.models.sampson import sampson_residuals
from cvscore.models.triangulation import parallax_of
from cvscore.numerics.matrix3 import inverse_of
from cvscore.two_view.scene_evidence import Matches, fundamental_of


def test_inverse(rng):
    for _ in range(20):
        matrix = rng.normal(size=(3, 3))
        inverse = np.linalg.inv(matrix)
        scale = np.abs(inverse).max()
        np.testing.assert_allclose(inverse_of(matrix), inverse, atol=1e-10 * scale)


# A look at the plane.


def test_plane_is_seen_at_a_look(rng):
    for seed in range(20):
        s = planar_scene(rng, 120, noise=0.5)
        points = packed(s.x1, s.x2)
        wrong = ~s.is_inlier
        kept = s.is_inlier | (wrong & (np.cumsum(wrong) <= 20))  # as few as are left
        found = look_for_plane(points, kept, 2.0, seed)
        assert not found.inliers[~kept].any()
        assert found.inliers[s.is_inlier].mean() > 0.95
        assert found.scale == pytest.approx(0.5, rel=0.35)
        moved = project(found.H, s.x1[s.is_inlier])
        truth = project(s.H, s.x1[s.is_inlier])
        assert np.median(np.linalg.norm(moved - truth, axis=1)) < 0.5


def test_look_does_not_depend_on_the_unit(rng):
    s = planar_scene(rng, 60, noise=0.5)
    points = packed(s.x1[s.is_inlier], s.x2[s.is_inlier])
    everybody = np.full(points.shape[1], True)
    pixels = look_for_plane(points, everybody, 2.0, 0)
    small = look_for_plane(points / 256, everybody, 2 / 256, 0)
    np.testing.assert_array_equal(pixels.inliers, small.inliers)
    assert small.scale == pytest.approx(pixels.scale / 256)


def test_too_few_matches_have_no_plane(rng):
    points = rng.uniform(0, 1000, (4, 5))
    assert look_for_plane(points, np.full(5, True), 2.0, 0) is None


# Where the scene is.


def test_depths_tell_right_matches_from_those_that_lie_on_lines_by_chance(rng):
    s = two_view_scene(rng, 400, inlier_ratio=0.5, noise=0.3)
    points, cameras = packed(s.x1, s.x2), (s.K1, s.K2)
    F = fundamental_of(s.E, cameras)
    matches = Matches(points)
    parallax = parallax_of(points, *cameras, s.R, s.t)
    given = matches.redrawn, F, *cameras, s.R, s.t, parallax.turns
    right = s.is_inlier.astype(float)
    log_ratios = depth_log_ratios(*given, right)
    assert log_ratios[s.is_inlier].mean() > log_ratios[~s.is_inlier].mean() + 0.5
    # Right matches are likelier here by as much as they are less likely elsewhere.
    q = sampson_residuals(F[None], matches.redrawn)[0]
    closest = np.argsort(q)[:NUM_BY_CHANCE]
    chance = parallax_of(
        np.ascontiguousarray(matches.redrawn[:, closest]), *cameras, s.R, s.t
    )
    values, log_values = _step_function(parallax.turns, log_ratios)
    at_chance = log_values[
        np.searchsorted(values, chance.turns).clip(0, len(values) - 1)
    ]
    assert np.exp(at_chance).mean() == pytest.approx(1.0, abs=0.25)
    # Who believes in nobody learns nothing.
    np.testing.assert_allclose(depth_log_ratios(*given, 0 * right), 0.0)


def _step_function(x, y):
    order = np.argsort(x)
    return x[order], y[order]


# Rotations.


def test_rotation_is_at_the_minimum(rng):
    from scipy.optimize import least_squares

    s = two_view_scene(rng, 80, inlier_ratio=1.0, focals=(900.0, 1200.0))
    R = rotation(rng.normal(0, 0.2, 3))
    x2 = project(s.K2 @ R @ np.linalg.inv(s.K1), s.x1) + rng.normal(0, 2, s.x1.shape)
    points = packed(s.x1, x2)
    H = fit_rotation(points, np.full(80, True), s.K1, s.K2)
    found = np.linalg.inv(s.K2) @ H @ s.K1
    np.testing.assert_allclose(found @ found.T, np.eye(3), atol=1e-9)

    def residuals(axis_angle):
        turned = s.K2 @ rotation(axis_angle) @ found @ np.linalg.inv(s.K1)
        return whitened_transfer(turned, points)

    best = least_squares(residuals, np.zeros(3), xtol=1e-12, ftol=1e-12)
    reached = 0.5 * (residuals(np.zeros(3)) ** 2).sum()
    assert reached <= best.cost * (1 + 1e-6)
    assert (homogeneous(s.x1) @ H[2] > 0).all()
