"""Spatial consistency: matches whose neighbours are the same in both images.

Of the matches nearest to a right one in the first image some are nearest to it in the
second image too, for it shares a surface with them (SCRAMSAC; Sattler, Leibe, Kobbelt
2009).  A wrong match is isolated, and so is a repeat: a window matched to another
window of its facade lies among right matches, and moves unlike them.  Ranks of
distances have no unit, and they know nothing of a model.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.bucket_grid import cells_along, sort_into_cells, span_around

# How many of the nearest matches are neighbours: enough that some of them are on the
# same surface, few enough that chance puts hardly any of them into both images.
NUM_NEIGHBOURS = 8
# Neighbours that a match has to have in both images.  One may be there by chance.
MIN_SHARED = 2
# Neighbours are looked for in 3 x 3 cells with this many matches each: 27 on average
# hold the nearest eight.
POINTS_PER_CELL = 3


@kernel
def are_consistent(points, indices):
    """Whether matches have at least `MIN_SHARED` neighbours in both images.

    Parameters
    ----------
    points : (4, N) array
        Rows ``x1, y1, x2, y2``.
    indices : (M,) int array
        The matches in question.

    Returns
    -------
    (M,) bool array
    """
    in_first = nearest_points(points[0], points[1], indices)
    in_second = nearest_points(points[2], points[3], indices)
    consistent = np.empty(indices.shape[0], dtype=np.bool_)
    for i in range(indices.shape[0]):
        num_shared = 0
        for j in range(NUM_NEIGHBOURS):
            for k in range(NUM_NEIGHBOURS):
                same = in_first[i, j] == in_second[i, k]
                num_shared += same and in_first[i, j] >= 0
        consistent[i] = num_shared >= MIN_SHARED
    return consistent


@kernel
def nearest_points(x, y, indices):
    """Indices (M, `NUM_NEIGHBOURS`) of the points nearest to those at ``indices``.

    Nearest first, without the point itself.  Only points (N,) in the 3 x 3 cells around
    it are found; -1 where they are too few.
    """
    num = x.shape[0]
    cells = max(1, int(np.sqrt(num / POINTS_PER_CELL)))
    columns, rows = cells_along(x, cells), cells_along(y, cells)
    first, position = sort_into_cells(rows * cells + columns, cells * cells)
    positions, members = np.empty((num, 2)), np.empty(num, dtype=np.int64)
    for i in range(num):
        positions[position[i], 0], positions[position[i], 1] = x[i], y[i]
        members[position[i]] = i
    found = np.full((indices.shape[0], NUM_NEIGHBOURS), -1, dtype=np.int64)
    distances = np.empty(NUM_NEIGHBOURS)
    for i in range(indices.shape[0]):
        one = indices[i]
        row, column = rows[one], columns[one]
        distances[:] = np.inf
        for r in range(max(row - 1, 0), min(row + 2, cells)):
            start, stop = span_around(first, cells, r, column)
            for j in range(start, stop):
                distance = (positions[j, 0] - x[one]) ** 2 + (
                    positions[j, 1] - y[one]
                ) ** 2
                if distance < distances[-1] and members[j] != one:
                    _insert(distance, members[j], distances, found[i])
    return found


@kernel
def _insert(distance, index, distances, indices):
    """Put an entry in its place among the smallest so far, and drop the largest."""
    slot = distances.shape[0] - 1
    while slot > 0 and distances[slot - 1] > distance:
        distances[slot] = distances[slot - 1]
        indices[slot] = indices[slot - 1]
        slot -= 1
    distances[slot] = distance
    indices[slot] = index
