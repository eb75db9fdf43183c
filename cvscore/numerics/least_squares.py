"""What the refits share: dropping unweighted points, and the Levenberg-Marquardt step.

The loop itself is in each model: a compiled function cannot take the model's functions
as arguments and stay in the cache.  Kernels here and in the solvers spell out loops
over 3x3 matrices: array expressions and slices take many times longer to compile.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.linalg import solve_positive_definite

# Gauss-Newton from a RANSAC model converges in three to six steps; what has not after
# this many is crawling along a valley that the data do not determine.
MAX_REFIT_STEPS = 20
# Small enough not to slow the first step, large enough to bound a rank-deficient one.
INITIAL_DAMPING = 1e-6
MAX_DAMPING = 1e6
DAMPING_FACTOR = 10.0
# A step that promises less than this fraction of the cost moves every parameter by less
# than a thousandth of its standard deviation, for up to a million matches.
REFIT_CONVERGED = 1e-12
# A squared residual of this size is rounding in coordinates of order one.
ROUNDING = 1e-31


@kernel
def drop_unweighted(points, weights):
    """Return the points (D, M) of positive weight, and their weights (M,)."""
    kept = np.empty(weights.shape[0], dtype=np.int64)
    num_kept = 0
    for i in range(weights.shape[0]):
        # Without a branch, which random weights would mispredict half of the time; the
        # index of a dropped point is overwritten by the next one.
        kept[num_kept] = i
        num_kept += weights[i] > 0.0
    kept_points = np.empty((points.shape[0], num_kept))
    kept_weights = np.empty(num_kept)
    for row in range(points.shape[0]):
        for j in range(num_kept):
            kept_points[row, j] = points[row, kept[j]]
    for j in range(num_kept):
        kept_weights[j] = weights[kept[j]]
    return kept_points, kept_weights


@kernel
def damped_step(normal, gauge, damping, step):
    """Take a Levenberg-Marquardt step in ``n`` parameters, of which one is idle.

    Parameters
    ----------
    normal : (n + 1, n + 1) array
        Gauss-Newton matrix, with half the gradient as last column.
    gauge : (n,) array
        Unit vector along which the cost does not change: a null vector of the matrix,
        orthogonal to the gradient.  Its outer product, added to the matrix, makes that
        positive definite and leaves the step in all other directions as it is.
    damping : float
        Fraction of its diagonal that is added to the matrix.
    step : (n,) array
        Written.

    Returns
    -------
    float
        The decrease of the cost that a linear model promises (at least); 0 if the
        matrix cannot be factorised.
    """
    size = step.shape[0]
    matrix = np.empty((size, size))
    trace = 0.0
    for i in range(size):
        trace += normal[i, i]
    for i in range(size):
        for j in range(i + 1):
            matrix[i, j] = normal[i, j] + trace * gauge[i] * gauge[j]
        matrix[i, i] += damping * normal[i, i]
    descent = np.empty(size)
    for i in range(size):
        descent[i] = -normal[i, size]
    if not solve_positive_definite(matrix, descent, step):
        return 0.0
    promise = 0.0
    for i in range(size):
        promise += descent[i] * step[i]
    return promise
