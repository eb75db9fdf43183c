"""Identical correspondences, of which one may count, and crowds, of which two may.

A copy of a sampled match has residual zero under every model through that match, so
copies pull the estimated noise scale, and with it the score, towards a sham optimum.
Feature detectors emit copies whenever a keypoint has two orientations.

Matches that share a point of one image do the same to epipolar geometry: an epipole at
that point explains all of them exactly, whatever their other ends.  Matching without a
mutual check gives crowds of them, of which one at the most is right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.types import Array, Mask

MAX_SHARING = 2  # matches that share a point, see `uncrowded`
# Odd multipliers with well mixed bits, one per coordinate, for the hash of a row.
MULTIPLIERS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93],
    dtype=np.uint64,
)


def first_occurrences(points: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the distinct columns of ``points``.

    Parameters
    ----------
    points : (4, N) array
        Correspondences, finite.

    Returns
    -------
    distinct : (M,) int array
        Index of the first column of each kind, ascending.
    member_of : (N,) int array
        For every column, which entry of ``distinct`` it equals.
    """
    with np.errstate(over="ignore"):  # hashing wraps around, also without the JIT
        first = first_equal_columns(_bits(points), MULTIPLIERS, 0, 4)
    is_first = first == np.arange(first.size)
    if is_first.all():
        return first, first
    rank = np.cumsum(is_first) - 1
    return np.flatnonzero(is_first), rank[first]


def uncrowded(points: Array, quality: Array | None) -> Mask:
    """Choose matches of which no more than two share a point of an image.

    Two, because both images' epipoles may explain a crowd for two parameters each: with
    two matches in a crowd that is no better than any minimal sample.

    Parameters
    ----------
    points : (4, N) array
        Distinct correspondences.
    quality : (N,) array or None
        The best of a crowd stay; without it, the first.

    Returns
    -------
    (N,) bool array
    """
    chosen = np.ones(points.shape[1], dtype=np.bool_)
    order = best_first(quality, len(chosen))
    with np.errstate(over="ignore"):  # hashing wraps around, also without the JIT
        _thin_crowds(_bits(points), order, MULTIPLIERS, chosen)
    return chosen


def best_first(quality: Array | None, num: int) -> NDArray[np.int64]:
    """Return the order of ``num`` matches by quality; without it, that of the rows."""
    return np.arange(num) if quality is None else np.argsort(-quality, kind="stable")


@kernel
def thin_out(points, order, multipliers):
    """Leave out what is not finite, copies, and the rest of crowds.

    Parameters
    ----------
    points : (4, N) array
        Correspondences.
    order : (N,) int array
        The best of a crowd stay: those that come first here.
    multipliers : (4,) array
        `MULTIPLIERS`.

    Returns
    -------
    chosen : (M,) int array
        Rows of the distinct matches that have a say.
    others : (L,) int array
        Rows of the distinct matches that have none, because they are of a crowd.
    columns : (N,) int array
        For each row, which of ``chosen`` and then ``others`` it equals; -1 for a row
        that is not finite.
    """
    num = points.shape[1]
    bits = (points + 0.0).view(np.uint64)  # as in `_bits`
    first = first_equal_columns(bits, multipliers, 0, 4)
    has_say = np.empty(num, dtype=np.bool_)
    is_distinct = np.empty(num, dtype=np.bool_)
    for i in range(num):
        is_distinct[i] = first[i] == i and np.isfinite(points[:, i]).all()
        has_say[i] = is_distinct[i]
    _thin_crowds(bits, order, multipliers, has_say)
    columns = np.full(num, -1, dtype=np.int64)
    chosen = np.flatnonzero(has_say)
    others = np.flatnonzero(is_distinct & ~has_say)
    columns[chosen] = np.arange(chosen.shape[0])
    columns[others] = np.arange(chosen.shape[0], chosen.shape[0] + others.shape[0])
    for i in range(num):
        columns[i] = columns[first[i]]
    return chosen, others, columns


@kernel
def _thin_crowds(bits, order, multipliers, chosen):
    """Of the matches chosen, leave at most `MAX_SHARING` for each point; in place."""
    for start in (0, 2):
        first = first_equal_columns(bits, multipliers, start, start + 2)
        num_sharing = np.zeros(first.shape[0], dtype=np.int64)
        for i in order:
            if chosen[i]:
                num_sharing[first[i]] += 1
                chosen[i] = num_sharing[first[i]] <= MAX_SHARING


def _bits(points: Array) -> NDArray[np.uint64]:
    # Adding zero turns -0.0 into 0.0, which compares equal but has other bits.
    return (points + 0.0).view(np.uint64)


@kernel
def repeats_point(points, multipliers):
    """Whether two matches (4, N) share a point of an image: most often none do."""
    bits = (points + 0.0).view(np.uint64)  # as in `_bits`
    for start in (0, 2):
        first = first_equal_columns(bits, multipliers, start, start + 2)
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
