"""The cure for a dominant plane, which leaves the fundamental matrix open (DEGENSAC).

Where most matches lie on one plane, nearly every sample of seven holds six or more of
its points, and the matrix it gives fits the plane and is wrong everywhere else (Chum,
Werner, Matas 2005).  But the plane is easy to find among the inliers of such a matrix,
and its homography leaves only the epipole unknown, which two matches off the plane give
(plane and parallax).  So: fit the plane, search the epipole among the other matches
with the very same loop, and keep what it finds if these agree with it more.  Nothing
here has a scale of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cvscore._numba.bound import (
    bind_model,
    bound_kernel,
    brief_bound_kernel,
    call_inliers,
)
from cvscore._numba.compile import brief_kernel
from cvscore.models.fundamental import fundamental_given_plane
from cvscore.models.homography import homography_model, homography_residuals
from cvscore.models.sampson import sampson_residuals
from cvscore.numerics.random_numbers import generator
from cvscore.ransac.irls import core_variance
from cvscore.ransac.local_optimization import TO_THE_END, locally_optimise, optimise
from cvscore.ransac.objective import Candidate, Objective, among
from cvscore.ransac.subset_search import best_of_samples
from cvscore.types import Array, Mask

# A plane with a smaller share of the inliers leaves enough good samples of seven.
MIN_PLANE_SHARE = 0.5
# The best sample of such a plane, by itself, has half of what its refit has or more.
MIN_SAMPLE_SHARE = 0.25
# One of these samples lies on a plane of that share with a probability of 98 %.
NUM_PLANE_SAMPLES = 64
# No early stop: points of the plane that were left over agree with every epipole, so
# that an inlier count says nothing here.
NUM_EPIPOLE_SAMPLES = 256

# Squared distance from the plane, in variances of the noise, up to which a match is on
# it: 99 % of those that are.
ON_PLANE = 9.21
# A match agrees with a model the less the larger its squared residual, and from so many
# variances on not at all.
MAX_AGREEING = 9.0
# A matrix with which the matches off the plane agree so far, on average, has not been
# captured: right ones agree by 0.89, so that hardly any is left for another to gain.
# With 0.6 facades are lost (F of reichstag 1.1 points of AUC), with 0.7 none.
FREE_AGREEMENT = 0.75


class DominantPlane(NamedTuple):
    """A plane with most inliers of a fundamental matrix.

    ``agreement`` says how far the matches off the plane agree with that matrix.
    """

    homography: Array  # (3, 3)
    is_off_plane: Mask  # (N,), of all matches
    agreement: float

    @property
    def has_captured(self) -> bool:
        """Whether matches off it may agree more with another matrix than with this."""
        return self.agreement < FREE_AGREEMENT

    def among(self, chosen: Mask) -> DominantPlane:
        """Return the plane among chosen matches (N,)."""
        return self._replace(is_off_plane=self.is_off_plane[chosen])


def find_dominant_plane(
    objective: Objective, candidate: Candidate
) -> DominantPlane | None:
    """Return the plane of most inliers of a candidate, None where there is none."""
    found, is_there = objective.run(
        _look_for_plane,
        candidate,
        bind_model(homography_model(), compiled=objective.is_compiled),
        generator(objective.options.seed),
    )
    return DominantPlane(*found) if is_there else None


@bound_kernel
def _look_for_plane(objective, candidate, plane_model, generator):
    """Return the `DominantPlane` of a candidate, and whether there is one."""
    inliers = call_inliers(objective.score, candidate.sq_residuals)
    among_inliers = among(objective, inliers, plane_model)
    homography, is_on_plane = _find_plane(among_inliers, generator)
    is_off_plane = np.ones(inliers.shape[0], dtype=np.bool_)
    if not is_on_plane.any():
        return DominantPlane(homography, is_off_plane, 0.0), False
    is_off_plane[np.flatnonzero(inliers)[is_on_plane]] = False
    agreement = _agreement_off_plane(objective, candidate, homography)
    return DominantPlane(homography, is_off_plane, agreement), True


@bound_kernel
def _find_plane(objective, generator):
    """Homography of a plane, and which points (N,) are on it.

    None of them, where no plane has its share.
    """
    num_points = objective.points.shape[1]
    none = np.zeros(num_points, dtype=np.bool_)
    start = best_of_samples(objective, NUM_PLANE_SAMPLES, generator)
    if not start.score > -np.inf:
        return start.model, none
    num_near = call_inliers(objective.score, start.sq_residuals).sum()
    if num_near < MIN_SAMPLE_SHARE * num_points:
        return start.model, none
    plane = locally_optimise(objective, start, -np.inf, TO_THE_END)
    is_on_plane = call_inliers(objective.score, plane.sq_residuals)
    if is_on_plane.sum() < MIN_PLANE_SHARE * num_points:
        return plane.model, none
    return plane.model, is_on_plane


@bound_kernel
def _agreement_off_plane(objective, candidate, homography):
    """How far matches off a plane agree with a matrix, of all; 0 without noise."""
    noise = _noise_variance(objective, candidate.sq_residuals)
    if not noise > 0.0:
        return 0.0
    plane = homography.reshape((1, 3, 3))
    from_plane = homography_residuals(plane, objective.points)[0]
    agreement, num_off_plane = 0.0, 0
    for i in range(from_plane.shape[0]):
        is_off_plane = from_plane[i] > ON_PLANE * noise
        near = max(0.0, 1.0 - candidate.sq_residuals[i] / (MAX_AGREEING * noise))
        agreement += near if is_off_plane else 0.0
        num_off_plane += is_off_plane
    return agreement / max(num_off_plane, 1)


def escape_through_epipole(
    objective: Objective, candidate: Candidate, plane: DominantPlane
) -> Candidate:
    """Return the better of a candidate and the matrix through the plane."""
    off_plane = objective.among(
        plane.is_off_plane, fundamental_given_plane(plane.homography)
    )
    start = off_plane.run(
        best_of_samples, NUM_EPIPOLE_SAMPLES, generator(objective.options.seed)
    )
    if not start.score > -np.inf:
        return candidate
    on_all = objective.best_of(start.model[None])
    if on_all is None:
        return candidate
    other = optimise(objective, on_all)
    noise = min(noise_variance(objective, candidate), noise_variance(objective, other))
    votes = np.ones(objective.points.shape[1])
    if prefer_other(plane, candidate, other, noise, objective.points, votes):
        return other
    return candidate


def noise_variance(objective: Objective, candidate: Candidate) -> float:
    """Variance of the noise of a candidate's inliers."""
    return float(objective.run(_noise_variance, candidate.sq_residuals))


@brief_bound_kernel
def _noise_variance(objective, sq_residuals):
    model = objective.model
    inliers = call_inliers(objective.score, sq_residuals)
    return core_variance(sq_residuals[inliers], model.residual_dim, model.num_params)


def prefer_other(
    plane: DominantPlane,
    one: Candidate,
    other: Candidate,
    noise: float,
    points: Array,
    votes: Array,
) -> bool:
    """Whether matches off a plane agree more with the other fundamental matrix.

    A match that the plane explains to within the noise fits every epipole, and what it
    seems to say about them is its noise; with hundreds of such matches that is more
    than a few others have to say.  Hence it has no vote.  Scores decide where there is
    no noise to measure by.

    Weights of matches do not count here: the noise is that of one of mean weight.

    Parameters
    ----------
    plane : DominantPlane
    one, other : Candidate
        Fundamental matrices to choose from.
    noise : float
        Variance of the noise.
    points : (4, M) array
        Matches that vote.
    votes : (M,) array
        The weight of each of them.
    """
    if not noise > 0.0:
        return other.score > one.score
    first, second = _agreement(
        plane.homography, np.stack([one.model, other.model]), noise, points, votes
    )
    return bool(second > first)


@brief_kernel
def _agreement(homography, models, noise, points, votes):
    """How far matches off a plane agree with fundamental matrices (K, 3, 3), (K,)."""
    from_plane = homography_residuals(homography.reshape((1, 3, 3)), points)[0]
    is_off_plane = from_plane > ON_PLANE * noise
    sq_residuals = sampson_residuals(models, points)
    agreement = np.empty(models.shape[0])
    for k in range(models.shape[0]):
        near = np.maximum(0.0, 1.0 - sq_residuals[k] / (MAX_AGREEING * noise))
        agreement[k] = (near * votes * is_off_plane).sum()
    return agreement
