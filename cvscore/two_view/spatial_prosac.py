"""Matches that move like their neighbours are sampled first: PROSAC by coherence.

A match is a point of a four-dimensional space, (x1, y1, x2, y2), or of one of five
dimensions if it is one of an image point and a scene point.  Wrong matches fill that
space; right ones lie on a surface in it, and so have right ones close by (the spatial
consistency of SCRAMSAC; Sattler, Leibe, Kobbelt 2009).  The distance to the few
nearest other matches therefore tells right from wrong on average, without a threshold
or a scale; the third neighbour, because the first two may be there by accident and few
matches have not many more.  It is used to *order* samples only (PROSAC; Chum, Matas
2005): the score never sees it, and half of the samples remain uniform.

Closest of all are the matches of something small and full of texture, a car that drives
by: hundreds of them would come first, and every sample would be of the car.  A plane
may be such a part of the image, but cameras move for all of it.  So, for these, matches
take turns by where they are: the best of each cell of a grid, then the second best.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.data.normalization import Region
from cvscore.numerics.bucket_grid import cells_along, sort_into_cells, span_around
from cvscore.numerics.random_numbers import generator, write_distinct
from cvscore.ransac.samplers import (
    IN_ORDER,
    OF_ALL,
    KernelSampler,
    draw_progressively,
    write_last_trials,
)
from cvscore.types import Array, SamplerState

# Neighbours are looked for in the 3 x 3 cells around a match in the first image; with
# this many matches a cell, the third neighbour of a right match is hardly ever missed.
MATCHES_PER_CELL = 3
# Matches further from the centre than so many sides of the region are accompanied by
# none: half of all may be there, and to compare them all would take seconds.
FARTHEST_SIDES = 2.5
# Matches that are rated, at the most: to rate more takes as long as the search.  With
# 500 E lost 6.5 points of AUC where few are right, in one of two sets of problems.
MAX_RATED = 2000
# Distances are ordered by so many of their leading bits: to an eighth of an octave,
# over 128 octaves.
ORDERING_BITS = 15
NUM_BUCKETS = 1024
# Samples drawn before matches are ordered by coherence; easy data need no more.
NUM_UNIFORM_SAMPLES = 64


class SpatialProsacSampler(KernelSampler):
    """Takes turns between uniform samples and coherent matches first, by PROSAC.

    Neither can spoil the search alone.  The first `NUM_UNIFORM_SAMPLES` are uniform:
    easy data never get to the order.

    Parameters
    ----------
    points : (D, N) array
        Matches, the first two rows in an image, the others those of the other set.
    region : Region
        Where they are.
    sample_size : int
        Points in a sample.
    num_trials : int
        After this many samples in order every match takes part on equal terms.
    grid_size : int
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
        grid_size: int = 1,
        seed: int = 0,
    ) -> None:
        num_points = points.shape[1]
        num_rated = -(-num_points // _stride_of(num_points))
        num_waiting = max(num_rated - sample_size + 1, 1)
        state = SamplerState(
            generator=generator(seed),
            num_drawn=np.zeros(2, dtype=np.int64),
            order=np.empty(num_rated, dtype=np.int64),
            last_trials=np.empty(num_waiting, dtype=np.int64),
            centre=region.centre,
            spreads=region.spreads,
            sample_size=sample_size,
            num_points=num_points,
            num_trials=num_trials,
            grid_size=grid_size,
        )
        super().__init__(draw_coherently, points, state)


def _stride_of(num_points: int) -> int:
    """Of how many matches one is rated."""
    return -(-num_points // MAX_RATED)


_stride = kernel(_stride_of)


@kernel
def _diagonal(spreads):
    """How far a set of points spreads; one, if they are all in one place."""
    diagonal = np.sqrt((spreads * spreads).sum())
    return diagonal if diagonal > 0.0 else 1.0


@kernel
def _commensurable(points, centre, spreads):
    """Return points (D, N) about their centre, each set in the unit of its diagonal."""
    positions = np.empty(points.shape)
    diagonals = _diagonal(spreads[:2]), _diagonal(spreads[2:])
    for row in range(points.shape[0]):
        unit = diagonals[0] if row < 2 else diagonals[1]
        for i in range(points.shape[1]):
            positions[row, i] = (points[row, i] - centre[row]) / unit
    return positions


@kernel
def draw_coherently(points, num_samples, state):
    """Draw the next samples: half of them uniform, half by PROSAC in the order found.

    The order is found when it is first needed, and written to the state.
    """
    size, num_points = state.sample_size, state.num_points
    samples = np.empty((num_samples, size), dtype=np.int64)
    num_coherent = 0
    if state.num_drawn[OF_ALL] >= NUM_UNIFORM_SAMPLES:
        num_coherent = num_samples // 2
        if state.num_drawn[IN_ORDER] == 0:
            num_rated, stride = state.order.shape[0], _stride(num_points)
            distances = _sq_distance_to_third(
                points, state.centre, state.spreads, stride
            )
            _write_order(distances, stride, state.order)
            if state.grid_size > 1:
                take_turns(points, state.grid_size, state.order)
            write_last_trials(num_rated, size, state.num_trials, state.last_trials)
    num_uniform = num_samples - num_coherent
    state.num_drawn[OF_ALL] += num_samples
    for b in range(num_uniform):
        write_distinct(state.generator, num_points, samples[b])
    coherent = draw_progressively(points, num_coherent, state)
    for b in range(num_coherent):
        for i in range(size):
            samples[num_uniform + b, i] = coherent[b, i]
    return samples


@kernel
def _write_order(distances, stride, order):
    """Write the points, every ``stride``-th, by rising distance (M,), ties as given.

    By buckets of similar distances: no sample depends on an order within them.
    """
    num = distances.shape[0]
    bits = distances.view(np.int64)
    buckets = np.empty(num, dtype=np.int64)
    highest = 0
    for i in range(num):
        buckets[i] = bits[i] >> (64 - ORDERING_BITS)
        if distances[i] < np.inf:
            highest = max(highest, buckets[i])
    for i in range(num):
        above = max(buckets[i] - highest + NUM_BUCKETS - 2, 0)
        buckets[i] = min(above, NUM_BUCKETS - 1)
    _, position = sort_into_cells(buckets, NUM_BUCKETS)
    for i in range(num):
        order[position[i]] = i * stride


@kernel
def take_turns(points, cells, order):
    """Reorder: the first of each of cells x cells cells, then the second of each.

    Cells divide the first image of ``points`` (D, N).  Of the same turn, those come
    first that came first before in ``order`` (N,).  Its second half takes no turns and
    comes last: cells that hold nothing better, as those outside of the image where
    some matches are, would come before what is right.
    """
    num_in_turn = (order.shape[0] + 1) // 2
    columns, rows = cells_along(points[0], cells), cells_along(points[1], cells)
    num_taken = np.zeros(cells * cells, dtype=np.int64)
    turns = np.empty(order.shape[0], dtype=np.int64)
    num_turns = 0
    for j in range(num_in_turn):
        cell = rows[order[j]] * cells + columns[order[j]]
        turns[j] = num_taken[cell]
        num_taken[cell] += 1
        num_turns = max(num_turns, num_taken[cell])
    turns[num_in_turn:] = num_turns
    _, position = sort_into_cells(turns, num_turns + 1)
    before = order.copy()
    for j in range(order.shape[0]):
        order[position[j]] = before[j]


@kernel
def _sq_distance_to_third(points, centre, spreads, stride):
    """Squared distance to the third neighbour of every ``stride``-th point of (D, N).

    Matches are sorted into cells x cells by their place in the first image; those
    outside of the region belong to the cells at the border, those far from it to none.
    """
    num_rows, num = points.shape
    positions = _commensurable(points, centre, spreads)
    diagonal = _diagonal(spreads[:2])
    width = spreads[0] / diagonal if spreads[0] > 0.0 else 1.0
    height = spreads[1] / diagonal if spreads[1] > 0.0 else 1.0
    cells = max(1, int(np.sqrt(num / MATCHES_PER_CELL)))
    cell_of = np.empty(num, dtype=np.int64)
    for i in range(num):
        x, y = positions[0, i] / width + 0.5, positions[1, i] / height + 0.5
        column = int(min(max(x * cells, 0.0), cells - 1.0))
        row = int(min(max(y * cells, 0.0), cells - 1.0))
        is_far = max(abs(x - 0.5), abs(y - 0.5)) > FARTHEST_SIDES
        cell_of[i] = cells * cells if is_far else row * cells + column
    first, position = sort_into_cells(cell_of, cells * cells + 1)
    places, members = np.empty((num_rows, num)), np.empty(num, dtype=np.int64)
    for i in range(num):
        members[position[i]] = i
        for row in range(num_rows):
            places[row, position[i]] = positions[row, i]
    distances = np.full(-(-num // stride), np.inf)
    around, sq_distances = np.empty((num_rows, num)), np.empty(num)
    for cell in range(cells * cells):
        if first[cell] == first[cell + 1]:
            continue
        num_around = _gather_around(places, first, cells, cell, around)
        for j in range(first[cell], first[cell + 1]):
            if members[j] % stride == 0:
                _write_sq_distances(places, j, around, num_around, sq_distances)
                third = _third_but_one(sq_distances, num_around)
                distances[members[j] // stride] = third
    return distances


@kernel
def _gather_around(places, first, cells, cell, around):
    """Write the places (D, N) in the 3 x 3 cells around a cell; return how many."""
    row, column = cell // cells, cell % cells
    num_around = 0
    for r in range(max(row - 1, 0), min(row + 2, cells)):
        start, stop = span_around(first, cells, r, column)
        for axis in range(places.shape[0]):
            for j in range(stop - start):
                around[axis, num_around + j] = places[axis, start + j]
        num_around += stop - start
    return num_around


@kernel
def _write_sq_distances(places, i, others, num_others, sq_distances):
    """Write squared distances from a place to others, a vector loop for each row.

    Of the first two rows, and then all others, as there are two at the least.
    """
    x, y = places[0, i], places[1, i]
    for j in range(num_others):
        dx, dy = others[0, j] - x, others[1, j] - y
        sq_distances[j] = dx * dx + dy * dy
    for row in range(2, places.shape[0]):
        x = places[row, i]
        for j in range(num_others):
            dx = others[row, j] - x
            sq_distances[j] += dx * dx


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
