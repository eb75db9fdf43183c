"""The region of the scene: without wild matches that are beside the images.

These are too near for the fence of a `Region`, and may widen it three times.  A fence
that is narrow enough to leave them out also leaves out the matches around something
small that has most of them.  But those are of the scene: where they are in one image
tells, for the right ones, where they are in the other.  The places of wild ones have
nothing to do with each other.  So what is beyond a narrow fence is left out, unless its
places are correlated.

It counts for the extent alone, which says how far residuals of wrong matches spread.
Frames and grids are to hold all that is near.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.data.deduplication import bounds_of
from cvscore.data.normalization import LOW_QUANTILE, Region, find_region, place_of
from cvscore.numerics.fence import fence_at
from cvscore.types import Array

# Median absolute deviations: uniform values lie within two, and with few of them their
# median is not known better than this.  With three, nearly half of all matches within a
# quarter of the width around stayed inside.
NARROW_FENCE = 2.5
# The mean square of the correlations between coordinates of two sets from which on
# places are correlated: that of matches of which a sixth is right, or of 80 that are
# all wild.
LEAST_CORRELATION = 0.0125
# Matches that are looked at, at the most: of more the fences are hardly better, and
# with 500 a fifth of them, all wild, may seem to be correlated.
MAX_LOOKED_AT = 1000


def scene_of(points: Array, dims: tuple[int, ...]) -> Region:
    """Return the region of the scene of points (D, N), of so many rows in each set."""
    packed = np.ascontiguousarray(points)
    return Region(*find_scene(packed, bounds_of(dims), find_region(packed)))


@brief_kernel
def find_scene(points, bounds, region):
    """Return the `Region` of the scene of finite points (D, N), a part of theirs.

    ``bounds`` say where the rows of each set begin: of one set alone there is nothing
    to tell.
    """
    if bounds.shape[0] < 3 or points.shape[1] == 0:
        return region
    stride = -(-points.shape[1] // MAX_LOOKED_AT)
    some = points[:, ::stride].copy()
    num_rows, num = some.shape
    least, kept, is_kept = num // 2, some, np.ones(num, dtype=np.bool_)
    while True:
        inside = _within_narrow_fences(kept)
        num_kept, num_inside = kept.shape[1], np.sum(inside)
        few = int(LOW_QUANTILE * (num_kept - 1))  # these are not among the quantiles
        if num_kept - num_inside <= few or num_inside <= least:
            break
        kept = kept[:, inside]
        _keep(inside, is_kept)
        if _are_correlated(some, is_kept, bounds[1], region):
            return region
    if kept.shape[1] == num:
        return region
    centre, spreads = np.empty(num_rows), np.empty(num_rows)
    for row in range(num_rows):
        centre[row], spread = place_of(kept[row].copy())
        spreads[row] = min(spread, region.spreads[row])
    return Region(centre, spreads)


@kernel
def _within_narrow_fences(points):
    """Whether each of points (D, N) is within the narrow fences of all rows."""
    inside = np.ones(points.shape[1], dtype=np.bool_)
    for row in range(points.shape[0]):
        low, high = fence_at(points[row].copy(), NARROW_FENCE)
        if low > -np.inf:
            for i in range(points.shape[1]):
                inside[i] &= low <= points[row, i] <= high
    return inside


@kernel
def _keep(inside, is_kept):
    """Keep, of those (N,) that are kept, those that are inside, in their order."""
    num = 0
    for i in range(is_kept.shape[0]):
        if is_kept[i]:
            is_kept[i] = inside[num]
            num += 1


@kernel
def _are_correlated(points, is_kept, num_first, region):
    """Whether the first rows of those of (D, N) not kept tell where the others are.

    Points count as no farther from the centre than the spread of a coordinate: they
    may be at any distance.
    """
    num_rows, num = points.shape
    place, sums, num_beyond = np.empty(num_rows), np.zeros(num_rows), 0
    products = np.zeros((num_rows, num_rows))
    for i in range(num):
        if is_kept[i]:
            continue
        num_beyond += 1
        for row in range(num_rows):
            away, spread = points[row, i] - region.centre[row], region.spreads[row]
            place[row] = min(max(away, -spread), spread) / (spread or 1.0)
            sums[row] += place[row]
            for other in range(row + 1):
                products[row, other] += place[row] * place[other]
    for row in range(num_rows):
        for other in range(row + 1):
            products[row, other] -= sums[row] * sums[other] / num_beyond
    total = 0.0
    for row in range(num_first, num_rows):
        for other in range(num_first):
            scale = products[row, row] * products[other, other]
            if scale > 0.0:
                total += products[row, other] ** 2 / scale
    return total > LEAST_CORRELATION * num_first * (num_rows - num_first)
