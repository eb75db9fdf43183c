"""The cure for a dominant plane, which leaves the fundamental matrix open.

Where most matches lie on one plane, nearly every sample of seven holds six or more of
its points, and the matrix it gives fits the plane and is wrong everywhere else.  But
the plane is easy to find among the inliers of such a matrix, and its homography leaves
only the epipole unknown, which two matches off the plane give.  So: fit the plane,
search the epipole among the other matches with the very same loop, and keep what it
finds if its score over all matches is higher.  Nothing here has a scale of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cvscore._kernel import kernel
from cvscore.models._epipolar import residuals_kernel, sampson_residuals
from cvscore.models._plane_parallax import fundamental_from_plane_and_parallax
from cvscore.models.homography import homography_model
from cvscore.objective import Candidate, Objective
from cvscore.sampling import UniformSampler
from cvscore.types import (
    Array,
    GeometricModel,
    ModelKernels,
    RansacOptions,
    Score,
)

# A plane with a smaller share of the inliers leaves enough good samples of seven.
MIN_PLANE_SHARE = 0.5
# One of these samples lies on a plane of that share with a probability of 98 %.
NUM_PLANE_SAMPLES = 64
# No early stop: points of the plane that were left over agree with every epipole, so
# that an inlier count says nothing here.
NUM_EPIPOLE_SAMPLES = 512


def escape_plane(
    objective: Objective, best: Candidate, options: RansacOptions
) -> Candidate:
    """Return a better fundamental matrix than ``best`` if a plane had captured it."""
    points, score = objective.points, objective.score
    inliers = objective.inliers(best)
    plane = _dominant_plane(points, inliers, score, options)
    if plane is None:
        return best
    homography, on_plane = plane
    is_off_plane = np.ones(points.shape[1], dtype=np.bool_)
    is_off_plane[inliers[on_plane]] = False
    found = _through_epipole(homography, points[:, is_off_plane], score, options)
    if found is None:
        return best
    start = objective.best_of(found[None])
    if start is None:
        return best
    candidate = objective.climb(start)
    return candidate if candidate.score > best.score else best


def has_dominant_plane(
    objective: Objective, best: Candidate, options: RansacOptions
) -> bool:
    """Whether most inliers of ``best`` are on one plane."""
    inliers = objective.inliers(best)
    points, score = objective.points, objective.score
    return _dominant_plane(points, inliers, score, options) is not None


def _dominant_plane(
    points: Array, inliers: NDArray[np.int64], score: Score, options: RansacOptions
) -> tuple[Array, NDArray[np.int64]] | None:
    """Homography (3, 3) of a plane with most of the inliers, and which those are."""
    plane = homography_model()
    if len(inliers) <= plane.sample_size:
        return None
    chosen = np.ascontiguousarray(points[:, inliers])
    sampler = UniformSampler(len(inliers), plane.sample_size, options.seed)
    samples = sampler.draw(NUM_PLANE_SAMPLES)
    objective = Objective(plane, chosen, score)
    start = objective.best_of(plane.solve(chosen, samples))
    if start is None:
        return None
    found = objective.climb(start)
    on_plane = objective.inliers(found)
    if len(on_plane) < MIN_PLANE_SHARE * len(inliers):
        return None
    return found.model, on_plane


def _through_epipole(
    homography: Array, points: Array, score: Score, options: RansacOptions
) -> Array | None:
    """Fundamental matrix of the plane and the epipole that most other matches share."""

    def solve(points: Array, samples: NDArray[np.int64]) -> Array:
        models: Array = fundamental_from_plane_and_parallax(homography, points, samples)
        return models

    epipole = GeometricModel(
        name="epipole",
        sample_size=2,
        num_params=2,
        residual_dim=1,
        solve=solve,
        residuals=sampson_residuals,
        refit=lambda model, points, weights: model,
        kernels=ModelKernels(_not_here, residuals_kernel, _keep, np.empty(0)),
    )
    if points.shape[1] <= epipole.sample_size:
        return None
    sampler = UniformSampler(points.shape[1], epipole.sample_size, options.seed)
    samples = sampler.draw(NUM_EPIPOLE_SAMPLES)
    points = np.ascontiguousarray(points)
    found = Objective(epipole, points, score).best_of(solve(points, samples))
    return None if found is None else found.model


@kernel
def _not_here(points, samples, constants, stages):
    """No solver for the loop: the plane is not among its arguments."""
    return np.empty((0, 3, 3))


@kernel
def _keep(model, points, weights, converged, _):
    """No refit: the plane would be lost."""
    return model
