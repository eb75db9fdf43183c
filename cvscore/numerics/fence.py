"""A fence around values: what is beyond it is too far out to belong to the others.

Any number of values below one half, at any distance, changes nothing about it but by
moving the median and the median absolute deviation within the rest.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.quickselect import move_smallest_first

# Median absolute deviations from the median.  Uniform values lie within two, normally
# distributed ones within four but for one of 15,000.
FENCE = 6.0


@kernel
def fence_around(values):
    """Return between which two all values (N,) count, N > 0; they are reordered.

    Infinitely far where all of them do.
    """
    half, middle = values.shape[0] // 2, (values.shape[0] - 1) // 2
    move_smallest_first(values, middle + 1)
    median = values[middle]
    farthest = 0.0
    for i in range(values.shape[0]):
        farthest = max(farthest, abs(values[i] - median))
    # To count is ten times faster than to find the deviation, and mostly enough.
    near, num_near = farthest / FENCE, 0
    for i in range(values.shape[0]):
        num_near += abs(values[i] - median) < near
    if num_near > half:
        deviations = np.abs(values - median)
        move_smallest_first(deviations, half + 1)
        reach = FENCE * deviations[half]
        if reach > 0.0:  # else most are the same: no scale to tell the others by
            return median - reach, median + reach
    return -np.inf, np.inf


@kernel
def within_fence(values):
    """Return a copy of the values (N,) within their fence.

    Where all are, their (lower) median is in its place and the smaller ones before it.
    """
    kept = values.copy()
    low, high = fence_around(kept)
    if low == -np.inf:
        return kept
    return kept[(kept >= low) & (kept <= high)]
