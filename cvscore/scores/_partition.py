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
    num = row.shape[0]
    values = np.empty((1, num))
    for i in range(num):
        values[0, i] = row[i] if row[i] >= 0.0 else np.inf  # NaN is as good as inf
    scores, prefixes = best_prefix(values, table, offset, borders, lowest_bin, -np.inf)
    k = prefixes[0]
    rss, largest, beyond = 0.0, -np.inf, np.inf
    if k > 0:
        _move_smallest_first(values[0], k)
    for i in range(k):
        rss += values[0, i]
        largest = max(largest, values[0, i])
    for i in range(k, num):
        beyond = min(beyond, values[0, i])
    return scores[0], k, rss, largest, beyond


@kernel
def _move_smallest_first(values, k):
    """Reorder values (N,) so that the first k are its k smallest (Hoare's selection).

    NumPy's partition does the same, but takes five seconds to compile.
    """
    target = k - 1
    low, high = 0, values.shape[0] - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while pivot < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if target <= j:
            high = j
        elif target >= i:
            low = i
        else:
            break
