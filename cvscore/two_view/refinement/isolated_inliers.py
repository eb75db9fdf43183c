"""Inliers that move unlike their neighbours, which the last fit does without.

A wrong match that ends up near the right line is an inlier, and pulls.  Where things
repeat, such matches are many, and not spread evenly: no loss of the residual alone
tells them from right ones.  Their neighbours do (`cvscore.two_view.spatial_consistency`): where nearly
all inliers keep neighbours, the few that keep none are strangers, and left out.

Not where they are right: a branch before a wall keeps no neighbours either, and tells
more than the wall.  Wrong matches lie beside the inliers too, and those who keep no
neighbours are counted there; where that makes hardly any of them by chance, nobody is
left out.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.two_view.spatial_consistency import keep_neighbours

# Share of the inliers that have to keep neighbours.  Where fewer do, most of those that
# do not are right, and to leave them out would cost more than the wrong ones do.
MIN_SHARE = 0.8
# About how many inliers are asked first, for that share.
NUM_ASKED_FIRST = 64
# How far wrong matches are counted, in residuals of the farthest inlier.
REACH = 3.0
# Part of the lone inliers that have to be there by chance, if lone matches are spread
# evenly: on facades many more are wrong than that, for repeats gather at the lines.
MIN_WRONG = 0.1


@kernel
def without_strangers(points, sq_residuals, inliers, widening):
    """Return the indices (M,) of the matches that have a say in the last fit.

    Those that keep neighbours, among inliers and as far beyond as the fit may look; all
    N of them where neighbours do not tell.

    Parameters
    ----------
    points : (4, N) array
    sq_residuals : (N,) array
    inliers : (K,) int array
    widening : float
        Of the last fit.  A widened one looks beyond the inliers too: as far as its
        square, for it should be the loss that ends it.
    """
    everybody = np.arange(points.shape[1])
    if inliers.shape[0] < NUM_ASKED_FIRST:
        return everybody
    some = inliers[:: inliers.shape[0] // NUM_ASKED_FIRST].copy()
    if keep_neighbours(points, some).sum() < MIN_SHARE * some.shape[0]:
        return everybody
    edge = sq_residuals[inliers].max()
    reach = edge * widening**4
    near = np.flatnonzero(sq_residuals <= max(reach, REACH**2 * edge))
    keep = keep_neighbours(points, near)
    num_lone, num_beside = 0, 1  # one more: that there are none may be chance
    for j in range(near.shape[0]):
        if not keep[j] and sq_residuals[near[j]] <= REACH**2 * edge:
            num_lone += sq_residuals[near[j]] <= edge
            num_beside += sq_residuals[near[j]] > edge
    if num_beside / (REACH - 1.0) < MIN_WRONG * num_lone:
        return everybody
    return near[keep & (sq_residuals[near] <= reach)]
