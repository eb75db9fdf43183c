"""All of S(k) but the residuals: what a row of N of them is scored with.

The score is ``terms[k] - shapes[k] log(RSS_k / 2 + offset)``: `cvscore.scores.marginal`
says where it comes from, `cvscore.scores.best_prefix` what is made of it.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.scores.label_prior import log_probability

LOG_TWO_PI = math.log(2.0 * math.pi)


@kernel
def write_table(dim, num_params, alpha, log_width, label_a, label_b, table):
    """Write terms and shapes for k = 0..N into ``table`` (N + 1, 2).

    ``label_a`` and ``label_b`` are those of `BetaPrior`, both 0 without one.
    """
    num_points = table.shape[0] - 1
    has_labels = label_a > 0.0
    for k in range(num_points + 1):
        nu = k * dim - num_params
        table[k, 1] = 0.5 * nu + alpha
        table[k, 0] = -np.inf
        if nu > 0:
            table[k, 0] = (
                math.lgamma(table[k, 1])
                - 0.5 * nu * LOG_TWO_PI
                - (num_points - k) * dim * log_width
            )
            if has_labels:
                table[k, 0] += log_probability(k, num_points, label_a, label_b)
