"""The homography of a camera that only turned, ``H = K2 R K1^-1``.

It minimises the squared Sampson residuals of matches that are taken for right.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._kernel import kernel
from cvscore.models._linalg import solve_positive_definite
from cvscore.models._matrix3 import inverse_of
from cvscore.types import Array

# The best rotation of the rays is a noise's breadth away from that of the pixels.
NUM_GAUSS_NEWTON_STEPS = 2
STEP = 1e-7  # radians: differences are exact to half of the digits


def fit_rotation(points: Array, K1: Array, K2: Array) -> Array:
    """Fit the rotation R in ``H = K2 R K1^-1``.

    Parameters
    ----------
    points : (4, N) array
        Right matches, in pixels.
    K1, K2 : (3, 3) array
        Camera matrices.

    Returns
    -------
    (3, 3) array
        The homography of the rotation; it takes points to positive multiples.
    """
    inverse1, inverse2 = inverse_of(K1), inverse_of(K2)
    # The rotation that brings the rays of camera 1 closest to those of camera 2.
    rays1 = _unit(inverse1[:, :2] @ points[:2] + inverse1[:, 2:])
    rays2 = _unit(inverse2[:, :2] @ points[2:] + inverse2[:, 2:])
    U, _, Vt = np.linalg.svd(rays2 @ rays1.T)
    R = U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt
    H: Array = K2 @ _refine(np.ascontiguousarray(points), K2, R @ inverse1)
    return H


def _unit(rays: Array) -> Array:
    """Divide rays (3, N) by their lengths."""
    unit: Array = rays / np.sqrt((rays**2).sum(axis=0))
    return unit


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
        step[:] = 0.0
        if k > 0:
            step[k - 1] = STEP
        _turn(turned, step, trial)
        _multiply(K2, trial, matrices[k])
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


@kernel
def _multiply(a, b, product):
    for i in range(3):
        for j in range(3):
            product[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]
