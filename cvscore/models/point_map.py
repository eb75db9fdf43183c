"""Linear maps ``x2 = A x1 + t`` of the plane or of space: what all of them share.

A model is the matrix ``[A | t]``, (D, D + 1) for points of D coordinates.

Residual.  A match satisfies the D constraints ``e = x2 - A x1 - t = 0``.  With noise of
one scale in both sets, ``e`` has the covariance ``M = I + A A'`` times its variance,
and ``e' M^-1 e`` is the squared distance from the match to the nearest one that
satisfies them.  The constraints are linear in the match, so this Sampson distance is
exact.  It treats both sets alike and has the squared unit of the points.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.types import Array, GeometricModel, ModelCounts, ModelKernels
from cvscore.types.parametrisation import Parametrisation

# Of refits that are in closed form.
EXACT = 0.0


def map_model(
    counts: ModelCounts,
    kernels: ModelKernels,
    parametrisation: Parametrisation,
    remake: Callable[[], GeometricModel],
) -> GeometricModel:
    """Return the record of a map from its counts and its compiled functions."""
    constants = kernels.constants

    def solve(points: Array, samples: NDArray[np.int64]) -> Array:
        return kernels.solve(points, samples, constants)

    def residuals(models: Array, points: Array) -> Array:
        return kernels.residuals(models, points, constants)

    def refit(model: Array, points: Array, weights: Array) -> Array:
        return kernels.refit(model, points, weights, EXACT, constants)

    return GeometricModel.of_counts(
        counts,
        solve=solve,
        residuals=residuals,
        refit=refit,
        kernels=kernels,
        parametrisation=parametrisation,
        remake=remake,
    )


@kernel
def map_residuals(models, points, _):
    """Squared Sampson residuals; never NaN.

    Parameters
    ----------
    models : (K, D, D + 1) array
        Maps ``[A | t]``, D = 2 or 3.
    points : (2 D, N) array
        Coordinates of the first set, then those of the second.

    Returns
    -------
    (K, N) array
        In the squared unit of ``points``.
    """
    sq_residuals = np.empty((models.shape[0], points.shape[1]))
    for k in range(models.shape[0]):
        if points.shape[0] == 4:
            _residuals_in_plane(models[k], points, sq_residuals[k])
        else:
            _residuals_in_space(models[k], points, sq_residuals[k])
    return sq_residuals


@kernel
def _residuals_in_plane(model, points, row):
    """Write the residuals (N,) of one map (2, 3)."""
    a, b, r = model[0, 0], model[0, 1], model[0, 2]
    c, d, s = model[1, 0], model[1, 1], model[1, 2]
    # Cholesky factor of M, and one over its diagonal: whitened constraints add up.
    first = 1.0 / math.sqrt(1.0 + a * a + b * b)
    mixed = (a * c + b * d) * first
    second = 1.0 / math.sqrt(1.0 + c * c + d * d - mixed * mixed)
    x1, y1, x2, y2 = points[0], points[1], points[2], points[3]
    for i in range(row.shape[0]):
        x, y = x1[i], y1[i]
        e0 = (x2[i] - (a * x + b * y + r)) * first
        e1 = (y2[i] - (c * x + d * y + s) - mixed * e0) * second
        q = e0 * e0 + e1 * e1
        row[i] = q if q >= 0.0 else np.inf


@kernel
def _residuals_in_space(model, points, row):
    """Write the residuals (N,) of one map (3, 4)."""
    a0, a1, a2, a3 = model[0, 0], model[0, 1], model[0, 2], model[0, 3]
    b0, b1, b2, b3 = model[1, 0], model[1, 1], model[1, 2], model[1, 3]
    c0, c1, c2, c3 = model[2, 0], model[2, 1], model[2, 2], model[2, 3]
    first = 1.0 / math.sqrt(1.0 + a0 * a0 + a1 * a1 + a2 * a2)
    m10 = (a0 * b0 + a1 * b1 + a2 * b2) * first
    m20 = (a0 * c0 + a1 * c1 + a2 * c2) * first
    second = 1.0 / math.sqrt(1.0 + b0 * b0 + b1 * b1 + b2 * b2 - m10 * m10)
    m21 = (b0 * c0 + b1 * c1 + b2 * c2 - m10 * m20) * second
    rest = 1.0 + c0 * c0 + c1 * c1 + c2 * c2 - m20 * m20 - m21 * m21
    third = 1.0 / math.sqrt(rest)
    x1, y1, z1 = points[0], points[1], points[2]
    x2, y2, z2 = points[3], points[4], points[5]
    for i in range(row.shape[0]):
        x, y, z = x1[i], y1[i], z1[i]
        e0 = (x2[i] - (a0 * x + a1 * y + a2 * z + a3)) * first
        e1 = (y2[i] - (b0 * x + b1 * y + b2 * z + b3) - m10 * e0) * second
        e2 = z2[i] - (c0 * x + c1 * y + c2 * z + c3)
        e2 = (e2 - m20 * e0 - m21 * e1) * third
        q = e0 * e0 + e1 * e1 + e2 * e2
        row[i] = q if q >= 0.0 else np.inf
