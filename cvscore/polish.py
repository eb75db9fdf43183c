"""The last step: a fit whose scale comes from the core of the partition.

The partition is hard, and close to its edge it holds near misses that a least-squares
fit on all inliers follows.  The median of the inliers' residuals is not moved by them;
a redescending loss of that width over all points lets the inlier set change during the
fit.  Nothing here is a threshold: the width is read off the residuals each time.
"""

from __future__ import annotations

import numpy as np

from cvscore.ransac import Candidate
from cvscore.types import Array, GeometricModel, Score

MAX_ROUNDS = 5
# Rounds end when the core scale has settled to this relative change of its square.
SETTLED = 0.01
# Median of a chi-square variable with 1 and 2 degrees of freedom: what turns the median
# of squared residuals into a variance.
CHI_SQUARE_MEDIAN = {1: 0.45493642311957305, 2: 1.3862943611198906}
# Residuals beyond this many core scales have no say: Tukey's biweight at the constant
# that keeps 95 % of the efficiency of least squares on clean Gaussian data.
CUT = 4.685


def polish(
    candidate: Candidate, model: GeometricModel, points: Array, score: Score
) -> Candidate:
    """Refit with redescending weights at the scale of the inliers' core."""
    one, sq_residuals = candidate.model, candidate.sq_residuals
    settled_at = 0.0
    for _ in range(MAX_ROUNDS):
        core = _core_variance(sq_residuals, model, score)
        if core <= 0.0 or abs(core - settled_at) <= SETTLED * core:
            break
        settled_at = core
        weights = np.maximum(0.0, 1.0 - sq_residuals / (CUT**2 * core)) ** 2
        one = model.refit(one, points, weights)
        sq_residuals = model.residuals(one[None], points)[0]
    polished, _ = score.assess(sq_residuals, model.residual_dim, model.num_params)
    return Candidate(one, sq_residuals, polished)


def _core_variance(sq_residuals: Array, model: GeometricModel, score: Score) -> float:
    """Return the variance that the median of the inliers tells, 0 without inliers."""
    dim, num_params = model.residual_dim, model.num_params
    inlying = sq_residuals[score.inliers(sq_residuals, dim, num_params)]
    num_constraints = inlying.size * dim
    if num_constraints <= num_params:
        return 0.0
    middle = inlying.size // 2
    median = float(np.partition(inlying, middle)[middle])
    # A fit of n parameters shrinks the residuals; few inliers show it.
    shrinkage = (num_constraints - num_params) / num_constraints
    return median / (CHI_SQUARE_MEDIAN[dim] * shrinkage)
