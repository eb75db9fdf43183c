"""A fit whose loss redescends: what is far from the core of the inliers has no say."""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore._numba.bound import (
    call_assess,
    call_inliers,
    call_refit,
    call_residuals,
)
from cvscore.numerics.quickselect import move_smallest_first

MAX_ROUNDS = 5
# Rounds end when the core scale has settled to this relative change of its square.
SETTLED = 0.01
# Which part of the inliers is their core, for 1 and 2 constraints: its largest residual
# tells their scale.  Near misses of a homography miss in two directions, so that those
# among its inliers are spread wider than its right matches and few are in the core,
# even where they are the most.  Those of an epipolar line miss it in one, and a smaller
# core only tells the scale less surely.
CORES = (np.nan, 0.5, 0.15)
# The square below which such a part of standard normal residuals is: quantiles of chi
# square with 1 and 2 degrees of freedom.
CHI_SQUARE_CORES = (np.nan, 0.45493642311957305, 0.32503785899555)


@kernel
def redescend(
    functions,
    constants,
    model,
    sq_residuals,
    points,
    dim,
    num_params,
    sq_cut,
    converged,
):
    """Return a model refitted with Tukey's biweight, its residuals and its score.

    Parameters
    ----------
    functions, constants : tuple
        See `cvscore._numba.bound`.
    model, sq_residuals
        Where it begins.
    points : (..., N) array
    dim, num_params : int
        Constraints per point, and parameters of the model.
    sq_cut : float
        Squared residuals beyond this many core variances have no say.
    converged : float
        Each refit ends at a step that promises less than this fraction of its cost.
    """
    settled_at = 0.0
    for _ in range(MAX_ROUNDS):
        are_inliers = call_inliers(functions, (sq_residuals, constants[1]))
        core = core_variance(sq_residuals[are_inliers], dim, num_params)
        if core <= 0.0 or abs(core - settled_at) <= SETTLED * core:
            break
        settled_at = core
        weights = np.maximum(0.0, 1.0 - sq_residuals / (sq_cut * core)) ** 2
        model = call_refit(functions, (model, points, weights, converged, constants[0]))
        sq_residuals = call_residuals(
            functions, (model.reshape((1, *model.shape)), points, constants[0])
        )[0]
    score, _ = call_assess(functions, (sq_residuals, constants[1]))
    return model, sq_residuals, score


@kernel
def core_variance(inlying, dim, num_params):
    """Return the variance that the core of the inliers tells, 0 without inliers.

    Reorders the squared residuals ``inlying``.
    """
    num_constraints = inlying.shape[0] * dim
    if num_constraints <= num_params:
        return 0.0
    last = int(CORES[dim] * inlying.shape[0])
    move_smallest_first(inlying, last + 1)
    # A fit of n parameters shrinks the residuals; few inliers show it.
    shrinkage = (num_constraints - num_params) / num_constraints
    return inlying[last] / (CHI_SQUARE_CORES[dim] * shrinkage)
