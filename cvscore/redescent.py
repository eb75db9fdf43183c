"""A fit whose loss redescends: what is far from the core of the inliers has no say."""

from __future__ import annotations

import numpy as np

from cvscore._kernel import kernel
from cvscore._operations import (
    call_assess,
    call_inliers,
    call_refit,
    call_residuals,
)
from cvscore._smallest import move_smallest_first

MAX_ROUNDS = 5
# Rounds end when the core scale has settled to this relative change of its square.
SETTLED = 0.01
# Median of a chi-square variable with 1 and 2 degrees of freedom: what turns the median
# of squared residuals into a variance.
CHI_SQUARE_MEDIANS = (np.nan, 0.45493642311957305, 1.3862943611198906)


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
        See `cvscore._operations`.
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
    """Return the variance that the median of the inliers tells, 0 without inliers.

    Reorders the squared residuals ``inlying``.
    """
    num_constraints = inlying.shape[0] * dim
    if num_constraints <= num_params:
        return 0.0
    middle = inlying.shape[0] // 2
    move_smallest_first(inlying, middle + 1)
    # A fit of n parameters shrinks the residuals; few inliers show it.
    shrinkage = (num_constraints - num_params) / num_constraints
    return inlying[middle] / (CHI_SQUARE_MEDIANS[dim] * shrinkage)
