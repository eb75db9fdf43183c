"""The best prefix of one row of residuals, and the numbers that describe it."""

from __future__ import annotations

import numpy as np

from cvscore._kernel import kernel
from cvscore.scores._prefix import best_prefix


@kernel
def best_partition(row, table, offset, borders, lowest_bin):
    """Split one row (N,) of squared residuals into inliers and outliers.

    The arguments after ``row`` are those of `best_prefix`.  Returns the score, the
    number k of inliers, their sum, the largest of them and the smallest outlier.
    """
    values = np.empty((1, row.shape[0]))
    for i in range(row.shape[0]):
        values[0, i] = np.inf if np.isnan(row[i]) else row[i]
    scores, prefixes = best_prefix(values, table, offset, borders, lowest_bin, -np.inf)
    k = prefixes[0]
    if k == 0:
        return scores[0], k, 0.0, -np.inf, np.inf
    parted = np.partition(values[0], k - 1)
    rss, largest, next_larger = 0.0, -np.inf, np.inf
    for i in range(k):
        rss += parted[i]
        largest = max(largest, parted[i])
    for i in range(k, parted.shape[0]):
        next_larger = min(next_larger, parted[i])
    return scores[0], k, rss, largest, next_larger
