"""The best prefix of each row of residuals, found without sorting the row.

The task: with squared residuals in rising order and their partial sums RSS_k, maximise

    S(k) = terms[k] - shapes[k] log(RSS_k / 2 + offset),      k = 1..N,

where ``shapes`` is linear in ``k`` and positive from the first admissible ``k`` on, and
``terms`` is logGamma(shapes[k]) plus anything convex in ``k`` (``-inf`` before that).

1. *Bins.*  The bit patterns of floats that are not negative order as integers, so the
   leading bits of a residual name its bin: eight per factor of two.  One pass gives
   each bin's exact count and sum; S is then exact at every bin edge.
2. *Bounds.*  Where RSS grows linearly, S is convex (shown in ``marginal.py``).  Inside
   a bin of values from ``l`` to ``u``, between the edges (k0, RSS0) and (k0 + c, RSS1),
   sorted values rise, so that ``j`` of the ``c`` values give

       RSS >= max(RSS0 + j l,  RSS1 - (c - j) u),

   two straight lines.  Along each of them the bound of S is convex, hence largest at
   its ends: the exact edges of the bin, and the integers beside the corner.
3. *Descent.*  The bounds are taken for whole octaves first, then for the bins of the
   octaves that may beat the best edge and ``best``.  Only bins that still may are
   gathered and sorted; a row without any is left with the score of its best edge.

Every step is exact whatever the residuals are; where the bins lie decides only how
much is left to sort.  Their range follows the outliers' half-width: residuals far
above it never are inliers, residuals 2**-18 of it are nearly exact fits, and what lies
beyond joins the outermost bins, whose borders are 0 and infinity.

Binning costs 1.3 ns a point, the edges and bounds 0.4 us a row, and the rest, where
``best`` does not spare it, 1 to 2 us and another 0.7 ns a point.  Of 4, 8 and 16 bins
an octave, 8 had the best worst case over N = 1000 and 10,000.  Giving up on a row
before all its points are binned was considered and does not pay: the points not yet
seen may all fit exactly, so nothing can be concluded from the others.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._kernel import kernel

NUM_OCTAVES = 40
OCTAVES_ABOVE_WIDTH = 4  # octaves of *squared* residuals above the squared half-width
BIN_BITS = 3  # leading bits of the fraction, which tell the bins of an octave apart
BINS_PER_OCTAVE = 1 << BIN_BITS
NUM_BINS = NUM_OCTAVES * BINS_PER_OCTAVE

# IEEE 754 binary64.
FRACTION_BITS = 52
EXPONENT_BIAS = 1023
# The highest finite border leaves 64 octaves for a count to multiply it with.
MAX_BORDER_EXPONENT = 2046 - 64

# Scores and bounds are rounded; one beats another only beyond this margin per point,
# far above the rounding (about 1e-13) and far below any difference that matters.
SLACK_PER_POINT = 1e-9

# Up to here, counting the smaller ones of each value (vectorised, without a branch)
# beats the compiled quicksort: 3.5 times at 30 values, 1.5 times at 300.
MAX_RANK_SORT = 300

# Columns of an edge: the bin it opens, the count and the rate RSS/2 + offset of all
# that is below it, and the logarithm of the rate.
BIN, COUNT, RATE, LOG_RATE = 0, 1, 2, 3
# A candidate is the edge below a group of bins, with the group's bound in place of the
# logarithm.
BOUND = 3


def first_exponent(half_width: float) -> int:
    """Return the biased exponent of the lowest octave of bins."""
    _, exponent = math.frexp(half_width)
    first = EXPONENT_BIAS + 2 * exponent + OCTAVES_ABOVE_WIDTH - NUM_OCTAVES
    return min(max(first, 1), MAX_BORDER_EXPONENT - NUM_OCTAVES)


@kernel
def _bin_borders(exponent):
    """Return the borders (NUM_BINS + 1,): bin b is [borders[b], borders[b + 1])."""
    borders = np.empty(NUM_BINS + 1)
    bits = borders.view(np.uint64)
    for b in range(NUM_BINS + 1):
        leading = np.uint64((exponent << BIN_BITS) + b)
        bits[b] = leading << np.uint64(FRACTION_BITS - BIN_BITS)
    borders[0] = 0.0
    borders[NUM_BINS] = np.inf
    return borders


@kernel
def _fill_bins(row, exponent, bins):
    """Add the count of the residuals of a row and half their sum to their bins."""
    lowest = np.uint64(exponent << BIN_BITS)
    highest = lowest + np.uint64(NUM_BINS - 1)
    # The sign is shifted out: -0.0 is zero, and NaN of either sign is beyond infinity.
    sign_bit = np.uint64(1)
    discarded_bits = np.uint64(1 + FRACTION_BITS - BIN_BITS)
    bits = row.view(np.uint64)
    for i in range(row.shape[0]):
        leading = (bits[i] << sign_bit) >> discarded_bits
        b = min(max(leading, lowest), highest) - lowest
        bins[b, 0] += 1.0
        bins[b, 1] += 0.5 * row[i]


@kernel
def _score(table, k, log_rate):
    return table[k, 0] - table[k, 1] * log_rate


@kernel
def _find_edges(bins, start, stop, step, k, rate, edges):
    """Write the edges of the non-empty groups of ``step`` bins; return how many groups.

    It ends with the group that makes the sum infinite: nothing above is an inlier.
    """
    num_groups = 0
    edges[0, COUNT] = k
    edges[0, RATE] = rate
    edges[0, LOG_RATE] = math.log(rate)
    for b in range(start, stop, step):
        count = 0.0
        total = 0.0
        for i in range(b, b + step):
            count += bins[i, 0]
            total += bins[i, 1]
        if count == 0.0:
            continue
        edges[num_groups, BIN] = b
        num_groups += 1
        k += int(count)
        rate += total
        edges[num_groups, COUNT] = k
        if not rate < np.inf:  # NaN too
            edges[num_groups, RATE] = np.inf
            edges[num_groups, LOG_RATE] = np.inf
            break
        edges[num_groups, RATE] = rate
        edges[num_groups, LOG_RATE] = math.log(rate)
    return num_groups


@kernel
def _best_edge(edges, num_groups, table, top, top_k):
    """Return the best score and prefix among the edges and those given."""
    for i in range(1, num_groups + 1):
        if edges[i, RATE] < np.inf:
            k = int(edges[i, COUNT])
            score = _score(table, k, edges[i, LOG_RATE])
            if score > top:
                top = score
                top_k = k
    return top, top_k


@kernel
def _least_growth(j, count, rise, lower, upper):
    """Return the least that ``j`` of ``count`` values add to the rate."""
    growth = 0.5 * j * lower
    if rise < np.inf and upper < np.inf:
        growth = max(growth, rise - 0.5 * (count - j) * upper)
    return growth


@kernel
def _interior_bound(table, edges, i, lower, upper, first_k):
    """Bound S from above strictly between edges ``i`` and ``i + 1``."""
    k = int(edges[i, COUNT])
    count = int(edges[i + 1, COUNT]) - k
    rate = edges[i, RATE]
    rise = edges[i + 1, RATE] - rate
    first = max(first_k - k, 1)
    corner = count - 1
    if rise < np.inf and upper < np.inf:
        corner = int((count * upper - 2.0 * rise) / (upper - lower))
        corner = min(max(corner, first), count - 1)
    growth = _least_growth(corner, count, rise, lower, upper)
    bound = _score(table, k + corner, math.log(rate + growth))
    beyond = min(corner + 1, count - 1)
    growth = _least_growth(beyond, count, rise, lower, upper)
    bound = max(bound, _score(table, k + beyond, math.log(rate + growth)))
    if k < first_k:  # the lower edge has no score: the first line begins here
        growth = _least_growth(first, count, rise, lower, upper)
        bound = max(bound, _score(table, k + first, math.log(rate + growth)))
    return bound


@kernel
def _find_candidates(
    edges, num_groups, step, borders, table, first_k, goal, found, num
):
    """Append to ``found`` the groups whose interior may exceed ``goal``."""
    for i in range(num_groups):
        k = int(edges[i, COUNT])
        next_k = int(edges[i + 1, COUNT])
        if next_k < k + 2 or next_k <= first_k:
            continue
        # Were the whole group zero, S would be convex in it: a bound for no logarithm.
        log_rate = edges[i, LOG_RATE]
        if _score(table, next_k, log_rate) <= goal and (
            k >= first_k or _score(table, first_k, log_rate) <= goal
        ):
            continue
        b = int(edges[i, BIN])
        bound = _interior_bound(table, edges, i, borders[b], borders[b + step], first_k)
        if bound > goal:
            found[num, BIN] = b
            found[num, COUNT] = k
            found[num, RATE] = edges[i, RATE]
            found[num, BOUND] = bound
            num += 1
    return num


@kernel
def _sorted_between(row, lower, upper, buffer, ordered):
    """Return the residuals in [lower, upper) in rising order, a view of a buffer."""
    num = 0
    for i in range(row.shape[0]):
        buffer[num] = row[i]  # overwritten unless it is kept: no branch to mispredict
        num += (row[i] >= lower) & (row[i] < upper)
    if num > MAX_RANK_SORT:
        buffer[:num].sort()
        return buffer[:num]
    ordered[:num] = np.nan
    for i in range(num):
        rank = 0
        for j in range(num):
            rank += buffer[j] < buffer[i]
        while ordered[rank] == buffer[i]:
            rank += 1
        ordered[rank] = buffer[i]
    return ordered[:num]


@kernel
def _sweep_sorted(ordered, k, rate, table, top, top_k):
    """Evaluate S along the given residuals; return the best score and prefix."""
    for q in ordered:
        k += 1
        rate += 0.5 * q
        score = _score(table, k, math.log(rate))
        if score > top:
            top = score
            top_k = k
    return top, top_k


@kernel
def best_prefix(sq_residuals, table, offset, exponent, best):
    """Return the largest S(k) of each row, (K,), and its k, (K,).

    sq_residuals (K, N); table (N + 1, 2) of terms and shapes; exponent from
    :func:`first_exponent`.  A row that cannot beat ``best`` gets its best edge.
    """
    num_models, num_points = sq_residuals.shape
    scores = np.empty(num_models)
    prefixes = np.empty(num_models, dtype=np.int64)
    borders = _bin_borders(exponent)
    bins = np.empty((NUM_BINS, 2))
    edges = np.empty((NUM_OCTAVES + 1, 4))
    octaves = np.empty((NUM_OCTAVES, 4))
    found = np.empty((NUM_BINS, 4))
    buffer = np.empty(num_points + 1)
    ordered = np.empty(MAX_RANK_SORT)
    slack = SLACK_PER_POINT * num_points
    first_k = 0
    while first_k <= num_points and table[first_k, 0] == -np.inf:
        first_k += 1

    for r in range(num_models):
        row = sq_residuals[r]
        bins[:] = 0.0
        _fill_bins(row, exponent, bins)

        step = BINS_PER_OCTAVE
        num = _find_edges(bins, 0, NUM_BINS, step, 0, offset, edges)
        top, top_k = _best_edge(edges, num, table, -np.inf, 0)
        goal = max(top, best) - slack
        num_octaves = _find_candidates(
            edges, num, step, borders, table, first_k, goal, octaves, 0
        )

        num_found = 0
        for i in range(num_octaves):
            if octaves[i, BOUND] <= max(top, best) - slack:
                continue
            b = int(octaves[i, BIN])
            k = int(octaves[i, COUNT])
            num = _find_edges(bins, b, b + step, 1, k, octaves[i, RATE], edges)
            top, top_k = _best_edge(edges, num, table, top, top_k)
            goal = max(top, best) - slack
            num_found = _find_candidates(
                edges, num, 1, borders, table, first_k, goal, found, num_found
            )

        i = 0
        while i < num_found:
            goal = max(top, best) - slack
            # Neighbours that may both hold the maximum are gathered in one pass.
            stop = i
            while (
                stop < num_found
                and found[stop, BOUND] > goal
                and found[stop, BIN] == found[i, BIN] + (stop - i)
            ):
                stop += 1
            if stop > i:
                lower = borders[int(found[i, BIN])]
                upper = borders[int(found[stop - 1, BIN]) + 1]
                values = _sorted_between(row, lower, upper, buffer, ordered)
                k = int(found[i, COUNT])
                top, top_k = _sweep_sorted(values, k, found[i, RATE], table, top, top_k)
            i = max(stop, i + 1)

        scores[r] = top
        prefixes[r] = top_k
    return scores, prefixes
