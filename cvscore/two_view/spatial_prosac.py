"""Which matches move like their neighbours: an order to sample in, for free.

A match is a point of a four-dimensional space, (x1, y1, x2, y2).  Wrong matches fill
that space; right ones lie on a surface in it, and so have right ones close by.  The
distance to the few nearest other matches therefore tells right from wrong on average,
without a threshold or a scale; the third neighbour, because the first two may be there
by accident and few matches have not many more.  It is used to *order* samples only: the
score never sees it, and half of the samples remain uniform.

Closest of all are the matches of something small and full of texture, a car that drives
by: hundreds of them would come first, and every sample would be of the car.  A plane
may be such a part of the image, but cameras move for all of it.  So, for these, matches
take turns by where they are: the best of each cell, then the second best.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.bucket_grid import cells_along, sort_into_cells, span_around
from cvscore.data.normalization import Region, diagonals
from cvscore.ransac.samplers import (
    NUM_DRAWN,
    NUM_POINTS,
    SAMPLE_SIZE,
    KernelSampler,
    draw_progressively,
    generator,
    write_distinct,
    write_last_trials,
)
from cvscore.types import Array, SamplerMemory

# Neighbours are looked for in the 3 x 3 cells around a match in the first image; with
# this many matches a cell, the third neighbour of a right match is hardly ever missed.
MATCHES_PER_CELL = 6
# Samples drawn before matches are ordered by coherence; easy data need no more.
NUM_UNIFORM_SAMPLES = 64
# Beyond `cvscore.ransac.samplers`, what ``SamplerMemory.counts`` holds: samples of both kinds,
# after how many in order all matches take part on equal terms, and cells that take
# turns, a side.
NUM_DRAWN_OF_ALL, NUM_TRIALS, CELLS = 3, 4, 5
# Ratio of the gaps of a Shell sort; 2.25 to 2.5 serve equally well.
SHELL_RATIO = 2.3


class CoherentSampler(KernelSampler):
    """Takes turns between uniform samples and coherent matches first, by PROSAC.

    Neither can spoil the search alone.  The first `NUM_UNIFORM_SAMPLES` are uniform:
    easy data never get to the order.

    Parameters
    ----------
    points : (4, N) array
        Matches.
    region : Region
        Where they are.
    sample_size : int
        Points in a sample.
    num_trials : int
        After this many samples in order every match takes part on equal terms.
    cells : int
        Cells a side of the first image whose matches take turns; one for the order of
        coherence alone.
    seed : int
        Of the random generator.
    """

    def __init__(
        self,
        points: Array,
        region: Region,
        sample_size: int,
        num_trials: int,
        cells: int = 1,
        seed: int = 0,
    ) -> None:
        num_points = points.shape[1]
        memory = SamplerMemory(
            generator(seed),
            np.array([sample_size, num_points, 0, 0, num_trials, cells]),
            np.empty(num_points, dtype=np.int64),
            np.empty(max(num_points - sample_size + 1, 1), dtype=np.int64),
            _places(region),
        )
        super().__init__(draw_coherently, points, memory)


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
    return -np.sqrt(_sq_distance_to_third(points, _places(region)))


def _places(region: Region) -> Array:
    """Return how points get their places, (10,).

    The centre, for each coordinate the diagonal of its image as unit, and the width and
    height of the first image in that unit.
    """
    # One, where all points of an image are in one place.
    first, second = (diagonal or 1.0 for diagonal in diagonals(region))
    width, height = (spread / first or 1.0 for spread in region.spreads[:2].tolist())
    centre = region.centre.tolist()
    return np.array([*centre, first, first, second, second, width, height])


@kernel
def draw_coherently(
    points, generator, counts, order, last_trials, constants, num_samples
):
    """Draw the next samples of a `CoherentSampler` of ``points`` (4, N)."""
    size, num_points = counts[SAMPLE_SIZE], counts[NUM_POINTS]
    samples = np.empty((num_samples, size), dtype=np.int64)
    num_coherent = 0
    if counts[NUM_DRAWN_OF_ALL] >= NUM_UNIFORM_SAMPLES:
        num_coherent = num_samples // 2
        if counts[NUM_DRAWN] == 0:
            distances = _sq_distance_to_third(points, constants)
            _sort_by(distances, order)
            if counts[CELLS] > 1:
                take_turns(points, counts[CELLS], order)
            write_last_trials(num_points, size, counts[NUM_TRIALS], last_trials)
    num_uniform = num_samples - num_coherent
    counts[NUM_DRAWN_OF_ALL] += num_samples
    for b in range(num_uniform):
        write_distinct(generator, num_points, samples[b])
    samples[num_uniform:] = draw_progressively(
        points, generator, counts, order, last_trials, constants, num_coherent
    )
    return samples


@kernel
def take_turns(points, cells, order):
    """Reorder: the first of each of cells x cells cells, then the second of each.

    Cells divide the first image of ``points`` (4, N).  Of the same turn, those come
    first that came first before in ``order`` (N,).
    """
    columns, rows = cells_along(points[0], cells), cells_along(points[1], cells)
    num_taken = np.zeros(cells * cells, dtype=np.int64)
    turns = np.empty(order.shape[0], dtype=np.int64)
    for j in range(order.shape[0]):
        cell = rows[order[j]] * cells + columns[order[j]]
        turns[j] = num_taken[cell]
        num_taken[cell] += 1
    _, position = sort_into_cells(turns, num_taken.max())
    before = order.copy()
    for j in range(order.shape[0]):
        order[position[j]] = before[j]


@kernel
def _sort_by(values, order):
    """Write the order (N,) of rising values (Shell sort)."""
    num = values.shape[0]
    for i in range(num):
        order[i] = i
    gap = num
    while gap > 1:
        gap = max(int(gap / SHELL_RATIO), 1)
        for i in range(gap, num):
            one = order[i]
            j = i
            while j >= gap and values[order[j - gap]] > values[one]:
                order[j] = order[j - gap]
                j -= gap
            order[j] = one


@kernel
def _sq_distance_to_third(points, constants):
    """Squared 4-D distance to the third neighbour of points (4, N), see `_places`.

    Matches are sorted into cells x cells by their place in the first image; those
    outside of the region belong to the cells at the border.
    """
    num = points.shape[1]
    places = np.empty((4, num))
    for row in range(4):
        for i in range(num):
            places[row, i] = (points[row, i] - constants[row]) / constants[4 + row]
    width, height = constants[8], constants[9]
    cells = max(1, int(np.sqrt(num / MATCHES_PER_CELL)))
    cell_of = np.empty(num, dtype=np.int64)
    for i in range(num):
        x, y = places[0, i] / width + 0.5, places[1, i] / height + 0.5
        column = min(max(int(x * cells), 0), cells - 1)
        row = min(max(int(y * cells), 0), cells - 1)
        cell_of[i] = row * cells + column
    first, position = sort_into_cells(cell_of, cells * cells)
    sorted_places = np.empty((4, num))
    for i in range(num):
        for row in range(4):
            sorted_places[row, position[i]] = places[row, i]
    distances, around = np.empty(num), np.empty(num)
    for i in range(num):
        row, column = cell_of[i] // cells, cell_of[i] % cells
        num_around = 0
        for r in range(max(row - 1, 0), min(row + 2, cells)):
            start, stop = span_around(first, cells, r, column)
            _write_sq_distances(
                places, i, sorted_places, start, stop, around, num_around
            )
            num_around += stop - start
        distances[i] = _third_but_one(around, num_around)
    return distances


@kernel
def _write_sq_distances(places, i, others, start, stop, sq_distances, at):
    """Write squared distances from a place to some others, in one vector loop."""
    x1, y1, x2, y2 = places[0, i], places[1, i], places[2, i], places[3, i]
    for j in range(stop - start):
        dx1, dy1 = others[0, start + j] - x1, others[1, start + j] - y1
        dx2, dy2 = others[2, start + j] - x2, others[3, start + j] - y2
        sq_distances[at + j] = dx1 * dx1 + dy1 * dy1 + dx2 * dx2 + dy2 * dy2


@kernel
def _third_but_one(values, num):
    """Return the third smallest of ``num`` values but one, ``inf`` if there is none.

    The one is zero, the distance of a match to itself.
    """
    nearest, second, third, fourth = np.inf, np.inf, np.inf, np.inf
    for i in range(num):
        value = values[i]
        if value < fourth:  # seldom, after the first few
            fourth = min(fourth, max(third, value))
            third = min(third, max(second, value))
            second = min(second, max(nearest, value))
            nearest = min(nearest, value)
    return fourth
