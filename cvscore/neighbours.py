"""Which matches keep their neighbours: those near in one image, near in the other.

Of the matches nearest to a right one in the first image some are nearest to it in the
second image too, for it shares a surface with them.  A wrong match lands among
strangers, and so does a repeat: a window matched to another window of its facade lies
among right matches, and moves unlike them.  Ranks of distances have no unit, and they
know nothing of a model.
"""

from __future__ import annotations

import numpy as np

from cvscore._kernel import kernel

# How many of the nearest matches are neighbours: enough that some of them are on the
# same surface, few enough that chance puts hardly any of them into both images.
NUM_NEIGHBOURS = 8
# Neighbours are looked for in 3 x 3 cells with this many matches each: 27 on average
# hold the nearest eight.
MATCHES_PER_CELL = 3


@kernel
def count_kept_neighbours(points):
    """Count for each match the neighbours that it has in both images.

    Parameters
    ----------
    points : (4, N) array
        Rows ``x1, y1, x2, y2``.

    Returns
    -------
    (N,) int array
        From 0 to `NUM_NEIGHBOURS`; by chance, ``NUM_NEIGHBOURS**2 / N`` on average.
    """
    num = points.shape[1]
    in_first = nearest_points(points[0], points[1])
    in_second = nearest_points(points[2], points[3])
    counts = np.zeros(num, dtype=np.int64)
    for i in range(num):
        for j in range(NUM_NEIGHBOURS):
            for k in range(NUM_NEIGHBOURS):
                counts[i] += in_first[i, j] >= 0 and in_first[i, j] == in_second[i, k]
    return counts


@kernel
def nearest_points(x, y):
    """Indices (N, `NUM_NEIGHBOURS`) of the nearest other points (N,), nearest first.

    Only those in the 3 x 3 cells around a point are found; -1 where they are too few.
    """
    num = x.shape[0]
    cells, cell_of = _cells(x, y)
    first = np.zeros(cells * cells + 1, dtype=np.int64)
    for i in range(num):
        first[cell_of[i] + 1] += 1
    first = np.cumsum(first)
    order = np.argsort(cell_of, kind="mergesort")
    x, y = x[order], y[order]
    found = np.full((num, NUM_NEIGHBOURS), -1, dtype=np.int64)
    distances = np.empty(NUM_NEIGHBOURS)
    for i in range(num):
        mine = found[order[i]]
        row, column = cell_of[order[i]] // cells, cell_of[order[i]] % cells
        distances[:] = np.inf
        for r in range(max(row - 1, 0), min(row + 2, cells)):
            start = first[r * cells + max(column - 1, 0)]
            stop = first[r * cells + min(column + 1, cells - 1) + 1]
            for j in range(start, stop):
                distance = (x[j] - x[i]) ** 2 + (y[j] - y[i]) ** 2
                if distance < distances[-1] and j != i:
                    _insert(distance, order[j], distances, mine)
    return found


@kernel
def _cells(x, y):
    """How many cells a side has, and the cell of each point (N,).

    Columns and rows hold equally many points each, wherever the points are: a few far
    away would leave all others in one cell of a regular grid.
    """
    num = x.shape[0]
    cells = max(1, int(np.sqrt(num / MATCHES_PER_CELL)))
    cell_of = np.empty(num, dtype=np.int64)
    for rank, i in enumerate(np.argsort(x)):
        cell_of[i] = rank * cells // num
    for rank, i in enumerate(np.argsort(y)):
        cell_of[i] += rank * cells // num * cells
    return cells, cell_of


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
