"""The cure for a dominant plane, which leaves the fundamental matrix open.

Where most matches lie on one plane, nearly every sample of seven holds six or more of
its points, and the matrix it gives fits the plane and is wrong everywhere else.  But
the plane is easy to find among the inliers of such a matrix, and its homography leaves
only the epipole unknown, which two matches off the plane give.  So: fit the plane,
search the epipole among the other matches with the very same loop, and keep what it
finds if these agree with it more.  Nothing here has a scale of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cvscore._numba.compile import brief_kernel, kernel
from cvscore._numba.bound import (
    call_best_of,
    call_climb,
    call_inliers,
    call_residuals,
    call_resize,
    call_solve,
)
from cvscore.models.solvers.plane_and_parallax import fundamental_from_plane_and_parallax
from cvscore.models.homography import homography_model
from cvscore.ransac.objective import CONVERGED, NO_CONSTANTS, Candidate, Objective, some_of
from cvscore.ransac.irls import core_variance
from cvscore.ransac.samplers import draw_among, generator
from cvscore.types import NO_STAGES, Array, Mask, RansacOptions

# A plane with a smaller share of the inliers leaves enough good samples of seven.
MIN_PLANE_SHARE = 0.5
# The best sample of such a plane, by itself, has half of what its refit has or more.
MIN_SAMPLE_SHARE = 0.25
# One of these samples lies on a plane of that share with a probability of 98 %.
NUM_PLANE_SAMPLES = 64
# No early stop: points of the plane that were left over agree with every epipole, so
# that an inlier count says nothing here.
NUM_EPIPOLE_SAMPLES = 512

# Squared distance from the plane, in variances of the noise, up to which a match is on
# it: 99 % of those that are.
ON_PLANE = 9.21
# A match agrees with a model the less the larger its squared residual, and from so many
# variances on not at all.
AGREEMENT = 9.0

PLANE_SIZE, PLANE_DIM, PLANE_PARAMS = 4, 2, 8
EPIPOLE_SIZE, EPIPOLE_DIM, EPIPOLE_PARAMS = 2, 1, 2


class Plane(NamedTuple):
    """A plane with most inliers of a fundamental matrix."""

    homography: Array  # (3, 3)
    is_off_plane: Mask  # (N,), of all matches


def escape_plane(
    objective: Objective, best: Candidate, options: RansacOptions
) -> Candidate:
    """Return a better fundamental matrix than ``best`` if a plane had captured it."""
    plane = dominant_plane(objective, best, options)
    if plane is None:
        return best
    return through_epipole(objective, best, plane, options)


def dominant_plane(
    objective: Objective, best: Candidate, options: RansacOptions
) -> Plane | None:
    """Return the plane of most inliers of ``best``, None where there is none."""
    functions = objective.functions_of(homography_model())
    with np.errstate(over="ignore"):  # random generators wrap around
        homography, is_off_plane = objective.run(
            _find_plane,
            functions,
            best.sq_residuals,
            objective.points,
            generator(options.seed),
        )
    return None if is_off_plane.all() else Plane(homography, is_off_plane)


def through_epipole(
    objective: Objective, best: Candidate, plane: Plane, options: RansacOptions
) -> Candidate:
    """Return the better of ``best`` and the matrix through the plane."""
    functions = objective.functions_of(
        replace(objective.model, num_params=EPIPOLE_PARAMS)
    )
    with np.errstate(over="ignore"):  # random generators wrap around
        found, sq_residuals, score = objective.run(
            _find_epipole, functions, *plane, objective.points, generator(options.seed)
        )
    if not score > -np.inf:
        return best
    other = Candidate(found, sq_residuals, score)
    return better_beside_plane(objective, plane, best, other)


def better_beside_plane(
    objective: Objective, plane: Plane, one: Candidate, other: Candidate
) -> Candidate:
    """Return the one of two candidates that matches off a plane agree with more."""
    noise = min(noise_of(objective, one), noise_of(objective, other))
    points = objective.points
    everybody = np.ones(points.shape[1])
    witnesses = noise, points, everybody
    is_other = agree_with_other(objective, plane, one, other, *witnesses)
    return other if is_other else one


def agree_with_other(
    objective: Objective,
    plane: Plane,
    one: Candidate,
    other: Candidate,
    noise: float,
    points: Array,
    says: Array,
) -> bool:
    """Whether witnesses choose the other; see the kernel `_choose_beside_plane`."""
    chosen: int = objective.run(
        _choose_beside_plane,
        objective.functions_of(homography_model()),
        plane.homography,
        (one.model, other.model),
        (one.score, other.score),
        noise,
        points,
        says,
    )
    return chosen == 1


def noise_of(objective: Objective, candidate: Candidate) -> float:
    """Variance of the noise of a candidate's inliers."""
    model = objective.model
    of = model.residual_dim, model.num_params
    return float(objective.run(_noise_variance, candidate.sq_residuals, of))


@kernel
def _find_plane(functions, constants, plane, sq_residuals, points, generator):
    """Find the plane of most inliers of a model with these residuals (N,).

    ``plane`` are the functions for a homography.  Returns its matrix, and which of all
    matches are not on it: all, where no plane has its share of the inliers.
    """
    is_off_plane = np.ones(points.shape[1], dtype=np.bool_)
    inliers = np.flatnonzero(call_inliers(functions, (sq_residuals, constants[1])))
    chosen = np.ascontiguousarray(points[:, inliers])
    counts = inliers.shape[0], PLANE_DIM, PLANE_PARAMS
    scoring = NO_CONSTANTS, call_resize(plane, (constants[1], *counts))
    samples = draw_among(generator, inliers, PLANE_SIZE, NUM_PLANE_SAMPLES)
    models = call_solve(plane, (points, samples, NO_CONSTANTS, NO_STAGES))
    given = plane, scoring, models, chosen, some_of(chosen), -np.inf
    index, score, residuals = call_best_of(plane, given)
    if index < 0:
        return np.empty((3, 3)), is_off_plane
    num_near = call_inliers(plane, (residuals, scoring[1])).sum()
    if num_near < MIN_SAMPLE_SHARE * inliers.shape[0]:
        return models[index].copy(), is_off_plane
    start = plane, scoring, models[index], residuals, score
    homography, residuals, _ = call_climb(
        plane, (*start, chosen, -np.inf, 0.0, CONVERGED)
    )
    on_plane = inliers[call_inliers(plane, (residuals, scoring[1]))]
    if on_plane.shape[0] >= MIN_PLANE_SHARE * inliers.shape[0]:
        is_off_plane[on_plane] = False
    return homography, is_off_plane


@kernel
def _find_epipole(
    functions, constants, epipole, homography, is_off_plane, points, generator
):
    """Find the epipole that most matches off the plane share; climb from there.

    ``epipole`` are the functions for a fundamental matrix of known plane.  Returns the
    matrix, its residuals on all matches, and its score.
    """
    off_plane = np.flatnonzero(is_off_plane)
    chosen = np.ascontiguousarray(points[:, off_plane])
    counts = off_plane.shape[0], EPIPOLE_DIM, EPIPOLE_PARAMS
    scoring = constants[0], call_resize(epipole, (constants[1], *counts))
    pairs = draw_among(generator, off_plane, EPIPOLE_SIZE, NUM_EPIPOLE_SAMPLES)
    models = fundamental_from_plane_and_parallax(homography, points, pairs)
    given = epipole, scoring, models, chosen, some_of(chosen), -np.inf
    index, _, _ = call_best_of(epipole, given)
    if index < 0:
        return np.empty((3, 3)), np.empty(0), -np.inf
    given = functions, constants, models[index : index + 1], points, points, -np.inf
    _, score, residuals = call_best_of(functions, given)
    start = functions, constants, models[index], residuals, score
    return call_climb(functions, (*start, points, -np.inf, 0.0, CONVERGED))


@brief_kernel
def _noise_variance(functions, constants, sq_residuals, of):
    """Variance of the noise of a model's inliers.

    ``of`` are the constraints per match and the parameters of the model.
    """
    are_inliers = call_inliers(functions, (sq_residuals, constants[1]))
    return core_variance(sq_residuals[are_inliers], *of)


@brief_kernel
def _choose_beside_plane(
    functions, constants, plane, homography, models, scores, noise, points, says
):
    """Index of the model of two cameras that matches off a plane agree with most.

    A match that the plane explains to within the noise fits every epipole, and what it
    seems to say about them is its noise; with hundreds of such matches that is more
    than a few others have to say.  Hence it is not asked.  Scores decide where there is
    no noise to measure by.

    Parameters
    ----------
    functions, constants : tuple
        See `cvscore._numba.bound`.
    plane : tuple
        The functions for a homography.
    homography : (3, 3) array
        Of the plane.
    models, scores : tuples
        Matrices (3, 3) to choose from, and their scores.
    noise : float
        Its variance.
    points : (4, N) array
        Matches that are asked.
    says : (N,) array
        The weight of each of them.
    """
    if not noise > 0.0:
        return np.argmax(np.array(scores))
    given = homography.reshape((1, 3, 3)), points, NO_CONSTANTS
    is_asked = call_residuals(plane, given)[0] > ON_PLANE * noise
    most, best = -1.0, 0
    for k in range(len(models)):
        given = models[k].reshape((1, 3, 3)), points, constants[0]
        sq_residuals = call_residuals(functions, given)[0]
        agreement = np.maximum(0.0, 1.0 - sq_residuals / (AGREEMENT * noise))
        total = (agreement * says * is_asked).sum()
        if total > most:
            most, best = total, k
    return best
