"""The last step: a fit whose scale comes from the core of the partition.

The partition is hard, and close to its edge it holds near misses that a least-squares
fit on all inliers follows.  The median of the inliers' residuals is not moved by them;
a redescending loss of that width over all points lets the inlier set change during the
fit.  Nothing here is a threshold: the width is read off the residuals each time.
"""

from __future__ import annotations

import numpy as np

from cvscore.ransac import Candidate, evaluate
from cvscore.types import Array, GeometricModel, Score

# Rounds of reweighting; the weights have settled by then.
MAX_ROUNDS = 5
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
    dim, num_params = model.residual_dim, model.num_params
    for _ in range(MAX_ROUNDS):
        q = candidate.sq_residuals
        inliers = score.inliers(q, dim, num_params)
        num_constraints = int(np.count_nonzero(inliers)) * dim
        if num_constraints <= num_params:
            break
        core = float(np.median(q[inliers])) / CHI_SQUARE_MEDIAN[dim]
        # A fit of n parameters shrinks the residuals; few inliers show it.
        core *= num_constraints / (num_constraints - num_params)
        if core <= 0.0:
            break
        weights = np.maximum(0.0, 1.0 - q / (CUT**2 * core)) ** 2
        candidate = evaluate(
            model.refit(candidate.model, points, weights), model, points, score
        )
    return candidate
