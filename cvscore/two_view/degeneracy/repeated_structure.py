"""The cure for facades, whose repeats make a wrong fundamental matrix score highest.

A plane leaves the epipole open (`dominant_plane`), and whatever lies off the plane has
to tell it.  On a facade that is, next to few right matches, many wrong ones: a
window matched to the next one moves along the facade, and an epipole in that direction
explains all of them, one coincidence for many matches that the score takes for
independent.  But those matches lie among right ones and move unlike them.  So, where a
plane has most inliers: search again among the spatially consistent matches, and let
these vote on which of the two models is the right one.

Only those vote that the plane leaves unexplained (`dominant_plane`).  An isolated match
has a vote too, a small one: it may be a branch before the wall, and no other match is
there to decide.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cvscore.ransac.local_optimization import optimise
from cvscore.ransac.loop import search
from cvscore.ransac.objective import Candidate, Objective
from cvscore.ransac.samplers import UniformSampler
from cvscore.two_view.degeneracy.dominant_plane import (
    DominantPlane,
    escape_through_epipole,
    find_dominant_plane,
    noise_variance,
    prefer_other,
)
from cvscore.two_view.spatial_consistency import are_consistent
from cvscore.types import Mask, RansacOptions

# Where fewer of the inliers than this are consistent (because most matches are wrong,
# or depths are all different), neighbours do not tell right matches from wrong ones.
MIN_CONSISTENT_SHARE = 0.5
# Matches that vote at the most: these are enough to tell the two models apart.
MAX_VOTERS = 1000
# Samples at the least: those of a plane have many inliers, and would end the search
# before one comes that has points off the plane.
MIN_SAMPLES_OFF_PLANE = 128
# What the vote of an isolated match counts, beside that of a consistent one.
ISOLATED_VOTE = 0.05


def escape_dominant_plane(
    objective: Objective, candidate: Candidate
) -> tuple[Objective, Candidate]:
    """Find a better fundamental matrix if a plane had captured this one (a step)."""
    plane = find_dominant_plane(objective, candidate)
    if plane is None or not plane.has_captured:
        return objective, candidate
    best = escape_through_epipole(objective, candidate, plane)
    # Every so many matches: a mask of those that vote.
    step = -(-objective.points.shape[1] // MAX_VOTERS)
    votes = np.zeros(objective.points.shape[1], dtype=np.bool_)
    votes[::step] = True
    voters = objective.among(votes)
    consistent = are_consistent(voters.points, np.arange(voters.points.shape[1]))
    if not _tell(objective, candidate, votes, consistent):
        return objective, best
    among = voters.among(consistent)
    other = _best_among(among, candidate, plane.among(votes).among(consistent))
    if other is None:
        return objective, best
    noise = min(noise_variance(objective, best), noise_variance(among, other))
    weights = np.where(consistent, 1.0, ISOLATED_VOTE)
    if not prefer_other(plane, best, other, noise, voters.points, weights):
        return objective, best
    start = objective.best_of(other.model[None])
    return objective, candidate if start is None else optimise(objective, start)


def _tell(
    objective: Objective, candidate: Candidate, votes: Mask, consistent: Mask
) -> bool:
    """Whether enough inliers of a candidate are consistent for them to be believed."""
    inliers = objective.inliers(candidate)[votes]
    num_consistent = np.count_nonzero(consistent & inliers)
    enough = MIN_CONSISTENT_SHARE * inliers.sum()
    return bool(num_consistent >= max(objective.model.sample_size + 1, enough))


def _best_among(
    among: Objective, candidate: Candidate, plane: DominantPlane
) -> Candidate | None:
    """Return the best model of consistent matches."""
    start = among.best_of(candidate.model[None])
    same = None if start is None else optimise(among, start)
    sampler = UniformSampler(
        among.points.shape[1], among.model.sample_size, among.options.seed
    )
    longer = _with_more_samples(among.options)
    other, _ = search(among.with_options(longer), sampler)
    if other is None or (same is not None and same.score >= other.score):
        other = same
    return None if other is None else escape_through_epipole(among, other, plane)


def _with_more_samples(options: RansacOptions) -> RansacOptions:
    """Return options that draw enough samples, if the caller allows as many."""
    least = max(MIN_SAMPLES_OFF_PLANE, options.min_iterations)
    return replace(options, min_iterations=min(least, options.max_iterations))
