"""The homography of a camera that only turned."""

import numpy as np
from synthetic import homogeneous, packed, project, rotation, two_view_scene

from cvscore.calibration.plane_fit import whitened_transfer
from cvscore.models.rotation_homography import fit_rotation


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


def test_rotation_is_recovered(rng):
    s = two_view_scene(rng, 60, inlier_ratio=1.0, focals=(900.0, 1200.0))
    R = rotation(rng.normal(0, 0.2, 3))
    H = s.K2 @ R @ np.linalg.inv(s.K1)
    points = np.ascontiguousarray(np.vstack([s.x1.T, project(H, s.x1).T]))
    found = fit_rotation(points, np.full(60, True), s.K1, s.K2)
    turn = np.linalg.inv(s.K2) @ found @ s.K1
    assert np.abs(turn - R).max() < 1e-7
    assert (homogeneous(s.x1) @ found[2] > 0).all()
