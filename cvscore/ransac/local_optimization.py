"""Local optimisation: refit a model to its inliers while that raises its score.

LO-RANSAC (Chum, Matas, Kittler 2003) with weights that are the derivative of the score,
so that every refit climbs the very score that ranks models.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.bound import bound_kernel, call_assess, call_refit
from cvscore.ransac.objective import Candidate, Objective, residuals_of
from cvscore.types import Array

# Refits of one optimisation; few ever need more before the score stops rising.
MAX_OPTIMISATION_STEPS = 8
# A refit ends at a step that promises less than this fraction of its cost: for n
# matches that moves the parameters by 3e-5 sqrt(n) of their standard deviation.
CONVERGED = 1e-9
# While searching it ends at a step that raises the score (a log likelihood) by less
# than this: such steps never decide between candidates, and are many.
MIN_GAIN = 1.0
# Nor need it end exactly at the minimum of each refit.
NEARLY_CONVERGED = 1e-2


def optimise(objective: Objective, candidate: Candidate) -> Candidate:
    """Optimise a candidate until nothing is left to gain."""
    found = objective.run(locally_optimise, candidate, -np.inf, 0.0, CONVERGED)
    return Candidate(*found) if found[2] > candidate.score else candidate


def optimise_from(objective: Objective, model: Array) -> Candidate | None:
    """Optimise a model as far as while searching; None where it has no score."""
    start = objective.best_of(model[None])
    if start is None:
        return None
    how = -np.inf, MIN_GAIN, NEARLY_CONVERGED
    found = objective.run(locally_optimise, start, *how)
    return Candidate(*found) if found[2] > start.score else start


@bound_kernel
def locally_optimise(objective, candidate, goal, min_gain, converged):
    """Refit a candidate while that raises its score.

    Parameters
    ----------
    objective : BoundObjective
    candidate : Candidate
        Where it begins.
    goal : float
        The score to beat.  Each step gains less than the one before; it ends where two
        more like the last would not reach the goal.
    min_gain : float
        It ends at a step that raises the score by less.
    converged : float
        Each refit ends at a step that promises less than this fraction of its cost.
    """
    points = objective.points
    model, sq_residuals, score = candidate
    _, weights = call_assess(objective.score, sq_residuals)
    for _ in range(MAX_OPTIMISATION_STEPS):
        moved = call_refit(objective.model, model, points, weights, converged)
        moved_residuals = residuals_of(objective, moved)
        moved_score, weights = call_assess(objective.score, moved_residuals)
        gain = moved_score - score
        if gain > 0.0:
            model, sq_residuals, score = moved, moved_residuals, moved_score
        if not (gain > min_gain and score + 2.0 * gain > goal):
            break
    return Candidate(model, sq_residuals, score)
