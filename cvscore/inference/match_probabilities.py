"""How likely each match is right, once there is a model.

By its residual, from the mixture of right and wrong matches that the residuals of this
pair show (`cvscore.inference.residual_mixture`).  It begins at the core of the inliers,
which the score has chosen; but where near misses outnumber right matches the score
takes both for inliers, and the right ones are a narrower group among them
(`cvscore.inference.narrower_group`).  How likely there is one is known too, and the
probability of a match is the mean of what it is with and without.

`python -m benchmarks probabilities` counts how often matches of a probability are
right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.inference.narrower_group import find_narrower_group
from cvscore.inference.null_density import TINY
from cvscore.inference.residual_mixture import expected, fit_residuals
from cvscore.ransac.irls import core_variance
from cvscore.types import Array, Mask

# Of the scale of right matches over that of the inliers' core, which is some percent
# less as it is cut off.  What is wider is not what the score has chosen.
MAX_OVER_CORE = 1.5
# Scale of near misses, in half-widths of the score.  Wrong matches are spread over that
# width; what has a smaller scale is noise, whose scale may differ from match to match.
# Chosen on validation problems.
NEAREST_MISS = 0.05
# Of a narrower group: a smaller probability changes nothing.
NEGLIGIBLE = 1e-3


@dataclass(frozen=True)
class MatchProbabilities:
    """Residuals; called, how likely matches are right by these alone, (N,).

    It can be pickled, as what an `Estimate` keeps must be.

    Attributes
    ----------
    rows : (N,) array
        Residuals of the matches that are asked for; infinite ones are wrong.
    residuals : (M,) array
        Those of distinct matches, which tell the mixture.
    inliers : (M,) bool array
        Where it begins.
    dim, num_params : int
        Constraints per match, and parameters fitted to the inliers.
    half_width : float
        Of the band that the score takes wrong matches to be spread over; infinite for
        scores without one.
    precision : float
        Rounding error of a residual: no noise is smaller.
    """

    rows: Array
    residuals: Array
    inliers: Mask
    dim: int
    num_params: int
    half_width: float
    precision: float

    def __call__(self) -> Array:
        """Fit the mixture and return the probabilities."""
        finite = np.isfinite(self.residuals)
        found: Array = _match_probabilities(
            self.rows**2,
            self.residuals[finite] ** 2,
            self.inliers[finite],
            self.dim,
            self.num_params,
            float(self.half_width),
            self.precision**2,
        )
        return found


@kernel
def _match_probabilities(
    rows, sq_residuals, inliers, dim, num_params, half_width, least
):
    least = max(least, TINY)
    nearest = NEAREST_MISS * half_width
    core = max(core_variance(sq_residuals[inliers], dim, num_params), least)
    given, num_inliers = (sq_residuals, dim, num_params), float(inliers.sum())
    mixture = fit_residuals(*given, core, num_inliers, least, MAX_OVER_CORE**2 * core)
    right = expected(mixture, rows, dim)[0]
    group, belief = find_narrower_group(mixture, *given, nearest * nearest, least)
    if belief > NEGLIGIBLE:
        variance = group.variance
        mixture = fit_residuals(*given, variance, group.num_right, variance, variance)
        right += belief * (expected(mixture, rows, dim)[0] - right)
    return right
