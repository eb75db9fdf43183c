"""Identical matches, of which one counts, and many-to-one matches, of which two do.

A copy of a sampled match has residual zero under every model through that match, so
copies pull the estimated noise scale, and with it the score, towards a sham optimum.
Feature detectors emit copies whenever a keypoint has two orientations.

Matches that share a point of one image do the same to epipolar geometry: an epipole at
that point explains all of them exactly, whatever their other ends.  Matching without a
mutual check gives many of them, of which one at the most is right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.types import Array, Mask

Indices = NDArray[np.int64]

# Matches that may share a point: two, because both images' epipoles may explain many
# for two parameters each; with two that is no better than any minimal sample.
MAX_SHARING = 2
# Odd multipliers with well mixed bits, one per coordinate, for the hash of a column.
MULTIPLIERS = np.array(
    [
        0x9E3779B97F4A7C15,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0xD6E8FEB86659FD93,
        0xA0761D6478BD642F,
        0xE7037ED1A0B428DB,
    ],
    dtype=np.uint64,
)


class Distinct(NamedTuple):
    """Columns of points that count, and those that only get a label.

    Attributes
    ----------
    used : (M,) int array
        Columns of the distinct matches that are fitted to.
    surplus : (L,) int array
        Columns of distinct matches that share a point with two others.
    source : (N,) int array
        For each column, which of ``used`` and then ``surplus`` it equals; -1 for one
        that is not finite.
    """

    used: Indices
    surplus: Indices
    source: Indices


def bounds_of(dims: tuple[int, ...]) -> Indices:
    """Return where the rows of each set of points begin, and where the last ends."""
    return np.cumsum([0, *dims])


def first_occurrences(points: Array) -> tuple[Indices, Indices]:
    """Find the distinct columns of ``points``.

    Parameters
    ----------
    points : (D, N) array
        Correspondences, finite.

    Returns
    -------
    distinct : (M,) int array
        Index of the first column of each kind, ascending.
    member_of : (N,) int array
        For every column, which entry of ``distinct`` it equals.
    """
    with np.errstate(over="ignore"):  # hashing wraps around, also without the JIT
        first = first_equal_columns(_bits(points), MULTIPLIERS, 0, len(points))
    is_first = first == np.arange(first.size)
    if is_first.all():
        return first, first
    rank = np.cumsum(is_first) - 1
    return np.flatnonzero(is_first), rank[first]


def not_many_to_one(
    points: Array, quality: Array | None, dims: tuple[int, ...] = (2, 2)
) -> Mask:
    """Choose matches of which no more than `MAX_SHARING` share a point of an image.

    Parameters
    ----------
    points : (D, N) array
        Distinct correspondences.
    quality : (N,) array or None
        The best of those that share a point stay; without it, the first.
    dims : tuple of int
        Coordinates of a point in each set.

    Returns
    -------
    (N,) bool array
    """
    chosen = np.ones(points.shape[1], dtype=np.bool_)
    order = best_first(quality, len(chosen))
    with np.errstate(over="ignore"):  # hashing wraps around, also without the JIT
        _limit_sharing(_bits(points), order, bounds_of(dims), MULTIPLIERS, chosen)
    return chosen


def best_first(quality: Array | None, num: int) -> Indices:
    """Return the order of ``num`` matches by quality; without it, that of the rows."""
    return np.arange(num) if quality is None else np.argsort(-quality, kind="stable")


@kernel
def find_distinct(points, order, bounds, multipliers):
    """Tell matches that count from copies, many-to-one matches and infinite ones.

    Parameters
    ----------
    points : (D, N) array
        Correspondences.
    order : (N,) int array
        Of matches that share a point those stay that come first here.
    bounds : (S + 1,) int array
        Where the rows of each set of points begin.
    multipliers : (6,) array
        `MULTIPLIERS`.

    Returns
    -------
    Distinct
    """
    num = points.shape[1]
    bits = (points + 0.0).view(np.uint64)  # as in `_bits`
    first = first_equal_columns(bits, multipliers, 0, points.shape[0])
    is_used = np.empty(num, dtype=np.bool_)
    is_distinct = np.empty(num, dtype=np.bool_)
    for i in range(num):
        is_distinct[i] = first[i] == i
        for row in range(points.shape[0]):
            is_distinct[i] = is_distinct[i] and np.isfinite(points[row, i])
        is_used[i] = is_distinct[i]
    _limit_sharing(bits, order, bounds, multipliers, is_used)
    source = np.full(num, -1, dtype=np.int64)
    used = np.flatnonzero(is_used)
    surplus = np.flatnonzero(is_distinct & ~is_used)
    for k in range(used.shape[0]):
        source[used[k]] = k
    for k in range(surplus.shape[0]):
        source[surplus[k]] = used.shape[0] + k
    for i in range(num):
        source[i] = source[first[i]]
    return Distinct(used, surplus, source)


@kernel
def _limit_sharing(bits, order, bounds, multipliers, chosen):
    """Of the matches chosen, leave at most `MAX_SHARING` for each point; in place."""
    for k in range(bounds.shape[0] - 1):
        first = first_equal_columns(bits, multipliers, bounds[k], bounds[k + 1])
        num_sharing = np.zeros(first.shape[0], dtype=np.int64)
        for i in order:
            if chosen[i]:
                num_sharing[first[i]] += 1
                chosen[i] = num_sharing[first[i]] <= MAX_SHARING


def _bits(points: Array) -> NDArray[np.uint64]:
    # Adding zero turns -0.0 into 0.0, which compares equal but has other bits.
    return (np.ascontiguousarray(points) + 0.0).view(np.uint64)


@kernel
def repeats_point(points, bounds, multipliers):
    """Whether two matches (D, N) share a point of a set: most often none do."""
    bits = (points + 0.0).view(np.uint64)  # as in `_bits`
    for k in range(bounds.shape[0] - 1):
        first = first_equal_columns(bits, multipliers, bounds[k], bounds[k + 1])
        for i in range(first.shape[0]):
            if first[i] != i:
                return True
    return False


@kernel
def first_equal_columns(bits, multipliers, start, stop):
    """Index of the first equal column for each column, as far as these rows tell.

    By a hash table with open addressing.
    """
    num_points = bits.shape[1]
    size = 4
    while size < 2 * num_points:
        size *= 2
    mask = np.uint64(size - 1)
    table = np.full(size, -1, dtype=np.int64)
    first = np.empty(num_points, dtype=np.int64)
    for i in range(num_points):
        key = np.uint64(0)
        for row in range(start, stop):
            key = (key ^ bits[row, i]) * multipliers[row]
            key ^= key >> np.uint64(29)
        slot = np.int64(key & mask)
        while True:
            j = table[slot]
            if j < 0:
                table[slot] = i
                first[i] = i
                break
            same = True
            for row in range(start, stop):
                same = same and bits[row, j] == bits[row, i]
            if same:
                first[i] = j
                break
            slot = (slot + 1) & (size - 1)
    return first
