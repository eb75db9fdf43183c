"""The homography of a camera that only turned, ``H = K2 R K1^-1``.

It minimises the squared Sampson residuals of matches that are taken for right.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.linalg import solve_positive_definite
from cvscore.numerics.matrix3 import inverse_of, product_of
from cvscore.numerics.rotation import closest_rotation

# The best rotation of the rays is a noise's breadth away from that of the pixels.
NUM_GAUSS_NEWTON_STEPS = 2
STEP = 1e-7  # radians: differences are exact to half of the digits


@kernel
def fit_rotation(points, is_inlying, K1, K2):
    """Fit the rotation R in ``H = K2 R K1^-1``.

    Parameters
    ----------
    points : (4, N) array
        Matches, in pixels.
    is_inlying : (N,) bool array
        Those that are right.
    K1, K2 : (3, 3) array
        Camera matrices.

    Returns
    -------
    (3, 3) array
        The homography of the rotation; it takes points to positive multiples.
    """
    right = points[:, np.flatnonzero(is_inlying)]
    inverse1 = inverse_of(K1)
    R = _rotation_of_rays(right, inverse1, inverse_of(K2))
    return product_of(K2, _refine(right, K2, product_of(R, inverse1)))


@kernel
def _rotation_of_rays(points, inverse1, inverse2):
    """Rotation (3, 3) that brings the rays of camera 1 closest to those of camera 2."""
    S, a, b = np.zeros((3, 3)), np.empty(3), np.empty(3)
    for i in range(points.shape[1]):
        _write_ray(inverse1, points[0, i], points[1, i], a)
        _write_ray(inverse2, points[2, i], points[3, i], b)
        for j in range(3):
            for k in range(3):
                S[j, k] += a[j] * b[k]
    R, _ = closest_rotation(S)
    return R


@kernel
def _write_ray(inverse, x, y, ray):
    """Write the unit vector (3,) of a pixel."""
    for j in range(3):
        ray[j] = inverse[j, 0] * x + inverse[j, 1] * y + inverse[j, 2]
    ray /= math.sqrt(ray[0] ** 2 + ray[1] ** 2 + ray[2] ** 2)


@kernel
def _refine(points, K2, turned):
    """Turn ``R K1^-1`` (3, 3) by Gauss-Newton steps while the residuals fall."""
    step, trial = np.empty(3), np.empty((3, 3))
    normal, gradient, rss = _linearise(points, K2, turned)
    for _ in range(NUM_GAUSS_NEWTON_STEPS):
        if not solve_positive_definite(normal, -gradient, step):
            break
        _turn(turned, step, trial)
        normal, gradient, trial_rss = _linearise(points, K2, trial)
        if not trial_rss < rss:
            break
        turned, rss = trial.copy(), trial_rss
    return turned


@kernel
def _linearise(points, K2, turned):
    """Gauss-Newton matrix (3, 3), gradient (3,) and squared sum of the residuals."""
    matrices, step, trial = np.empty((4, 3, 3)), np.zeros(3), np.empty((3, 3))
    for k in range(4):  # where it is, and a little turned about each axis
        for i in range(3):
            step[i] = STEP if i == k - 1 else 0.0
        _turn(turned, step, trial)
        product = product_of(K2, trial)
        for i in range(3):
            for j in range(3):
                matrices[k, i, j] = product[i, j]
    normal, gradient, rss = np.zeros((3, 3)), np.zeros(3), 0.0
    slope0, slope1 = np.empty(3), np.empty(3)
    for i in range(points.shape[1]):
        here0, here1 = _whitened(matrices[0], points, i)
        for k in range(3):
            there0, there1 = _whitened(matrices[k + 1], points, i)
            slope0[k] = (there0 - here0) / STEP
            slope1[k] = (there1 - here1) / STEP
        rss += here0 * here0 + here1 * here1
        for k in range(3):
            gradient[k] += slope0[k] * here0 + slope1[k] * here1
            for j in range(k + 1):
                normal[k, j] += slope0[k] * slope0[j] + slope1[k] * slope1[j]
    return normal, gradient, rss


@kernel
def _whitened(H, points, i):
    """Two residuals of a match whose squares add up to the squared Sampson residual."""
    x, y, u, v = points[0, i], points[1, i], points[2, i], points[3, i]
    w = H[2, 0] * x + H[2, 1] * y + H[2, 2]
    g0 = u * w - (H[0, 0] * x + H[0, 1] * y + H[0, 2])
    g1 = v * w - (H[1, 0] * x + H[1, 1] * y + H[1, 2])
    a0, a1 = u * H[2, 0] - H[0, 0], u * H[2, 1] - H[0, 1]
    b0, b1 = v * H[2, 0] - H[1, 0], v * H[2, 1] - H[1, 1]
    # Cholesky factor of the 2x2 covariance J J' of the two constraints.
    first = math.sqrt(a0 * a0 + a1 * a1 + w * w)
    mixed = (a0 * b0 + a1 * b1) / first
    second = math.sqrt(b0 * b0 + b1 * b1 + w * w - mixed * mixed)
    one = g0 / first
    return one, (g1 - mixed * one) / second


@kernel
def _turn(matrix, axis_angle, turned):
    """Write the product of a rotation (3,) in radians (Rodrigues) and a (3, 3)."""
    x, y, z = axis_angle[0], axis_angle[1], axis_angle[2]
    angle = math.sqrt(x * x + y * y + z * z)
    sine, cosine_less_one = 1.0, 0.0
    if angle > 0.0:
        sine = math.sin(angle) / angle
        half = math.sin(0.5 * angle) / angle
        cosine_less_one = 2.0 * half * half
    for j in range(3):
        a, b, c = matrix[0, j], matrix[1, j], matrix[2, j]
        p, q, r = y * c - z * b, z * a - x * c, x * b - y * a
        turned[0, j] = a + sine * p + cosine_less_one * (y * r - z * q)
        turned[1, j] = b + sine * q + cosine_less_one * (z * p - x * r)
        turned[2, j] = c + sine * r + cosine_less_one * (x * q - y * p)
