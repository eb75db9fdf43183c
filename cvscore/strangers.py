"""The last fit, without inliers that move unlike their neighbours.

A wrong match that ends up near the right line is an inlier, and pulls.  Where things
repeat, such matches are many, and not spread evenly: no loss of the residual alone
tells them from right ones.  Their neighbours do (`cvscore.neighbours`): where nearly
all inliers keep neighbours, the few that keep none are left out of the polish.
"""

from __future__ import annotations

import numpy as np

from cvscore.neighbours import keep_neighbours
from cvscore.objective import Candidate, Objective
from cvscore.polish import polish

# Share of the inliers that have to keep neighbours.  Where fewer do, most of those that
# do not are right, and to leave them out would cost more than the wrong ones do.
MIN_SHARE = 0.8
# About how many inliers are asked first, for that share.
NUM_ASKED_FIRST = 64


def polish_without_strangers(
    objective: Objective, best: Candidate, widening: float = 1.0
) -> Candidate:
    """Do what `cvscore.polish.polish` does, among inliers that keep neighbours.

    A widened polish looks beyond the inliers too: as far as the square of ``widening``,
    for it should be the loss that ends it.
    """
    inliers = objective.inliers(best)
    if len(inliers) < NUM_ASKED_FIRST:
        return polish(objective, best, widening)
    some = inliers[:: len(inliers) // NUM_ASKED_FIRST]
    num_kept = np.count_nonzero(keep_neighbours(objective.points, some))
    if num_kept < MIN_SHARE * len(some):
        return polish(objective, best, widening)
    edge = best.sq_residuals[inliers].max() * widening**4
    near = np.flatnonzero(best.sq_residuals <= edge)
    chosen = near[keep_neighbours(objective.points, near)]
    among = Objective(
        objective.model,
        np.ascontiguousarray(objective.points[:, chosen]),
        objective.score,
    )
    start = Candidate(best.model, best.sq_residuals[chosen], best.score)
    polished = objective.best_of(polish(among, start, widening).model[None])
    return best if polished is None else polished
