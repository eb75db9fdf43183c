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

from cvscore._kernel import kernel
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
    first = _first_equal(_bits(points))
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
    bits = _bits(points)
    chosen = np.ones(points.shape[1], dtype=np.bool_)
    for rows in (bits[:2], bits[2:]):
        left = np.flatnonzero(chosen)
        first = _first_equal(np.ascontiguousarray(rows[:, left]))
        if (first == np.arange(first.size)).all():
            continue
        worth = np.zeros(first.size) if quality is None else quality[left]
        order = np.lexsort((-worth, first))
        crowds = first[order]
        rank_in_crowd = np.arange(first.size) - np.searchsorted(crowds, crowds)
        chosen[left[order[rank_in_crowd >= MAX_SHARING]]] = False
    return chosen


def _bits(points: Array) -> NDArray[np.uint64]:
    # Adding zero turns -0.0 into 0.0, which compares equal but has other bits.
    return (points + 0.0).view(np.uint64)


def _first_equal(bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return for each column the index of the first one that equals it."""
    with np.errstate(over="ignore"):  # hashing wraps around, also without the JIT
        first: NDArray[np.int64] = _first_equal_column(bits, MULTIPLIERS, 0, len(bits))
    return first


@kernel
def repeats_point(points, multipliers):
    """Whether two matches (4, N) share a point of an image: most often none do."""
    bits = (points + 0.0).view(np.uint64)  # as in `_bits`
    for start in (0, 2):
        first = _first_equal_column(bits, multipliers, start, start + 2)
        for i in range(first.shape[0]):
            if first[i] != i:
                return True
    return False


@kernel
def _first_equal_column(bits, multipliers, start, stop):
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
