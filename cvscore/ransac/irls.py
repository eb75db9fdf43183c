"""The last fit: iteratively reweighted least squares at the scale of the core.

The partition into inliers and outliers is hard, and close to its edge it holds near
misses that a least-squares fit on all inliers follows.  The smaller of the inliers'
residuals are hardly moved by them; a redescending loss of that width over all points
(Tukey's biweight) lets the inlier set change during the fit.  Nothing here is a
threshold: the width is read off the residuals.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.bound import bound_kernel, call_assess, call_inliers
from cvscore._numba.compile import kernel
from cvscore.numerics.quickselect import move_smallest_first
from cvscore.ransac.local_optimization import CONVERGED
from cvscore.ransac.objective import Candidate, Objective, refit, residuals_of

# Residuals beyond this many core scales have no weight: Tukey's biweight at the
# constant that keeps 95 % of the efficiency of least squares on clean Gaussian data.
CUT = 4.685
MAX_IRLS_ROUNDS = 5
# Rounds end when the core scale has settled to this relative change of its square.
SETTLED_VARIANCE = 0.01
# Which part of the inliers is their core, for 0, 1, 2 ... constraints: its largest
# residual tells their scale.  Near misses of a homography miss in two directions, so
# that those among its inliers are spread wider than its right matches and few are in
# the core, even where they are the most.  Those of an epipolar line miss it in one, and
# a smaller core only tells the scale less surely.
CORE_SHARES = (np.nan, 0.5, 0.15, 0.15, 0.15, 0.15, 0.15)
# The square below which such a part of standard normal residuals is: quantiles of chi
# square with so many degrees of freedom.
CORE_QUANTILES = (
    np.nan,
    0.45493642311957305,
    0.32503785899555,
    0.7977714442447221,
    1.366477226141881,
    1.9938163464530485,
    2.661273176146905,
)


def polish(objective: Objective, candidate: Candidate) -> tuple[Objective, Candidate]:
    """Refit with Tukey's weights at the scale of the inliers' core (a step)."""
    return objective, objective.run(polished, candidate)


@bound_kernel
def polished(objective, candidate):
    """Return a candidate refitted with Tukey's biweight, itself where that fails."""
    refitted = irls(objective, candidate)
    # A refit may leave too few points where the model sees them to have a score.
    return refitted if refitted.score > -np.inf else candidate


@bound_kernel
def irls(objective, candidate):
    """Return a candidate refitted with Tukey's biweight."""
    dim, num_params = objective.model.residual_dim, objective.model.num_params
    model, sq_residuals, _ = candidate
    settled_at = 0.0
    for _ in range(MAX_IRLS_ROUNDS):
        are_inliers = call_inliers(objective.score, sq_residuals)
        core = core_variance(sq_residuals[are_inliers], dim, num_params)
        if core <= 0.0 or abs(core - settled_at) <= SETTLED_VARIANCE * core:
            break
        settled_at = core
        weights = np.maximum(0.0, 1.0 - sq_residuals / (CUT**2 * core)) ** 2
        model = refit(objective, model, weights, CONVERGED)
        sq_residuals = residuals_of(objective, model)
    score, _ = call_assess(objective.score, sq_residuals)
    return Candidate(model, sq_residuals, score)


@kernel
def core_variance(inlying, dim, num_params):
    """Return the variance that the core of the inliers tells, 0 without inliers.

    Reorders the squared residuals ``inlying``.
    """
    num_constraints = inlying.shape[0] * dim
    if num_constraints <= num_params:
        return 0.0
    last = int(CORE_SHARES[dim] * inlying.shape[0])
    move_smallest_first(inlying, last + 1)
    # A fit of n parameters shrinks the residuals; few inliers show it.
    shrinkage = (num_constraints - num_params) / num_constraints
    return inlying[last] / (CORE_QUANTILES[dim] * shrinkage)
