"""The last step: a fit whose scale comes from the core of the partition.

The partition is hard, and close to its edge it holds near misses that a least-squares
fit on all inliers follows.  The median of the inliers' residuals is not moved by them;
a redescending loss of that width over all points lets the inlier set change during the
fit.  Nothing here is a threshold: the width is read off the residuals each time.
"""

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
from cvscore.objective import CONVERGED, Candidate, Objective

MAX_ROUNDS = 5
# Rounds end when the core scale has settled to this relative change of its square.
SETTLED = 0.01
# Median of a chi-square variable with 1 and 2 degrees of freedom: what turns the median
# of squared residuals into a variance.
CHI_SQUARE_MEDIANS = (np.nan, 0.45493642311957305, 1.3862943611198906)
# Residuals beyond this many core scales have no say: Tukey's biweight at the constant
# that keeps 95 % of the efficiency of least squares on clean Gaussian data.
CUT = 4.685


def polish(
    objective: Objective, candidate: Candidate, widening: float = 1.0
) -> Candidate:
    """Refit with redescending weights at the scale of the inliers' core.

    ``widening`` multiplies the width, for residuals that are not independent.
    """
    model = objective.model
    return Candidate(
        *objective.run(
            _polish,
            candidate.model,
            candidate.sq_residuals,
            objective.points,
            model.residual_dim,
            model.num_params,
            (CUT * widening) ** 2,
        )
    )


@kernel
def _polish(functions, constants, model, sq_residuals, points, dim, num_params, sq_cut):
    """Return the polished model, its residuals and its score."""
    settled_at = 0.0
    for _ in range(MAX_ROUNDS):
        are_inliers = call_inliers(functions, (sq_residuals, constants[1]))
        core = _core_variance(sq_residuals[are_inliers], dim, num_params)
        if core <= 0.0 or abs(core - settled_at) <= SETTLED * core:
            break
        settled_at = core
        weights = np.maximum(0.0, 1.0 - sq_residuals / (sq_cut * core)) ** 2
        model = call_refit(functions, (model, points, weights, CONVERGED, constants[0]))
        sq_residuals = call_residuals(
            functions, (model.reshape((1, *model.shape)), points, constants[0])
        )[0]
    score, _ = call_assess(functions, (sq_residuals, constants[1]))
    return model, sq_residuals, score


@kernel
def _core_variance(inlying, dim, num_params):
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
