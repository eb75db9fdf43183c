"""Inliers that move unlike their neighbours, which the last fit does without.

A wrong match that ends up near the right line is an inlier, and pulls.  Where things
repeat, such matches are many, and not spread evenly: no loss of the residual alone
tells them from right ones.  Their neighbours do (`cvscore.neighbours`): where nearly
all inliers keep neighbours, the few that keep none are strangers, and left out.
"""

from __future__ import annotations

import numpy as np

from cvscore._kernel import kernel
from cvscore.neighbours import keep_neighbours

# Share of the inliers that have to keep neighbours.  Where fewer do, most of those that
# do not are right, and to leave them out would cost more than the wrong ones do.
MIN_SHARE = 0.8
# About how many inliers are asked first, for that share.
NUM_ASKED_FIRST = 64


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
    edge = sq_residuals[inliers].max() * widening**4
    near = np.flatnonzero(sq_residuals <= edge)
    return near[keep_neighbours(points, near)]
