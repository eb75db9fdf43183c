"""Which matches move like their neighbours: an order to sample in, for free.

A match is a point of a four-dimensional space, (x1, y1, x2, y2).  Wrong matches fill
that space; right ones lie on a surface in it, and so have right ones close by.  The
distance to the few nearest other matches therefore tells right from wrong on average,
without a threshold or a scale; the third neighbour, because the first two may be there
by accident and few matches have not many more.  It is used to *order* samples only: the
score never sees it, and half of the samples remain uniform.
"""

from __future__ import annotations

import numpy as np

from cvscore._kernel import kernel
from cvscore.frames import Region, diagonals
from cvscore.sampling import (
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
# Beyond `cvscore.sampling`, what ``SamplerMemory.counts`` holds: samples of both kinds,
# and after how many in order all matches take part on equal terms.
NUM_DRAWN_OF_ALL, NUM_TRIALS = 3, 4
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
    seed : int
        Of the random generator.
    """

    def __init__(
        self,
        points: Array,
        region: Region,
        sample_size: int,
        num_trials: int,
        seed: int = 0,
    ) -> None:
        num_points = points.shape[1]
        memory = SamplerMemory(
            generator(seed),
            np.array([sample_size, num_points, 0, 0, num_trials]),
            np.empty(num_points, dtype=np.int64),
            np.empty(max(num_points - sample_size + 1, 1), dtype=np.int64),
            _in_sides(region),
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
    centre, sides = np.split(_in_sides(region), 2)
    return -np.sqrt(_sq_distance_to_third(points, centre, sides))


def _in_sides(region: Region) -> Array:
    """Return the centre and, for each coordinate, the diagonal of its image, (8,)."""
    # One, where all points of an image are in one place.
    first, second = (diagonal or 1.0 for diagonal in diagonals(region))
    return np.array([*region.centre.tolist(), first, first, second, second])


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
            distances = _sq_distance_to_third(points, constants[:4], constants[4:])
            _sort_by(distances, order)
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
def _sq_distance_to_third(points, centre, sides):
    """Squared 4-D distance to the third neighbour of points (4, N), in units of sides.

    Matches are sorted into cells x cells by their place in the first image; those
    outside of the region belong to the cells at the border.
    """
    num = points.shape[1]
    places = np.empty((4, num))
    for row in range(4):
        for i in range(num):
            places[row, i] = (points[row, i] - centre[row]) / sides[row] + 0.5
    cells = max(1, int(np.sqrt(num / MATCHES_PER_CELL)))
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
