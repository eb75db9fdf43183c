"""The estimators: check, normalise, search, polish, and undo the normalisation.

The only file that knows models and scores both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from cvscore.scores.calibration import Calibration, score_of
from cvscore.data.validation import as_distortion, as_intrinsics, as_points
from cvscore.two_view.spatial_prosac import CoherentSampler
from cvscore.inference.fit_summary import conclude, weigh
from cvscore.data.distortion import undistort
from cvscore.data.normalization import EPSILON, Frame, frame_of_cameras, mean_focal
from cvscore.two_view.refinement.cheirality import polish_on_half_lines
from cvscore.numerics.matrix3 import scale_to_unit_norm
from cvscore.models.relative_pose import normalise, pose_from_essential
from cvscore.models.essential import essential_model
from cvscore.models.fundamental import fundamental_model
from cvscore.models.homography import homography_model
from cvscore.ransac.objective import Candidate, Objective
from cvscore.ransac.polish import polish
from cvscore.estimators.preparation import Problem, prepare
from cvscore.ransac.loop import search
from cvscore.two_view.degeneracy.repeated_structure import escape_plane_and_repeats
from cvscore.ransac.samplers import ProsacSampler
from cvscore.scores.marginal import MarginalScore
from cvscore.inference.outlier_width import widen
from cvscore.types import (
    Array,
    Estimate,
    GeometricModel,
    Pose,
    RansacOptions,
    Sampler,
    Score,
)

# Cells a side that coherent samples take turns from, for models that hold everywhere.
CELLS = 4

Escape = Callable[[Objective, Candidate, RansacOptions], Candidate]


def estimate_homography(
    x1: ArrayLike,
    x2: ArrayLike,
    *,
    score: Score | None = None,
    calibration: Calibration | None = None,
    options: RansacOptions | None = None,
    quality: ArrayLike | None = None,
    solver: str = "native",
) -> Estimate:
    """Estimate H with ``x2 ~ H x1`` from matches of which many may be wrong.

    Parameters
    ----------
    x1, x2 : (N, 2) array
        Matching points, in pixels or any other unit.
    score : Score, optional
        What makes a model good; by default the scale-free `MarginalScore`.
    calibration : Calibration, optional
        What was learned from labelled pairs, in place of a score.
    options : RansacOptions, optional
        Limits of the search.
    quality : (N,) array, optional
        Larger for matches that are likelier to be right; they are sampled first.
    solver : {"native", "opencv"}
        Minimal solver.

    Returns
    -------
    Estimate
        ``model`` is H (3, 3) with ``H[2, 2] = 1`` (unit norm where that entry is 0);
        false, with a ``reason``, where no model was found.

    Examples
    --------
    >>> x1 = np.random.default_rng(0).uniform(0, 1000, (100, 2))
    >>> x2 = 2 * x1 + [10, 20]
    >>> x2[:40] = x2[:40][::-1]  # wrong matches
    >>> H = estimate_homography(x1, x2).model
    >>> np.allclose(H, [[2, 0, 10], [0, 2, 20], [0, 0, 1]])
    True
    >>> estimate_homography(x1[:4], x2[:4]).reason
    '4 distinct matches, but a homography matrix needs at least 5'
    """
    points = as_points(x1, x2)
    score = score_of(calibration, score, "homography")
    problem = prepare(points, None, score, options, quality)
    return _search(problem, homography_model(solver), _homography_outside)


def estimate_fundamental(
    x1: ArrayLike,
    x2: ArrayLike,
    *,
    score: Score | None = None,
    calibration: Calibration | None = None,
    options: RansacOptions | None = None,
    quality: ArrayLike | None = None,
    solver: str = "native",
) -> Estimate:
    """Estimate F with ``x2' F x1 = 0`` from matches of which many may be wrong.

    Parameters and result are those of `estimate_homography`; ``model`` is F (3, 3) of
    rank two and unit Frobenius norm.
    """
    points = as_points(x1, x2)
    score = score_of(calibration, score, "fundamental")
    problem = prepare(points, None, score, options, quality)
    model = fundamental_model(solver)
    return _search(problem, model, _fundamental_outside, escape_plane_and_repeats)


def estimate_essential(
    x1: ArrayLike,
    x2: ArrayLike,
    K1: ArrayLike,
    K2: ArrayLike | None = None,
    *,
    dist1: ArrayLike | None = None,
    dist2: ArrayLike | None = None,
    score: Score | None = None,
    calibration: Calibration | None = None,
    options: RansacOptions | None = None,
    quality: ArrayLike | None = None,
    solver: str = "native",
) -> Estimate:
    """Estimate E with ``(K2^-1 x2)' E (K1^-1 x1) = 0``, and the pose it stands for.

    Parameters
    ----------
    x1, x2 : (N, 2) array
        Matching points in pixels (or normalised, with identity camera matrices).
    K1, K2 : (3, 3) array
        Camera matrices; ``K2`` is ``K1`` where it is not given.
    dist1, dist2 : array, optional
        Distortion coefficients in OpenCV's order (4, 5, 8, 12 or 14 of them).
    score, calibration, options, quality, solver
        As for `estimate_homography`.

    Returns
    -------
    Estimate
        ``model`` is E (3, 3) with singular values 1, 1, 0; ``pose`` the rotation and
        the direction of translation that put the inliers before both cameras.
        ``scale`` and ``threshold`` are in (undistorted) pixels.
    """
    K1 = as_intrinsics(K1, "K1")
    K2 = K1 if K2 is None else as_intrinsics(K2, "K2")
    points = as_points(x1, x2)
    points = _undistorted(points, K1, K2, dist1, dist2)
    frame = frame_of_cameras(K1, K2)
    score = score_of(calibration, score, "essential")
    problem = prepare(points, frame, score, options, quality, mean_focal(K1, K2))
    cameras = frame.camera(K1, 0), frame.camera(K2, 1)
    model = essential_model(*cameras, solver)
    last_step = partial(polish_on_half_lines, cameras)
    found = _search(problem, model, _essential_outside, None, last_step)
    if found.model is None:
        return found
    R, t, _ = pose_from_essential(found.model, normalise(points, K1, K2), found.inliers)
    return replace(found, pose=Pose(R, t))


def _search(
    problem: Problem,
    model: GeometricModel,
    leave: Callable[[Frame, Array], Array],
    escape: Escape | None = None,
    last_step: Callable[[Objective, Candidate], Candidate] | None = None,
) -> Estimate:
    """Search, polish, and leave the frame by ``leave``.

    ``escape`` looks for a better model where the best one found may be degenerate;
    ``last_step`` takes the place of the plain polish.
    """
    num_matches = problem.points.shape[1]
    if num_matches <= model.sample_size:
        return _failure(
            problem,
            f"{num_matches} distinct matches, but a {model.name} matrix needs at least "
            f"{model.sample_size + 1}",
        )
    objective = Objective(model, problem.points, problem.score)
    best, iterations = search(objective, _sampler(problem, model), problem.options)
    if best is None:
        return _failure(
            problem,
            f"no sample of the {num_matches} distinct matches gave a {model.name} "
            "matrix: they are degenerate",
            iterations,
        )
    if escape is not None:
        best = escape(objective, best, problem.options)
    if problem.may_widen:
        objective, best = _with_width_around(objective, best)
    best = (last_step or polish)(objective, best)
    unit = problem.frame.unit
    inliers, residuals, score, threshold, noise = conclude(objective, best, unit)
    evidence = partial(weigh, objective, best, inliers, iterations, problem.precision)
    beside = residuals[:0]
    if problem.bystanders.size:
        sq_beside = model.residuals(best.model[None], problem.bystanders)[0]
        beside = unit * np.sqrt(sq_beside)
    labels, distances = problem.to_rows(inliers, residuals, beside, threshold)
    return Estimate(
        model=leave(problem.frame, best.model),
        inliers=labels,
        residuals=distances,
        score=score,
        scale=noise.scale,
        threshold=threshold,
        evidence_from=evidence,
        iterations=iterations,
        noise=noise,
        half_width=unit * getattr(objective.score, "half_width", np.nan),
    )


def _with_width_around(
    objective: Objective, best: Candidate
) -> tuple[Objective, Candidate]:
    """Give the score the half-width that suits what is around the model."""
    score = objective.score
    assert isinstance(score, MarginalScore)
    assert score.half_width is not None
    return widen(objective, best, score.half_width, partial(_with_half_width, score))


def _with_half_width(score: MarginalScore, half_width: float) -> MarginalScore:
    return replace(score, half_width=half_width)


def _sampler(problem: Problem, model: GeometricModel) -> Sampler:
    """Best matches first where the caller says which they are; else coherent ones."""
    size, options = model.sample_size, problem.options
    if problem.quality is not None:
        return ProsacSampler(
            problem.quality, size, options.max_iterations, options.seed
        )

    cells = CELLS if model.holds_everywhere else 1
    return CoherentSampler(
        problem.points,
        problem.region,
        size,
        options.max_iterations // 2,
        cells,
        options.seed,
    )


def _failure(problem: Problem, reason: str, iterations: int = 0) -> Estimate:
    return Estimate(
        model=None,
        inliers=np.zeros(problem.num_rows, dtype=np.bool_),
        residuals=np.full(problem.num_rows, np.inf),
        score=-np.inf,
        scale=np.nan,
        threshold=np.nan,
        evidence_from=-np.inf,
        iterations=iterations,
        reason=reason,
    )


def _homography_outside(frame: Frame, inside: Array) -> Array:
    """H[2, 2] = 1 as everybody expects, unless H sends the origin to infinity."""
    H = frame.leave_mapping(inside)
    scale_to_unit_norm(H)
    return H / H[2, 2] if abs(H[2, 2]) > EPSILON else H


def _fundamental_outside(frame: Frame, inside: Array) -> Array:
    F = frame.leave_form(inside)
    scale_to_unit_norm(F)
    return F


def _essential_outside(frame: Frame, inside: Array) -> Array:
    return inside


def _undistorted(
    points: Array,
    K1: Array,
    K2: Array,
    dist1: ArrayLike | None,
    dist2: ArrayLike | None,
) -> Array:
    points = points.copy()
    for rows, K, dist, name in (
        (slice(0, 2), K1, dist1, "dist1"),
        (slice(2, 4), K2, dist2, "dist2"),
    ):
        coefficients = as_distortion(dist, name)
        if coefficients is not None:
            points[rows] = undistort(points[rows].T, K, coefficients).T
    return points
