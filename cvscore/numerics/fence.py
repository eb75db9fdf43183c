"""A fence around values: what is beyond it is too far out to belong to the others.

Any number of values below one half, at any distance, changes nothing about it but by
moving the median and the median absolute deviation within the rest.

Wild values that are near widen the fence, and are inside of it.  But a point has more
than one coordinate: one that is beyond the fence of any of them is left out of all, the
fences around the rest are narrower, and so on until they enclose all that are left.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.quickselect import move_smallest_first

# Median absolute deviations from the median.  Uniform values lie within two, normally
# distributed ones within six but for one of 19,000.  With four, the matches around
# something small that has most of them were beyond it, and F lost 7 points of AUC.
FENCE = 6.0


@kernel
def fence_around(values):
    """Return between which two all values (N,) count, N > 0; they are reordered.

    Infinitely far where all of them do.
    """
    return fence_at(values, FENCE)


@kernel
def fence_at(values, reach):
    """Return the same for a fence at so many deviations from the median."""
    half, middle = values.shape[0] // 2, (values.shape[0] - 1) // 2
    move_smallest_first(values, middle + 1)
    median = values[middle]
    farthest = 0.0
    for i in range(values.shape[0]):
        farthest = max(farthest, abs(values[i] - median))
    # To count is ten times faster than to find the deviation, and mostly enough.
    near, num_near = farthest / reach, 0
    for i in range(values.shape[0]):
        num_near += abs(values[i] - median) < near
    if num_near > half:
        deviations = np.abs(values - median)
        move_smallest_first(deviations, half + 1)
        distance = reach * deviations[half]
        if distance > 0.0:  # else most are the same: no scale to tell the others by
            return median - distance, median + distance
    return -np.inf, np.inf


@kernel
def within_fences(points, share):
    """Return those of points (D, N), N > 0, that are within the fence of each row.

    Fences are put up again around those that are left, until no more than a share of
    them is beyond one: these stay.  Each row comes in an order of its own, its (lower)
    median in its place and the smaller ones before it.

    Also returns whether it came to that: not where less than half of the points would
    be left, for no more than half are wild.
    """
    kept, least = points, points.shape[1] // 2
    while True:
        num = kept.shape[1]
        ordered, inside = kept.copy(), np.ones(num, dtype=np.bool_)
        for row in range(kept.shape[0]):
            low, high = fence_around(ordered[row])
            if low > -np.inf:
                for i in range(num):
                    inside[i] &= low <= kept[row, i] <= high
        num_inside = np.sum(inside)
        if num - num_inside <= int(share * (num - 1)):
            return ordered, True
        if num_inside <= least:
            return ordered, False
        kept = kept[:, inside]


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
