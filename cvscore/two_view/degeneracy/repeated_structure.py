"""The cure for facades, whose repeats make a wrong fundamental matrix score highest.

A plane leaves the epipole open (`cvscore.two_view.degeneracy.dominant_plane`), and whatever lies off the plane has
to tell it.  On a facade that is, next to few right matches, a crowd of wrong ones: a
window matched to the next one moves along the facade, and an epipole in that direction
explains all of them, one coincidence for many matches that the score takes for
independent.  But those matches lie among right ones and move unlike them.  So, where a
plane has most inliers: search again among the matches that keep their neighbours, and
ask these about which of the two models is the right one.

Only those are asked that the plane leaves unexplained (`cvscore.two_view.degeneracy.dominant_plane`).
One that keeps no neighbours has a say too, a small one: it may be a branch before the
wall, and no other match is there to decide.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cvscore.two_view.spatial_consistency import keep_neighbours
from cvscore.ransac.objective import Candidate, Objective
from cvscore.two_view.degeneracy.dominant_plane import (
    agree_with_other,
    dominant_plane,
    escape_plane,
    noise_of,
    through_epipole,
)
from cvscore.ransac.loop import search
from cvscore.ransac.samplers import UniformSampler
from cvscore.types import Array, Mask, RansacOptions

# Where fewer of the inliers than this keep neighbours (because most matches are wrong,
# or depths are all different), neighbours do not tell right matches from wrong ones.
MIN_SHARE = 0.5
# Matches that are asked at the most: these are enough to tell the two models apart.
MAX_ASKED = 1000
# Samples at the least: those of a plane have many inliers, and would end the search
# before one comes that has points off the plane.
MIN_SAMPLES = 256
# What a match has to say that keeps no neighbours, beside one that does.
SAY_OF_LONERS = 0.05


def escape_plane_and_repeats(
    objective: Objective, best: Candidate, options: RansacOptions
) -> Candidate:
    """Return a better fundamental matrix than ``best`` if a plane had captured it."""
    plane = dominant_plane(objective, best, options)
    if plane is None:
        return best
    highest = through_epipole(objective, best, plane, options)
    witnesses = _witnesses(objective, best)
    if witnesses is None:
        return highest
    among = Objective(objective.model, witnesses.coherent, objective.score)
    other = _best_among(among, best, options)
    if other is None:
        return highest
    noise = min(noise_of(objective, highest), noise_of(among, other))
    says = np.where(witnesses.keep_neighbours, 1.0, SAY_OF_LONERS)
    given = plane, highest, other, noise, witnesses.points, says
    if not agree_with_other(objective, *given):
        return highest
    start = objective.best_of(other.model[None])
    return best if start is None else objective.climb(start)


class Witnesses(NamedTuple):
    """Some of the matches (4, M), and which of them keep neighbours (M,)."""

    points: Array
    keep_neighbours: Mask

    @property
    def coherent(self) -> Array:
        """Those that keep neighbours."""
        return np.ascontiguousarray(self.points[:, self.keep_neighbours])


def _witnesses(objective: Objective, best: Candidate) -> Witnesses | None:
    """Return matches to be asked; None where neighbours tell nothing here."""
    step = -(-objective.points.shape[1] // MAX_ASKED)
    asked = np.ascontiguousarray(objective.points[:, ::step])
    keeps = keep_neighbours(asked, np.arange(asked.shape[1]))
    is_inlier = np.zeros(objective.points.shape[1], dtype=np.bool_)
    is_inlier[objective.inliers(best)] = True
    is_inlier = is_inlier[::step]
    num_coherent = np.count_nonzero(keeps & is_inlier)
    enough = max(objective.model.sample_size + 1, MIN_SHARE * is_inlier.sum())
    return Witnesses(asked, keeps) if num_coherent >= enough else None


def _best_among(
    among: Objective, best: Candidate, options: RansacOptions
) -> Candidate | None:
    """Return the best model of matches that keep neighbours."""
    start = among.best_of(best.model[None])
    same = None if start is None else among.climb(start)
    num_points, sample_size = among.points.shape[1], among.model.sample_size
    sampler = UniformSampler(num_points, sample_size, options.seed)
    other, _ = search(among, sampler, _at_least(MIN_SAMPLES, options))
    if other is None or (same is not None and same.score >= other.score):
        other = same
    return None if other is None else escape_plane(among, other, options)


def _at_least(num_samples: int, options: RansacOptions) -> RansacOptions:
    """Return options that draw so many samples, if the caller allows as many."""
    least = max(num_samples, options.min_iterations)
    return replace(options, min_iterations=min(least, options.max_iterations))
