"""Linear fits to many matches: the normalised DLT for H, the eight-point method for F.

They minimise an algebraic error, so they serve as starts where no better one exists.
Each image is moved to its weighted centroid and scaled to unit spread, without which
the columns of the system differ by orders of magnitude and the algebraic error means
nothing.
"""

from __future__ import annotations

import numpy as np

from cvscore.types import Array


def homography_dlt(points: Array, weights: Array) -> Array:
    """Weighted direct linear transform, oriented and of unit norm.

    Parameters
    ----------
    points : (4, N) array
        Rows ``x1, y1, x2, y2``; at least four with a positive weight.
    weights : (N,) array

    Returns
    -------
    (3, 3) array
        The side of the horizon with the larger total weight is the visible one.
    """
    x1, to_unit1 = _to_unit_spread(points[:2], weights)
    x2, to_unit2 = _to_unit_spread(points[2:], weights)
    zeros = np.zeros_like(x1)
    rows = np.concatenate(
        [np.vstack([x1, zeros, -x2[0] * x1]), np.vstack([zeros, x1, -x2[1] * x1])],
        axis=1,
    )
    unit_model = _null_vector(rows, np.concatenate([weights, weights])).reshape(3, 3)
    model = np.linalg.solve(to_unit2, unit_model @ to_unit1)
    w = model[2, :2] @ points[:2] + model[2, 2]
    return model / np.copysign(np.linalg.norm(model), np.sign(w) @ weights)


def fundamental_8pt(points: Array, weights: Array) -> Array:
    """Weighted eight-point method, of rank two and unit norm.

    Parameters
    ----------
    points : (4, N) array
        Rows ``x1, y1, x2, y2``; at least eight with a positive weight.
    weights : (N,) array

    Returns
    -------
    (3, 3) array
    """
    x1, to_unit1 = _to_unit_spread(points[:2], weights)
    x2, to_unit2 = _to_unit_spread(points[2:], weights)
    rows = (x2[:, None, :] * x1[None, :, :]).reshape(9, -1)
    unit_model = _null_vector(rows, weights).reshape(3, 3)
    left, singular, right = np.linalg.svd(unit_model)
    unit_model = (left[:, :2] * singular[:2]) @ right[:2]
    model = to_unit2.T @ unit_model @ to_unit1
    return model / np.linalg.norm(model)


def _to_unit_spread(points: Array, weights: Array) -> tuple[Array, Array]:
    """Map points to weighted mean 0 and variance 1: homogeneous (3, N), the map."""
    total = weights.sum()
    mean = points @ weights / total
    centred = points - mean[:, None]
    variance = float((centred**2).sum(axis=0) @ weights / (2 * total))
    scale = 1.0 / np.sqrt(variance) if variance > 0.0 else 1.0
    transform = np.diag([scale, scale, 1.0])
    transform[:2, 2] = -scale * mean
    return np.vstack([scale * centred, np.ones(points.shape[1])]), transform


def _null_vector(rows: Array, weights: Array) -> Array:
    """Minimise the weighted sum of ``(rows' vector)^2``, rows (9, M), on the sphere."""
    # Forming the products squares the condition number.  A start can afford that, and
    # it takes a tenth of the time of a decomposition of the whole.
    return np.linalg.eigh((rows * weights) @ rows.T)[1][:, 0]
