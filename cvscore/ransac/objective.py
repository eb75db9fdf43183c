"""The score of a model's fit to points: residuals of the model, then their score.

`best_of` compares models by it.  It is one kernel, for the interpreter would cost more
than the work between two of its calls, and would hold its lock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.bound import (
    BoundModel,
    BoundScore,
    bind_model,
    bind_score,
    bound_kernel,
    brief_bound_kernel,
    call_evaluate,
    call_inliers,
    call_preview,
    call_refit,
    call_residuals,
    call_resized,
    run_bound,
)
from cvscore._numba.compile import brief_kernel, kernel
from cvscore.types import Array, GeometricModel, Mask, RansacOptions, Score

# Bytes of one block of residuals: models are scored in blocks that stay in L2.
BLOCK_BYTES = 1 << 19
# Models are first compared on about so many points, and this share of them (but no
# fewer than so many) on all: the best of all is among them but for close calls.
NUM_PREVIEW_POINTS = 160
KEPT_SHARE = 0.0625
MIN_KEPT = 4
NO_WEIGHTS = np.empty(0)


class Candidate(NamedTuple):
    """A model, its squared residuals (N,) and its score."""

    model: Array
    sq_residuals: Array
    score: float


class Rival(NamedTuple):
    """Another candidate for the same points, and how much more evidence it has.

    The difference is in nats, and below zero for one that has less.  The objective is
    what scores the candidate.
    """

    candidate: Candidate
    difference: float
    objective: Objective


class BoundObjective(NamedTuple):
    """A model, a score and points (D, N), as kernels take them.

    ``preview_points`` are some of the points, on which most models are told to be
    hopeless.  ``weights`` (N,) multiply squared residuals and the weights of refits;
    they are empty where all are one, and so are those of the preview.
    """

    model: BoundModel
    score: BoundScore
    points: Array
    preview_points: Array
    weights: Array
    preview_weights: Array


class Objective:
    """The score of ``model`` on ``points`` (D, N).

    Parameters
    ----------
    model : GeometricModel
        What is fitted.
    points : array, (D, N)
        Data in the form that ``model`` takes.
    score : Score
        How fits are compared.
    options : RansacOptions, optional
        Limits of the search, for steps that search again.
    weights : array, (N,), optional
        Of the points: squared residuals are multiplied by them, so that all have the
        same noise.
    """

    def __init__(
        self,
        model: GeometricModel,
        points: Array,
        score: Score,
        options: RansacOptions | None = None,
        weights: Array | None = None,
    ) -> None:
        self.model = model
        self.points = points
        self.score = score
        self.options = RansacOptions() if options is None else options
        self.weights = weights
        of_score = None
        if model.kernels is not None:
            counts = points.shape[-1], model.residual_dim, model.num_params
            of_score = score.kernels(*counts)
        self.is_compiled = of_score is not None
        if self.is_compiled:
            points = self.points = _as_rows(points)
        self.bound = BoundObjective(
            bind_model(model, compiled=self.is_compiled),
            bind_score(score, of_score, model),
            points,
            preview_points_of(points, compiled=self.is_compiled),
            *_bound_weights(weights),
        )

    def with_score(self, score: Score) -> Objective:
        """Return the objective of another score."""
        return Objective(self.model, self.points, score, self.options, self.weights)

    def among(
        self, chosen: NDArray[Any], model: GeometricModel | None = None
    ) -> Objective:
        """Return the objective on chosen points only (a mask), or of another model."""
        points = np.ascontiguousarray(self.points[..., chosen])
        weights = None if self.weights is None else self.weights[chosen]
        return Objective(model or self.model, points, self.score, self.options, weights)

    def with_options(self, options: RansacOptions) -> Objective:
        """Return the objective for another search."""
        return Objective(self.model, self.points, self.score, options, self.weights)

    def best_of(self, models: Array, bar: float = -np.inf) -> Candidate | None:
        """Return the best of a few (K, ...), None where none scores above ``bar``."""
        found: Candidate = self.run(_best_of_few, models, bar)
        return found if found.score > -np.inf else None

    def inliers(self, candidate: Candidate) -> Mask:
        """Return which of the points (N,) belong to ``candidate``."""
        mask: Mask = self.run(_inliers, candidate.sq_residuals)
        return mask

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run a kernel over this objective: compiled, if model and score are too."""
        return run_bound(function, self.bound, *arguments, compiled=self.is_compiled)


def _as_rows(points: Array) -> Array:
    """Return points (D, N) in the one form that kernels take them in."""
    rows = np.ascontiguousarray(points, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"points must be a (D, N) array, got shape {rows.shape}")
    return rows


def preview_points_of(points: Array, *, compiled: bool = False) -> Array:
    """Points (D, M) to preview models on; all of them where that saves nothing."""
    step = preview_step(points.shape[-1])
    if step == 1:
        return points
    if compiled:
        some: Array = _every(points, step)
        return some
    return np.ascontiguousarray(points[..., ::step])


@brief_kernel
def preview_step(num_points):
    """Return of how many points each is one to preview models on."""
    return max(num_points // NUM_PREVIEW_POINTS, 1)


@brief_kernel
def _every(points, step):
    """Return every so many points of (D, N), without giving up the lock as NumPy."""
    return points[:, ::step].copy()


def _bound_weights(weights: Array | None) -> tuple[Array, Array]:
    """Return weights and those of the preview, as kernels take them."""
    if weights is None:
        return NO_WEIGHTS, NO_WEIGHTS
    return weights, preview_points_of(weights)


@bound_kernel
def among(objective, chosen, model):
    """Return the objective of a bound model on chosen points (N,) only, as a mask."""
    indices, score = np.flatnonzero(chosen), objective.score
    points = columns_of(objective.points, indices)
    weights = objective.weights
    if weights.shape[0] > 0:
        weights = weights[indices]
    counts = indices.shape[0], model.residual_dim, model.num_params
    of_score = BoundScore(
        score.preview,
        score.evaluate,
        score.assess,
        score.inliers,
        score.summarise,
        score.resized,
        call_resized(score, *counts),
    )
    step = preview_step(indices.shape[0])
    some = np.arange(0, indices.shape[0], step)
    preview_weights = weights[some] if weights.shape[0] > 0 else weights
    return BoundObjective(
        model, of_score, points, columns_of(points, some), weights, preview_weights
    )


@kernel
def columns_of(points, indices):
    """Return some of the points (D, N)."""
    some = np.empty((points.shape[0], indices.shape[0]))
    for row in range(points.shape[0]):
        for j in range(indices.shape[0]):
            some[row, j] = points[row, indices[j]]
    return some


@bound_kernel
def residuals_of(objective, model):
    """Squared residuals (N,) of one model."""
    one = model.reshape((1, *model.shape))
    sq_residuals = call_residuals(objective.model, one, objective.points)
    return whitened(sq_residuals, objective.weights)[0]


@kernel
def whitened(sq_residuals, weights):
    """Return squared residuals (K, N) times weights (N,), where there are any."""
    if weights.shape[0] == 0:
        return sq_residuals
    rows = np.empty(sq_residuals.shape)
    for k in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            rows[k, i] = sq_residuals[k, i] * weights[i]
    return rows


@bound_kernel
def refit(objective, model, weights, converged):
    """Refit a model to the points, by weights (N,) for whitened residuals."""
    if objective.weights.shape[0] > 0:
        weights = weights * objective.weights
    return call_refit(objective.model, model, objective.points, weights, converged)


@bound_kernel
def best_of(objective, models, bar):
    """Return the best of models (K, ...) above ``bar``; the score -inf if none is."""
    num_models, num_points = models.shape[0], objective.points.shape[-1]
    num_kept = max(MIN_KEPT, int(KEPT_SHARE * num_models))
    if num_kept < num_models:
        sq_residuals = call_residuals(objective.model, models, objective.preview_points)
        sq_residuals = whitened(sq_residuals, objective.preview_weights)
        guesses = call_preview(objective.score, sq_residuals)
        kept = _largest(guesses, num_kept)
    else:
        kept = np.arange(num_models)
    best_index = -1
    best_row = np.empty(0)
    block = max(1, BLOCK_BYTES // (8 * max(num_points, 1)))
    for first in range(0, kept.shape[0], block):
        indices = kept[first : first + block]
        sq_residuals = call_residuals(
            objective.model, models[indices], objective.points
        )
        sq_residuals = whitened(sq_residuals, objective.weights)
        scores = call_evaluate(objective.score, sq_residuals, bar)
        top = -1
        for k in range(scores.shape[0]):
            if scores[k] > bar:
                bar, top = scores[k], k
        if top >= 0:
            best_index = indices[top]
            best_row = sq_residuals[top].copy()
    if best_index < 0:
        return Candidate(np.empty(models.shape[1:]), best_row, -np.inf)
    return Candidate(models[best_index].copy(), best_row, bar)


@brief_bound_kernel
def _best_of_few(objective, models, bar):
    return best_of(objective, models, bar)


@kernel
def _largest(values, num):
    """Indices of the ``num`` largest values, in falling order."""
    largest = np.empty(num + 1, dtype=np.int64)
    for i in range(values.shape[0]):
        j = min(i, num)
        while j > 0 and values[largest[j - 1]] < values[i]:
            largest[j] = largest[j - 1]
            j -= 1
        largest[j] = i
    return largest[:num]


@brief_bound_kernel
def _inliers(objective, sq_residuals):
    return call_inliers(objective.score, sq_residuals)
