"""Lens distortion after OpenCV's model, and its inverse by Newton's method.

A point (x, y) of the ideal image plane (focal length one) moves to

    x d + 2 p1 x y + p2 (r2 + 2 x x) + s1 r2 + s2 r2 r2        r2 = x x + y y
    y d + p1 (r2 + 2 y y) + 2 p2 x y + s3 r2 + s4 r2 r2

with d = (1 + k1 r2 + k2 r2^2 + k3 r2^3)/(1 + k4 r2 + k5 r2^2 + k6 r2^3); a tilted
sensor follows as a homography.  Coefficients are in the order that OpenCV uses:
k1 k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4 tau_x tau_y.
"""

from __future__ import annotations

import numpy as np

from cvscore.types import Array

# Newton doubles the digits in each step; distortion is mild where it is invertible.
MAX_NEWTON_STEPS = 30
# Relative to the point: a position that is off by more was not inverted.
INVERSE_TOLERANCE = 1e-9


def undistort(x: Array, K: Array, dist: Array) -> Array:
    """Move distorted pixels to where a pinhole camera with the same K has them.

    Parameters
    ----------
    x : (N, 2) array
        Pixels.
    K : (3, 3) array
        Camera matrix.
    dist : (14,) array
        Distortion coefficients.

    Returns
    -------
    (N, 2) array
        Pixels; NaN where the distortion has no inverse.
    """
    with np.errstate(all="ignore"):  # points beyond all numbers, or that diverge
        observed = _homogeneous(x) @ np.linalg.inv(K).T
        observed = observed @ np.linalg.inv(_tilt(dist[12], dist[13])).T
        target = observed[:, :2] / observed[:, 2:]
        ideal = target.copy()
        for _ in range(MAX_NEWTON_STEPS):
            moved, jacobian = _distort(ideal, dist)
            ideal -= _solve_2x2(jacobian, moved - target)
        error = np.abs(_distort(ideal, dist)[0] - target).max(axis=1, initial=0.0)
        lost = ~(error <= INVERSE_TOLERANCE * (1.0 + np.abs(target).max(axis=1)))
        ideal[lost] = np.nan
        return (_homogeneous(ideal) @ K.T)[:, :2]


def _homogeneous(x: Array) -> Array:
    return np.hstack([x, np.ones((len(x), 1))])


def _distort(ideal: Array, dist: Array) -> tuple[Array, Array]:
    """Distorted position (N, 2) and its Jacobian (N, 2, 2), before the tilt."""
    k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4 = dist[:12]
    x, y = ideal.T
    r2 = x * x + y * y
    top = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    bottom = 1 + r2 * (k4 + r2 * (k5 + r2 * k6))
    d = top / bottom
    d_top = k1 + r2 * (2 * k2 + 3 * r2 * k3)
    d_bottom = k4 + r2 * (2 * k5 + 3 * r2 * k6)
    slope = (d_top - d * d_bottom) / bottom  # of d in r2
    moved = np.stack(
        [
            x * d + 2 * p1 * x * y + p2 * (r2 + 2 * x * x) + r2 * (s1 + s2 * r2),
            y * d + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y + r2 * (s3 + s4 * r2),
        ],
        axis=1,
    )
    prism_x = 2 * (s1 + 2 * s2 * r2)
    prism_y = 2 * (s3 + 2 * s4 * r2)
    jacobian = np.empty((len(ideal), 2, 2))
    jacobian[:, 0, 0] = d + 2 * x * x * slope + 2 * p1 * y + 6 * p2 * x + prism_x * x
    jacobian[:, 0, 1] = 2 * x * y * slope + 2 * p1 * x + 2 * p2 * y + prism_x * y
    jacobian[:, 1, 0] = 2 * x * y * slope + 2 * p1 * x + 2 * p2 * y + prism_y * x
    jacobian[:, 1, 1] = d + 2 * y * y * slope + 6 * p1 * y + 2 * p2 * x + prism_y * y
    return moved, jacobian


def _solve_2x2(a: Array, b: Array) -> Array:
    det = a[:, 0, 0] * a[:, 1, 1] - a[:, 0, 1] * a[:, 1, 0]
    first = a[:, 1, 1] * b[:, 0] - a[:, 0, 1] * b[:, 1]
    second = a[:, 0, 0] * b[:, 1] - a[:, 1, 0] * b[:, 0]
    return np.stack([first, second], axis=1) / det[:, None]


def _tilt(tau_x: float, tau_y: float) -> Array:
    """Homography of a sensor turned about its x and then its y axis."""
    cx, sx, cy, sy = np.cos(tau_x), np.sin(tau_x), np.cos(tau_y), np.sin(tau_y)
    about_x = np.array([[1, 0, 0], [0, cx, sx], [0, -sx, cx]])
    about_y = np.array([[cy, 0, -sy], [0, 1, 0], [sy, 0, cy]])
    turn = about_y @ about_x
    project = np.array(
        [[turn[2, 2], 0, -turn[0, 2]], [0, turn[2, 2], -turn[1, 2]], [0, 0, 1.0]]
    )
    tilt: Array = project @ turn
    return tilt
