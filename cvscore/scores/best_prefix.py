"""The best prefix of each row of residuals, found without sorting the row.

The task: with squared residuals in rising order and their partial sums RSS_k, maximise

    S(k) = terms[k] - shapes[k] log(RSS_k / 2 + offset),      k = 1..N,

where ``shapes`` is linear in ``k`` and positive from the first admissible ``k`` on, and
``terms`` is logGamma(shapes[k]) plus anything convex in ``k`` (``-inf`` before that).

1. *Bins.*  One pass puts the residuals into bins by their leading bits and gives each
   bin's exact count and sum; S is then exact at every bin edge.
2. *Bounds.*  Where RSS grows linearly, S is convex (shown in ``marginal.py``).  Inside
   a bin of values from ``l`` to ``u``, between the edges (k0, RSS0) and (k0 + c, RSS1),
   sorted values rise, so that ``j`` of the ``c`` values give

       RSS >= max(RSS0 + j l,  RSS1 - (c - j) u),

   two straight lines.  Along each of them the bound of S is convex, hence largest at
   its ends: the exact edges of the bin, and the integers beside the corner.
3. *Descent.*  The bounds are taken for groups of bins first (two octaves), then for
   smaller groups and at last for the bins of those that may beat the best edge and
   ``best``.  Only bins that still may are gathered and sorted; a row without any is
   left with the score of its best edge.

A row of few residuals is sorted at once, which is as fast as to bin it.

Every step is exact whatever the residuals are; where the bins lie decides only how
much is left to sort.  Binning costs 1.2 ns a point, the first groups 0.7 us a row, and
the rest, where ``best`` does not spare it, up to 1.5 us a row and 0.7 ns a point.
Giving up on a row before all its points are binned was considered and does not pay: the
points not yet seen may all fit exactly, so nothing can be concluded from the others.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.scores.residual_bins import NUM_BINS, fill_bins, sorted_between

GROUP_SIZES = (16, 4, 1)  # bins in a group, from the first split to the last
NUM_LEVELS = len(GROUP_SIZES)
MAX_PARTS = NUM_BINS // GROUP_SIZES[0]  # of a split; the first has the most

# Up to so many residuals are sorted at once.
FEW_RESIDUALS = 64

# Scores and bounds are rounded, so bounds are raised by this margin per point: far
# above the rounding (about 1e-13), far below any difference that matters.
SLACK_PER_POINT = 1e-9

# Columns of an edge: the bin it opens, the count and the rate RSS/2 + offset of all
# that is below it, and the logarithm of the rate.
BIN, COUNT, RATE, LOG_RATE = 0, 1, 2, 3
# A group is the edge below it, with the bound of its inside in place of the logarithm.
BOUND = 3


@kernel
def _score(table, k, log_rate):
    return table[k, 0] - table[k, 1] * log_rate


@kernel
def _find_edges(bins, groups, group, width, step, edges):
    """Split a group of ``width`` bins by ``step``; return how many parts are not empty.

    It ends with the part that makes the sum infinite: nothing above is an inlier.
    """
    start = int(groups[group, BIN])
    k = int(groups[group, COUNT])
    rate = groups[group, RATE]
    num_parts = 0
    edges[0, COUNT] = k
    edges[0, RATE] = rate
    edges[0, LOG_RATE] = math.log(rate)
    for b in range(start, start + width, step):
        count = 0.0
        total = 0.0
        for i in range(b, b + step):
            count += bins[i, 0]
            total += bins[i, 1]
        if count == 0.0:
            continue
        edges[num_parts, BIN] = b
        num_parts += 1
        k += int(count)
        rate += total
        edges[num_parts, COUNT] = k
        if not rate < np.inf:  # NaN too
            edges[num_parts, RATE] = np.inf
            edges[num_parts, LOG_RATE] = np.inf
            break
        edges[num_parts, RATE] = rate
        edges[num_parts, LOG_RATE] = math.log(rate)
    return num_parts


@kernel
def _best_edge(edges, num_parts, step, borders, table, top, top_k, cut):
    """Return the best score, prefix and cut among the edges and those given."""
    for i in range(1, num_parts + 1):
        if edges[i, RATE] < np.inf:
            k = int(edges[i, COUNT])
            score = _score(table, k, edges[i, LOG_RATE])
            if score > top:
                top = score
                top_k = k
                cut = borders[int(edges[i - 1, BIN]) + step]
    return top, top_k, cut


@kernel
def _least_rate(j, count, rate, rise, lower, upper):
    """Return the least rate after ``j`` of the ``count`` values of a part."""
    least = rate + 0.5 * j * lower
    if rise < np.inf and upper < np.inf:
        least = max(least, rate + rise - 0.5 * (count - j) * upper)
    return least


@kernel
def _corner(count, rise, lower, upper):
    """Return the last of the ``count`` values at which the first line is higher."""
    if rise < np.inf and upper < np.inf:
        return int((count * upper - 2.0 * rise) / (upper - lower))
    return count - 1


@kernel
def _find_candidates(edges, num_parts, step, borders, table, first_k, goal, found, num):
    """Append to ``found`` the parts inside which S may exceed ``goal``."""
    slack = SLACK_PER_POINT * table.shape[0]
    for i in range(num_parts):
        k = int(edges[i, COUNT])
        count = int(edges[i + 1, COUNT]) - k
        if count < 2 or k + count <= first_k:
            continue
        # Were all its values zero, S would be convex in it: a bound for no logarithm.
        log_rate = edges[i, LOG_RATE]
        if _score(table, k + count, log_rate) + slack <= goal and (
            k >= first_k or _score(table, first_k, log_rate) + slack <= goal
        ):
            continue
        b = int(edges[i, BIN])
        lower, upper = borders[b], borders[b + step]
        rate = edges[i, RATE]
        rise = edges[i + 1, RATE] - rate
        first = max(first_k - k, 1)
        j = min(max(_corner(count, rise, lower, upper), first), count - 1)
        least = _least_rate(j, count, rate, rise, lower, upper)
        bound = _score(table, k + j, math.log(least))
        j = min(j + 1, count - 1)
        least = _least_rate(j, count, rate, rise, lower, upper)
        bound = max(bound, _score(table, k + j, math.log(least)))
        if k < first_k:  # the edge below has no score: the first line begins here
            least = _least_rate(first, count, rate, rise, lower, upper)
            bound = max(bound, _score(table, k + first, math.log(least)))
        if bound + slack > goal:
            found[num, BIN] = b
            found[num, COUNT] = k
            found[num, RATE] = rate
            found[num, BOUND] = bound + slack
            num += 1
    return num


@kernel
def _sweep(ordered, num, k, rate, table, top, top_k, cut):
    """Evaluate S along sorted residuals; return the best score, its k and cut.

    ``k`` and ``rate`` are of what is below them.
    """
    last = -1
    for i in range(num):
        k += 1
        rate += 0.5 * ordered[i]
        score = _score(table, k, math.log(rate))
        if score > top:
            top, top_k, last = score, k, i
    if last >= 0:
        cut = np.nextafter(ordered[last], np.inf)
    return top, top_k, cut


@kernel
def _search_edges(bins, groups, borders, table, first_k, best, edges):
    """Find the best edge, and the bins inside which S may exceed it and ``best``.

    groups (NUM_LEVELS + 1, NUM_BINS, 4): the first level is one group of all bins, the
    last is filled with the bins.  Returns score, prefix and cut of the edge, and how
    many bins there are.
    """
    # Typed, because numba compiles callees anew for the literal 0.
    zero = np.int64(0)
    top, top_k, cut = -np.inf, zero, 0.0
    num_groups, width = zero + 1, zero + NUM_BINS
    for level in range(NUM_LEVELS):
        step = GROUP_SIZES[level]
        num_found = zero
        for i in range(num_groups):
            if groups[level, i, BOUND] > max(top, best):
                num_parts = _find_edges(bins, groups[level], i, width, step, edges)
                top, top_k, cut = _best_edge(
                    edges, num_parts, step, borders, table, top, top_k, cut
                )
                goal = max(top, best)
                num_found = _find_candidates(
                    edges,
                    num_parts,
                    step,
                    borders,
                    table,
                    first_k,
                    goal,
                    groups[level + 1],
                    num_found,
                )
        num_groups, width = num_found, zero + step
    return top, top_k, cut, num_groups


@kernel
def _search_inside(
    row, groups, num_groups, borders, table, best, top, top_k, cut, values, ordered
):
    """Sort the bins whose inside may beat the best score; return it, its k and cut."""
    i = np.int64(0)  # typed, as above
    while i < num_groups:
        # Neighbours that may both hold the maximum are gathered in one pass.
        stop = i
        while (
            stop < num_groups
            and groups[stop, BOUND] > max(top, best)
            and groups[stop, BIN] == groups[i, BIN] + (stop - i)
        ):
            stop += 1
        if stop > i:
            lower = borders[int(groups[i, BIN])]
            upper = borders[int(groups[stop - 1, BIN]) + 1]
            num = sorted_between(row, lower, upper, values, ordered)
            k, rate = int(groups[i, COUNT]), groups[i, RATE]
            top, top_k, cut = _sweep(ordered, num, k, rate, table, top, top_k, cut)
        i = max(stop, i + 1)
    return top, top_k, cut


@kernel
def best_prefix(sq_residuals, table, offset, borders, lowest_bin, best):
    """Return the largest S(k) of each row, (K,), its k, and the cut above its k-th.

    sq_residuals (K, N); table (N + 1, 2) of terms and shapes; borders and lowest_bin
    from ``_bins.py``.  A row that cannot beat ``best`` gets the score and the prefix of
    its best edge.  Residuals below the cut belong to the prefix, or equal its last.
    """
    num_models, num_points = sq_residuals.shape
    scores = np.empty(num_models)
    prefixes = np.empty(num_models, dtype=np.int64)
    cuts = np.empty(num_models)
    values = np.empty(num_points + 1)
    ordered = np.empty(num_points)
    zero = np.int64(0)  # typed, as above
    if num_points <= FEW_RESIDUALS:
        for i in range(num_models):
            num = sorted_between(sq_residuals[i], 0.0, np.inf, values, ordered)
            scores[i], prefixes[i], cuts[i] = _sweep(
                ordered, num, zero, offset, table, -np.inf, zero, 0.0
            )
        return scores, prefixes, cuts
    bins = np.empty((NUM_BINS, 2))
    edges = np.empty((MAX_PARTS + 1, 4))
    groups = np.empty((NUM_LEVELS + 1, NUM_BINS, 4))
    groups[0, 0, BIN] = 0
    groups[0, 0, COUNT] = 0
    groups[0, 0, RATE] = offset
    groups[0, 0, BOUND] = np.inf
    first_k = 0
    while first_k <= num_points and table[first_k, 0] == -np.inf:
        first_k += 1
    for i in range(num_models):
        row = sq_residuals[i]
        fill_bins(row, borders, lowest_bin, bins, values)
        top, top_k, cut, num_left = _search_edges(
            bins, groups, borders, table, first_k, best, edges
        )
        scores[i], prefixes[i], cuts[i] = _search_inside(
            row,
            groups[NUM_LEVELS],
            num_left,
            borders,
            table,
            best,
            top,
            top_k,
            cut,
            values,
            ordered,
        )
    return scores, prefixes, cuts
