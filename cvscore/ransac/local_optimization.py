"""Local optimisation: refit a model to its inliers while that raises its score.

LO-RANSAC (Chum, Matas, Kittler 2003) with weights that are the derivative of the score,
so that every refit climbs the very score that ranks models.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cvscore._numba.bound import bound_kernel, call_assess
from cvscore._numba.compile import kernel
from cvscore.ransac.objective import Candidate, Objective, refit, residuals_of
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
# Nor need all inliers take part: so many determine a model well enough to compare it.
MAX_REFIT_POINTS = 128
EVERY_POINT = 2**62


class Effort(NamedTuple):
    """How far a local optimisation goes.

    Attributes
    ----------
    min_gain : float
        It ends at a step that raises the score by less.
    converged : float
        Each refit ends at a step that promises less than this fraction of its cost.
    max_points : int
        About how many inliers a refit uses at the most.
    """

    min_gain: float
    converged: float
    max_points: int


WHILE_SEARCHING = Effort(MIN_GAIN, NEARLY_CONVERGED, MAX_REFIT_POINTS)
TO_THE_END = Effort(0.0, CONVERGED, EVERY_POINT)


def optimise(objective: Objective, candidate: Candidate) -> Candidate:
    """Optimise a candidate until nothing is left to gain."""
    found = objective.run(locally_optimise, candidate, -np.inf, TO_THE_END)
    return Candidate(*found) if found[2] > candidate.score else candidate


def optimise_from(objective: Objective, model: Array) -> Candidate | None:
    """Optimise a model as far as while searching; None where it has no score."""
    start = objective.best_of(model[None])
    if start is None:
        return None
    found = objective.run(locally_optimise, start, -np.inf, WHILE_SEARCHING)
    return Candidate(*found) if found[2] > start.score else start


@bound_kernel
def locally_optimise(objective, candidate, goal, effort):
    """Refit a candidate while that raises its score.

    Parameters
    ----------
    objective : BoundObjective
    candidate : Candidate
        Where it begins.
    goal : float
        The score to beat.  Each step gains less than the one before; it ends where two
        more like the last would not reach the goal.
    effort : Effort
    """
    model, sq_residuals, score = candidate
    _, weights = call_assess(objective.score, sq_residuals)
    for _ in range(MAX_OPTIMISATION_STEPS):
        fitted_to = weights.copy()
        thin_out(weights, effort.max_points)
        moved = refit(objective, model, weights, effort.converged)
        moved_residuals = residuals_of(objective, moved)
        moved_score, weights = call_assess(objective.score, moved_residuals)
        gain = moved_score - score
        if gain > 0.0:
            model, sq_residuals, score = moved, moved_residuals, moved_score
        if not (gain > effort.min_gain and score + 2.0 * gain > goal):
            break
        if are_proportional(weights, fitted_to):  # the next refit would be this one
            break
    return Candidate(model, sq_residuals, score)


@kernel
def are_proportional(weights, others):
    """Whether two rows of weights (N,) differ by a common factor only."""
    largest, largest_other = weights.max(), others.max()
    for i in range(weights.shape[0]):
        if weights[i] * largest_other != others[i] * largest:
            return False
    return True


@kernel
def thin_out(weights, max_points):
    """Leave weights (N,) to about ``max_points`` of the points that have one."""
    num_weighted = 0
    for i in range(weights.shape[0]):
        num_weighted += weights[i] > 0.0
    step = num_weighted // max_points
    if step < 2:
        return
    rank = 0
    for i in range(weights.shape[0]):
        if weights[i] > 0.0:
            if rank % step != 0:
                weights[i] = 0.0
            rank += 1
