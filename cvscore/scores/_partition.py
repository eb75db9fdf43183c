"""The best prefix of one row of residuals, and the numbers that describe it."""

from __future__ import annotations

import numpy as np

from cvscore._kernel import kernel
from cvscore._smallest import move_smallest_first
from cvscore.scores._prefix import best_prefix


@kernel
def best_partition(row, table, offset, borders, lowest_bin):
    """Split one row (N,) of squared residuals into inliers and outliers.

    The arguments after ``row`` are those of `best_prefix`.  Returns the score, the
    number k of inliers, their sum, the largest of them and the smallest outlier.
    """
    num = row.shape[0]
    values = np.empty((1, num))
    for i in range(num):
        values[0, i] = row[i] if row[i] >= 0.0 else np.inf  # NaN is as good as inf
    scores, prefixes = best_prefix(values, table, offset, borders, lowest_bin, -np.inf)
    k = prefixes[0]
    rss, largest, beyond = 0.0, -np.inf, np.inf
    if k > 0:
        move_smallest_first(values[0], k)
    for i in range(k):
        rss += values[0, i]
        largest = max(largest, values[0, i])
    for i in range(k, num):
        beyond = min(beyond, values[0, i])
    return scores[0], k, rss, largest, beyond
