"""Matches by chance: the same points, matched anew at random.

If matches are random, any point of one set might as well have been matched to any point
of the other.  So re-drawn matches show what a model explains by chance, whatever the
points are like: clustered, on lines, in images of any size and unit.  Points of a
single set have nothing to be matched to; their coordinates are exchanged instead, which
keeps the density along each axis and undoes what ties the axes together.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import brief_kernel
from cvscore.numerics.random_numbers import generator, shuffled, write_distinct
from cvscore.types import Array

# Re-drawn matches: enough to find twenty of them close to epipolar lines (within 1/500
# of the image), few enough to cost less than a batch of the search (0.15 ms).
NUM_REDRAWN = 5_000
# Of the order in which points are re-drawn: the same matches give the same density.
SEED = 0


def redraw_matches(points: Array) -> Array:
    """Match the points of the first image to points of other matches, at random.

    Parameters
    ----------
    points : (4, N) array
        Distinct matches, N at least 2.

    Returns
    -------
    (4, M) array
        About `NUM_REDRAWN` matches, no two alike; all N (N - 1) where there are fewer.
    """
    with np.errstate(over="ignore"):  # the generator wraps around
        redrawn: Array = redraw(np.ascontiguousarray(points), 2, generator(SEED))
    return redrawn


@brief_kernel
def redraw(points, num_first, generator):
    """Shuffle the matches, and give every one the other points of some others.

    Parameters
    ----------
    points : (D, N) array
        Distinct matches, or points of one set.
    num_first : int
        Rows of the first set of points, which stay together; where these are all, each
        coordinate is shuffled by itself.
    generator : (1,) uint64 array

    Returns
    -------
    (D, M) array
        See `redraw_matches`.
    """
    num_rows, num = points.shape
    order = shuffled(generator, num)
    num_shifts = min(num - 1, -(-NUM_REDRAWN // num))
    shifts = np.empty(num_shifts, dtype=np.int64)
    write_distinct(generator, num - 1, shifts)
    redrawn = np.empty((num_rows, num_shifts * num))
    column = 0
    for shift in shifts:
        for i in range(num):
            first, second = order[i], order[(i + 1 + shift) % num]
            for row in range(num_rows):
                one = first if row < num_first else second
                redrawn[row, column] = points[row, one]
            column += 1
    if num_first == num_rows:
        for row in range(1, num_rows):
            values = redrawn[row].copy()
            order = shuffled(generator, num_shifts * num)
            for i in range(num_shifts * num):
                redrawn[row, i] = values[order[i]]
    return redrawn
