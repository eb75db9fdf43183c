"""The best prefix of one row of residuals, and the numbers that describe it."""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.scores.best_prefix import best_prefix


@kernel
def best_partition(row, table, offset, borders, lowest_bin):
    """Split one row (N,) of squared residuals into inliers and outliers.

    The arguments after ``row`` are those of `best_prefix`.  Returns the score, the
    number k of inliers, their sum, the largest of them and the smallest outlier.
    """
    scores, prefixes, cuts = best_prefix(
        row.reshape((1, row.shape[0])), table, offset, borders, lowest_bin, -np.inf
    )
    k, cut = prefixes[0], cuts[0]
    num_below = 0
    rss, largest, beyond = 0.0, -np.inf, np.inf
    for i in range(row.shape[0]):
        # Without a branch to mispredict.  NaN is below nothing, and beyond nothing.
        is_below = row[i] < cut
        num_below += is_below
        rss += row[i] if is_below else 0.0
        largest = max(largest, row[i] if is_below else -np.inf)
        beyond = min(beyond, row[i] if row[i] >= cut else np.inf)
    # A run of equal residuals at the end of the prefix may go on beyond it.
    rss -= (num_below - k) * largest if num_below > k else 0.0
    return scores[0], k, rss, largest, beyond
