"""The cure for facades, whose repeats make a wrong fundamental matrix score highest.

A plane leaves the epipole open (`cvscore.planes`), and whatever lies off the plane has
to tell it.  On a facade that is, next to few right matches, a crowd of wrong ones: a
window matched to the next one moves along the facade, and an epipole in that direction
explains all of them, one coincidence for many matches that the score takes for
independent.  But those matches lie among right ones and move unlike them.  So, where a
plane has most inliers: search again among the matches that keep their neighbours, and
believe these alone about which of the two models is the right one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cvscore.neighbours import keep_neighbours
from cvscore.objective import Candidate, Objective
from cvscore.planes import dominant_plane, escape_plane, through_epipole
from cvscore.ransac import search
from cvscore.sampling import UniformSampler
from cvscore.types import Array, RansacOptions

# Where fewer of the inliers than this keep neighbours (because most matches are wrong,
# or depths are all different), neighbours do not tell right matches from wrong ones.
MIN_SHARE = 0.5
# Matches that are asked at the most: these are enough to tell the two models apart.
MAX_ASKED = 1000
# Samples at the least: those of a plane have many inliers, and would end the search
# before one comes that has points off the plane.
MIN_SAMPLES = 256


def escape_plane_and_repeats(
    objective: Objective, best: Candidate, options: RansacOptions
) -> Candidate:
    """Return a better fundamental matrix than ``best`` if a plane had captured it."""
    plane = dominant_plane(objective, best, options)
    if plane is None:
        return best
    coherent = _coherent_matches(objective, best)
    if coherent is None:
        return through_epipole(objective, best, plane, options)
    model = objective.model
    among = Objective(model, coherent, objective.score)
    same = among.best_of(best.model[None])
    same = None if same is None else among.climb(same)
    sampler = UniformSampler(coherent.shape[1], model.sample_size, options.seed)
    other, _ = search(among, sampler, _at_least(MIN_SAMPLES, options))
    if other is None or (same is not None and same.score >= other.score):
        other = same
    if other is None:
        return best
    other = escape_plane(among, other, options)
    if other is same:
        return best
    start = objective.best_of(other.model[None])
    return best if start is None else objective.climb(start)


def _at_least(num_samples: int, options: RansacOptions) -> RansacOptions:
    """Return options that draw so many samples, if the caller allows as many."""
    least = max(num_samples, options.min_iterations)
    return replace(options, min_iterations=min(least, options.max_iterations))


def _coherent_matches(objective: Objective, best: Candidate) -> Array | None:
    """Matches (4, M) that keep neighbours; None where these say nothing here."""
    step = -(-objective.points.shape[1] // MAX_ASKED)
    asked = np.ascontiguousarray(objective.points[:, ::step])
    keeps = keep_neighbours(asked, np.arange(asked.shape[1]))
    is_inlier = np.zeros(objective.points.shape[1], dtype=np.bool_)
    is_inlier[objective.inliers(best)] = True
    is_inlier = is_inlier[::step]
    num_coherent = np.count_nonzero(keeps & is_inlier)
    enough = max(objective.model.sample_size + 1, MIN_SHARE * is_inlier.sum())
    return np.ascontiguousarray(asked[:, keeps]) if num_coherent >= enough else None
