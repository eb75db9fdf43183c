"""Homographies by eight of their entries, the ninth being one.

Inside of the frame the first eight entries of the matrix are the coordinates too: the
middle of the points is never at infinity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cvscore.types import Array
from cvscore.types.parametrisation import Fit, Parametrisation

NUM_ENTRIES = 8
NAMES = ("h11", "h12", "h13", "h21", "h22", "h23", "h31", "h32")
UNIT_CHANGES = np.eye(9)[:NUM_ENTRIES].reshape(NUM_ENTRIES, 3, 3)


def basis(fit: Fit) -> Array:
    """Return the changes (8, 3, 3) by the entries, for a matrix that ends in one."""
    return fit.model[2, 2] * UNIT_CHANGES


def jacobian(fit: Fit, changes: Array) -> Array:
    """Derivatives (2 N, n) of the whitened Sampson residuals.

    The whitening itself is taken as constant: it changes by parts of the residuals.
    """
    return _whitened(fit, changes).reshape(-1, len(changes))


def residuals(fit: Fit) -> Array:
    """Return the whitened Sampson residuals (2, N)."""
    return _whitened(fit, fit.model[None])[:, :, 0]


def _whitened(fit: Fit, matrices: Array) -> Array:
    """Both constraints (2, N, n) of matrices (n, 3, 3), whitened as at the model."""
    H, (x, y, u, v) = fit.model, fit.points
    first = np.stack([x, y, np.ones_like(x)])
    p, q, w = np.tensordot(matrices, first, axes=1).transpose(1, 0, 2)  # (n, N) each
    g0, g1 = u * w - p, v * w - q
    depth = H[2] @ first
    a = u * H[2, 0] - H[0, 0], u * H[2, 1] - H[0, 1]
    b = v * H[2, 0] - H[1, 0], v * H[2, 1] - H[1, 1]
    # Cholesky factor of the 2x2 covariance of the two constraints; its determinant is
    # the sum of squared minors, which cancels nowhere.
    sq_a, sq_b = a[0] ** 2 + a[1] ** 2, b[0] ** 2 + b[1] ** 2
    minor, sq_depth = a[0] * b[1] - a[1] * b[0], depth**2
    length = np.sqrt(sq_a + sq_depth)
    mixed = (a[0] * b[0] + a[1] * b[1]) / length
    rest = np.sqrt(minor**2 + sq_depth * (sq_a + sq_b + sq_depth)) / length
    one = g0 / length
    return np.stack([one.T, ((g1 - mixed * one) / rest).T])


def coordinates(model: Array, changes: Array) -> Array:
    """Return changes (m, 3, 3) of a matrix in the entries of the one that ends in 1."""
    last = model[2, 2]
    scaled = changes / last - changes[:, 2:, 2:] * model / last**2
    return scaled.reshape(-1, 9)[:, :NUM_ENTRIES]


def offset(model: Array, other: Array, frame: Any) -> Array:
    """Return the differences (8,) of the entries."""
    entries = other / other[2, 2] - model / model[2, 2]
    return entries.ravel()[:NUM_ENTRIES]


def predict(model: Array, points: Array) -> tuple[Array, Array]:
    """Return mapped points (2, M), and their derivatives (2, M, 3, 3) by the entries.

    Points are (2, M).
    """
    first = np.vstack([points, np.ones(points.shape[1])])
    p, q, w = model @ first
    mapped = np.stack([p, q]) / w
    slopes = np.zeros((2, points.shape[1], 3, 3))
    slopes[0, :, 0] = slopes[1, :, 1] = (first / w).T
    slopes[:, :, 2] = -mapped[:, :, None] * (first / w).T
    return mapped, slopes


HOMOGRAPHY_PARAMETERS = Parametrisation(
    NAMES,
    basis,
    jacobian,
    residuals,
    offset,
    coordinates=coordinates,
    predict=predict,
)
