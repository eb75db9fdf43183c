"""Isolated inliers, which move unlike their neighbours: the last fit excludes them.

A wrong match that ends up near the right line is an inlier, and pulls.  Where things
repeat, such matches are many, and not spread evenly: no loss of the residual alone
tells them from right ones.  Their neighbours do (`spatial_consistency`): where nearly
all inliers are consistent, the few isolated ones are excluded.

Not where they are right: a branch before a wall is isolated too, and tells more than
the wall.  Wrong matches lie beside the inliers too, and the isolated ones are counted
there; where that makes hardly any of them by chance, none is excluded.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.two_view.spatial_consistency import are_consistent

# Share of the inliers that have to be consistent.  Where fewer are, most isolated ones
# are right, and to exclude them would cost more than the wrong ones do.
MIN_SHARE_IN_COMPANY = 0.8
# About how many inliers are looked at first, for that share.
NUM_LOOKED_AT_FIRST = 64
# How far wrong matches are counted, in residuals of the farthest inlier.
REACH_BESIDE = 3.0
# Part of the inliers that are there by chance, if wrong matches are as dense beside
# them: where fewer are, they can't pull enough to be worth looking for.
MIN_BY_CHANCE = 0.01
# Part of the isolated inliers that have to be there by chance, if isolated matches are
# spread evenly: on facades many more are wrong than that, for repeats gather at lines.
MIN_WRONG = 0.1


@kernel
def without_isolated(points, sq_residuals, is_inlier):
    """Return which matches (N,) the last fit may use.

    The consistent ones among the inliers; all matches where neighbours do not tell.

    Parameters
    ----------
    points : (4, N) array
    sq_residuals : (N,) array
    is_inlier : (N,) bool array
    """
    every = np.ones(points.shape[1], dtype=np.bool_)
    inliers = np.flatnonzero(is_inlier)
    if inliers.shape[0] < NUM_LOOKED_AT_FIRST:
        return every
    edge = 0.0
    for i in inliers:
        edge = max(edge, sq_residuals[i])
    near = np.flatnonzero(sq_residuals <= REACH_BESIDE**2 * edge)
    by_chance = (near.shape[0] - inliers.shape[0]) / (REACH_BESIDE - 1.0)
    if by_chance < MIN_BY_CHANCE * inliers.shape[0]:
        return every
    some = inliers[:: inliers.shape[0] // NUM_LOOKED_AT_FIRST].copy()
    if are_consistent(points, some).sum() < MIN_SHARE_IN_COMPANY * some.shape[0]:
        return every
    consistent = are_consistent(points, near)
    chosen = np.zeros(points.shape[1], dtype=np.bool_)
    num_isolated, num_beside = 0, 1  # one more: that there are none may be chance
    for j in range(near.shape[0]):
        is_within = sq_residuals[near[j]] <= edge
        chosen[near[j]] = consistent[j] and is_within
        if not consistent[j]:
            num_isolated += is_within
            num_beside += not is_within
    if num_beside / (REACH_BESIDE - 1.0) < MIN_WRONG * num_isolated:
        return every
    return chosen
