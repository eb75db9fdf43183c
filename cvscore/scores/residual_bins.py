"""Residuals in bins: exact counts and sums at once, and the contents of some in order.

The bit patterns of floats that are not negative order as integers, so the leading bits
of a squared residual name its bin: eight bins to an octave, forty octaves.  Their range
follows the outliers' half-width: residuals far above it never are inliers, residuals
2**-18 of it are nearly exact fits, and what lies beyond joins the outermost bins, whose
borders are 0 and infinity.

Of 4, 8 and 16 bins an octave, 8 had the best worst case over N = 1000 and 10,000.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import kernel, reordering_kernel
from cvscore.numerics.shell_sort import sort_first

NUM_OCTAVES = 40
OCTAVES_ABOVE_WIDTH = 4  # octaves of *squared* residuals above the squared half-width
BIN_BITS = 3  # leading bits of the fraction, which tell the bins of an octave apart
NUM_BINS = NUM_OCTAVES << BIN_BITS

# IEEE 754 binary64.
FRACTION_BITS = 52
EXPONENT_BIAS = 1023
# The highest finite border leaves 64 octaves for a count to multiply it with.
MAX_BORDER_EXPONENT = 2046 - 64

# Up to here, counting the values smaller than each (vectorised, without a branch) beats
# other sorts: quicksort takes 3.5 times as long for 30 values, 1.5 times for 300.
MAX_RANK_SORT = 300


@kernel
def write_borders(lowest, borders):
    """Write the rising borders (NUM_BINS + 1,): bin b is [borders[b], borders[b + 1]).

    ``lowest`` are the leading bits of the lowest bin.
    """
    bits = borders.view(np.uint64)
    for b in range(NUM_BINS + 1):
        bits[b] = np.uint64(lowest + b) << np.uint64(FRACTION_BITS - BIN_BITS)
    borders[0], borders[NUM_BINS] = 0.0, np.inf


def lowest_bin(half_width: float) -> int:
    """Return the leading bits of the lowest bin for outliers of this half-width."""
    _, exponent = math.frexp(half_width)
    first = EXPONENT_BIAS + 2 * exponent + OCTAVES_ABOVE_WIDTH - NUM_OCTAVES
    return min(max(first, 1), MAX_BORDER_EXPONENT - NUM_OCTAVES) << BIN_BITS


@kernel
def fill_bins(row, borders, lowest_bin, bins, values):
    """Put the count of the residuals of a row, and half their sum, into their bins.

    ``values`` is scratch, longer than the row by one.
    """
    for b in range(NUM_BINS):
        bins[b, 0] = 0.0
        bins[b, 1] = 0.0
    # Most outliers are in the highest bin.  They are added up apart: each addition to a
    # bin would wait for the one before it.
    highest = borders[NUM_BINS - 1]
    num_below = 0
    for i in range(row.shape[0]):
        values[num_below] = row[i]  # overwritten unless it is kept: no branch
        num_below += row[i] < highest
    bins[NUM_BINS - 1, 0] = row.shape[0] - num_below
    bins[NUM_BINS - 1, 1] = 0.5 * _sum_from(row, highest)
    lowest = np.uint64(lowest_bin)
    # The sign is shifted out: -0.0 is zero.
    sign_bit = np.uint64(1)
    discarded_bits = np.uint64(1 + FRACTION_BITS - BIN_BITS)
    bits = values.view(np.uint64)
    for i in range(num_below):
        leading = (bits[i] << sign_bit) >> discarded_bits
        b = max(leading, lowest) - lowest
        bins[b, 0] += 1.0
        bins[b, 1] += 0.5 * values[i]


@reordering_kernel
def _sum_from(row, lowest):
    """Return the sum of all that is not below ``lowest``."""
    total = 0.0
    for i in range(row.shape[0]):
        total += 0.0 if row[i] < lowest else row[i]
    return total


@kernel
def _gather(row, lower, upper, values):
    """Write the residuals in [lower, upper) to ``values``; return how many."""
    num = 0
    for i in range(row.shape[0]):
        values[num] = row[i]  # overwritten unless it is kept: no branch to mispredict
        num += (row[i] >= lower) & (row[i] < upper)
    return num


@kernel
def _sort_by_rank(values, num, ordered):
    """Write the first ``num`` values to ``ordered``, rising."""
    for i in range(num):
        ordered[i] = np.nan
    for i in range(num):
        rank = 0
        for j in range(num):
            rank += values[j] < values[i]
        while ordered[rank] == values[i]:  # taken by an equal value
            rank += 1
        ordered[rank] = values[i]


@kernel
def sorted_between(row, lower, upper, values, ordered):
    """Write the residuals in [lower, upper) to ``ordered``, rising; return how many.

    ``values`` is scratch, longer than the row by one.
    """
    num = _gather(row, lower, upper, values)
    if num <= MAX_RANK_SORT:
        _sort_by_rank(values, num, ordered)
    else:
        sort_first(values, num, ordered)  # rare: exact fits, and ties
    return num
