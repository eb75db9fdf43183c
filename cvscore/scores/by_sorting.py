"""The best prefix of each row of residuals by its definition: sort, add up, compare.

What `cvscore.scores.best_prefix` finds without sorting; tests hold the two to each other.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import kernel


@kernel
def best_prefix_by_sorting(
    sq_residuals, dim, num_params, alpha, offset, log_width, label_terms
):
    """Sort, add up, evaluate every prefix.  (K, N) -> (K,) scores, (K,) prefixes."""
    num_models, num_points = sq_residuals.shape
    scores = np.full(num_models, -np.inf)
    prefixes = np.zeros(num_models, dtype=np.int64)
    for row in range(num_models):
        rate = offset
        ordered = np.sort(sq_residuals[row])
        for k in range(1, num_points + 1):
            rate += 0.5 * ordered[k - 1]
            nu = k * dim - num_params
            if nu <= 0:
                continue
            shape = 0.5 * nu + alpha
            score = (
                math.lgamma(shape)
                - shape * math.log(rate)
                - 0.5 * nu * math.log(2.0 * math.pi)
                - (num_points - k) * dim * log_width
                + label_terms[k]
            )
            if score > scores[row]:
                scores[row] = score
                prefixes[row] = k
    return scores, prefixes
