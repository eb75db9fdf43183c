"""Spatial consistency: matches whose neighbours are the same in both images.

Of the matches nearest to a right one in the first image some are nearest to it in the
second image too, for it shares a surface with them (SCRAMSAC; Sattler, Leibe, Kobbelt
2009).  A wrong match is isolated, and so is a repeat: a window matched to another
window of its facade lies among right matches, and moves unlike them.  Ranks of
distances have no unit, and they know nothing of a model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.numerics.bucket_grid import cells_along, sort_into_cells, span_around
from cvscore.numerics.quickselect import move_smallest_first
from cvscore.types import Array

# How many of the nearest matches are neighbours: enough that some of them are on the
# same surface, few enough that chance puts hardly any of them into both images.
NUM_NEIGHBOURS = 8
# Neighbours that a match has to have in both images.  One may be there by chance, and
# `_are_shared` counts to the second.
MIN_SHARED = 2
# Neighbours are looked for in 3 x 3 cells with this many matches each: 27 on average
# hold the nearest eight.
POINTS_PER_CELL = 3


class Places(NamedTuple):
    """The places (N,) of one image sorted into cells x cells.

    ``rows`` and ``columns`` are those of the cells of every match; ``x``, ``y`` and
    ``members`` are sorted by cell, and ``first`` says where each cell begins.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    first: NDArray[np.int64]
    x: Array
    y: Array
    members: NDArray[np.int64]


@kernel
def are_consistent(points, indices):
    """Whether matches have at least `MIN_SHARED` neighbours in both images.

    Neighbours are the `NUM_NEIGHBOURS` nearest matches, and those that are as near as
    the last of them; only matches in the 3 x 3 cells around are looked at.

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
    num = points.shape[1]
    cells = max(1, int(np.sqrt(num / POINTS_PER_CELL)))
    in_first = _sort_places(points[0], points[1], cells)
    in_second = _sort_places(points[2], points[3], cells)
    question_of = np.full(num, -1, dtype=np.int64)
    for k in range(indices.shape[0]):
        question_of[indices[k]] = k
    consistent = np.zeros(indices.shape[0], dtype=np.bool_)
    around, neighbours = np.empty((2, num)), np.empty(num, dtype=np.int64)
    members = np.empty(num, dtype=np.int64)
    distances, ordered = np.empty(num), np.empty(num)
    for cell in range(cells * cells):
        num_around = 0  # gathered where a match of the cell is in question
        for j in range(in_first.first[cell], in_first.first[cell + 1]):
            match = in_first.members[j]
            if question_of[match] < 0:
                continue
            if num_around == 0:
                num_around = _gather_around(in_first, cells, cell, around, members)
            for i in range(num_around):
                dx, dy = around[0, i] - in_first.x[j], around[1, i] - in_first.y[j]
                distances[i] = dx * dx + dy * dy
                ordered[i] = distances[i]
            farthest = np.inf
            if num_around > NUM_NEIGHBOURS + 1:  # one of them is the match itself
                move_smallest_first(ordered[:num_around], NUM_NEIGHBOURS + 1)
                farthest = ordered[NUM_NEIGHBOURS]
            num_neighbours = 0
            for i in range(num_around):  # without a branch to mispredict
                neighbours[num_neighbours] = members[i]
                num_neighbours += distances[i] <= farthest
            consistent[question_of[match]] = _are_shared(
                points, in_second, cells, match, neighbours[:num_neighbours]
            )
    return consistent


@kernel
def _sort_places(x, y, cells):
    """Sort places (N,) into cells x cells."""
    num = x.shape[0]
    rows, columns = cells_along(y, cells), cells_along(x, cells)
    first, position = sort_into_cells(rows * cells + columns, cells * cells)
    sorted_x, sorted_y = np.empty(num), np.empty(num)
    members = np.empty(num, dtype=np.int64)
    for i in range(num):
        sorted_x[position[i]], sorted_y[position[i]] = x[i], y[i]
        members[position[i]] = i
    return Places(rows, columns, first, sorted_x, sorted_y, members)


@kernel
def _gather_around(places, cells, cell, around, members):
    """Write the places (2, N) in the 3 x 3 cells around a cell; return how many."""
    row, column = cell // cells, cell % cells
    num_around = 0
    for r in range(max(row - 1, 0), min(row + 2, cells)):
        start, stop = span_around(places.first, cells, r, column)
        for i in range(start, stop):
            around[0, num_around], around[1, num_around] = places.x[i], places.y[i]
            members[num_around] = places.members[i]
            num_around += 1
    return num_around


@kernel
def _are_shared(points, places, cells, match, neighbours):
    """Whether `MIN_SHARED` of a match's neighbours are so in the second image too.

    They are if fewer than `NUM_NEIGHBOURS` matches are nearer there than the second
    nearest of them: to count takes less than to find all neighbours again.
    """
    x, y = points[2, match], points[3, match]
    row, column = places.rows[match], places.columns[match]
    nearest, second = np.inf, np.inf
    for other in neighbours:
        dx, dy = points[2, other] - x, points[3, other] - y
        is_around = (
            (abs(places.rows[other] - row) <= 1)
            & (abs(places.columns[other] - column) <= 1)
            & (other != match)
        )
        distance = dx * dx + dy * dy if is_around else np.inf
        second = min(second, max(nearest, distance))
        nearest = min(nearest, distance)
    if not second < np.inf:
        return False
    num_nearer = 0
    for r in range(max(row - 1, 0), min(row + 2, cells)):
        start, stop = span_around(places.first, cells, r, column)
        for i in range(start, stop):
            dx, dy = places.x[i] - x, places.y[i] - y
            num_nearer += dx * dx + dy * dy < second
    num_nearer -= second > 0.0  # the match itself
    return num_nearer < NUM_NEIGHBOURS
