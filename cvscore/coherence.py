"""Which matches move like their neighbours: an order to sample in, for free.

A match is a point of a four-dimensional space, (x1, y1, x2, y2).  Wrong matches fill
that space; right ones lie on a surface in it, and so have right ones close by.  The
distance to the few nearest other matches therefore tells right from wrong on average,
without a threshold or a scale; the third neighbour, because the first two may be there
by accident and few matches have not many more.  It is used to *order* samples only: the
score never sees it, and half of the samples remain uniform (see
`cvscore.sampling.AlternatingSampler`).
"""

from __future__ import annotations

import numpy as np

from cvscore._kernel import kernel
from cvscore.frames import Region
from cvscore.types import Array

# Neighbours are looked for in the 3 x 3 cells around a match in the first image; with
# this many matches a cell, the third neighbour of a right match is hardly ever missed.
MATCHES_PER_CELL = 6


def coherence(points: Array, region: Region) -> Array:
    """Rate matches by how closely others accompany them; larger is better.

    Parameters
    ----------
    points : (4, N) array
        Matches.
    region : Region
        Where they are; its extents make the images commensurable.

    Returns
    -------
    (N,) array
        Minus the distance to the third nearest match, in extents; ``-inf`` where there
        are not so many matches around.
    """
    spreads = region.spreads
    sides = np.repeat(np.hypot(spreads[[0, 2]], spreads[[1, 3]]), 2)
    sides[sides == 0.0] = 1.0  # all points of an image in one place
    places = (points - region.centre[:, None]) / sides[:, None] + 0.5
    cells = max(1, int(np.sqrt(points.shape[1] / MATCHES_PER_CELL)))
    return -np.sqrt(_sq_distance_to_third(places, cells))


@kernel
def _sq_distance_to_third(places, cells):
    """Squared 4-D distance to the third neighbour of places (4, N) around [0, 1]^4.

    Matches are sorted into cells x cells by their place in the first image; those
    outside [0, 1] belong to the cells at the border.
    """
    num = places.shape[1]
    cell_of = np.empty(num, dtype=np.int64)
    first = np.zeros(cells * cells + 1, dtype=np.int64)
    for i in range(num):
        column = min(max(int(places[0, i] * cells), 0), cells - 1)
        row = min(max(int(places[1, i] * cells), 0), cells - 1)
        cell_of[i] = row * cells + column
        first[cell_of[i] + 1] += 1
    first = np.cumsum(first)
    cursor = first.copy()
    sorted_places = np.empty((num, 4))
    position = np.empty(num, dtype=np.int64)
    for i in range(num):
        position[i] = cursor[cell_of[i]]
        cursor[cell_of[i]] += 1
        sorted_places[position[i]] = places[:, i]
    distances = np.empty(num)
    for i in range(num):
        row, column = cell_of[i] // cells, cell_of[i] % cells
        me = position[i]
        x1, y1, x2, y2 = places[0, i], places[1, i], places[2, i], places[3, i]
        nearest, second, third = np.inf, np.inf, np.inf
        for r in range(max(row - 1, 0), min(row + 2, cells)):
            start = first[r * cells + max(column - 1, 0)]
            stop = first[r * cells + min(column + 1, cells - 1) + 1]
            for j in range(start, stop):
                dx1, dy1 = sorted_places[j, 0] - x1, sorted_places[j, 1] - y1
                dx2, dy2 = sorted_places[j, 2] - x2, sorted_places[j, 3] - y2
                distance = dx1 * dx1 + dy1 * dy1 + dx2 * dx2 + dy2 * dy2
                distance = distance if j != me else np.inf
                # The three smallest so far, without a branch to mispredict.
                third = min(third, max(second, distance))
                second = min(second, max(nearest, distance))
                nearest = min(nearest, distance)
        distances[i] = third
    return distances
