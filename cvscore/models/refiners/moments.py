"""Weighted centre and scatter of matches: all that closed-form fits of maps need."""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel, reordering_kernel


@kernel
def weighted_moments(points, weights, centre, scatter):
    """Write the weighted mean (D,) and scatter (D, D) of points (D, N).

    Returns how many points have a weight; without any, nothing is written.
    """
    num_rows, num_weighted, total = points.shape[0], 0, 0.0
    for i in range(weights.shape[0]):
        num_weighted += weights[i] > 0.0
        total += weights[i]
    if num_weighted == 0:
        return 0
    about, weighted = np.empty(points.shape), np.empty(weights.shape[0])
    for row in range(num_rows):
        centre[row] = _product_sum(points[row], weights) / total
        for i in range(weights.shape[0]):
            about[row, i] = points[row, i] - centre[row]
    for row in range(num_rows):
        for i in range(weights.shape[0]):
            weighted[i] = weights[i] * about[row, i]
        for column in range(row + 1):
            scatter[row, column] = _product_sum(weighted, about[column])
            scatter[column, row] = scatter[row, column]
    return num_weighted


@reordering_kernel
def _product_sum(a, b):
    """Return the sum of the products of two rows."""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total
