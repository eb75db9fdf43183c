"""The score of a model's fit to points, and the two ways to raise it.

Residuals of the model, then the score of the residuals: `best_of` compares models by
it, `climb` moves one model to a local maximum.  Each is one kernel, for the interpreter
would cost more than the work between two of its calls, and would hold its lock.  They
know the model and the score as addresses; a model or a score without kernels of its own
is run by the same source, interpreted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvscore._numba import bound as form
from cvscore._numba.by_address import address_of
from cvscore._numba.compile import brief_kernel, kernel
from cvscore._numba.bound import (
    call_assess,
    call_evaluate,
    call_inliers,
    call_preview,
    call_refit,
    call_residuals,
)
from cvscore.ransac.irls import redescend
from cvscore.types import Array, GeometricModel, Mask, Score

# Bytes of one block of residuals: models are scored in blocks that stay in L2.
BLOCK_BYTES = 1 << 19
# Models are first compared on about so many points, and this share of them (but no
# fewer than so many) on all: the best of all is among them but for close calls.
NUM_PREVIEW_POINTS = 160
KEPT_SHARE = 0.0625
MIN_KEPT = 4
# Refits of one climb; few ever need more before the score stops rising.
MAX_STEPS = 8
# A refit ends at a step that promises less than this fraction of its cost: for n
# matches that moves the parameters by 3e-5 sqrt(n) of their standard deviation.
CONVERGED = 1e-9

NO_CONSTANTS = np.empty(0)


@dataclass(frozen=True)
class Candidate:
    """A model, its squared residuals (N,) and its score."""

    model: Array
    sq_residuals: Array
    score: float


class Objective:
    """The score of ``model`` on ``points`` (..., N).

    Parameters
    ----------
    model : GeometricModel
        What is fitted.
    points : array, (..., N)
        Data in the form that ``model`` takes.
    score : Score
        How fits are compared.
    """

    def __init__(self, model: GeometricModel, points: Array, score: Score) -> None:
        self.model = model
        self.points = points
        self.score = score
        self.some = some_of(points)
        of_score = score.kernels(points.shape[-1], model.residual_dim, model.num_params)
        self.is_compiled = model.kernels is not None and of_score is not None
        self._of_score = of_score if self.is_compiled else None
        self._functions = self.functions_of(model)
        self._constants = (
            model.kernels.constants if model.kernels is not None else NO_CONSTANTS,
            of_score.constants if of_score is not None else NO_CONSTANTS,
        )

    def functions_of(self, model: GeometricModel) -> tuple[Any, ...]:
        """Return what `run` gives to kernels first, for another model and this score.

        Its kernels, if it has any, are taken if those of this objective are.
        """
        if self._of_score is None or model.kernels is None:
            return _interpreted(model, self.score)
        return _addresses(*model.kernels[:3], *self._of_score[:6])

    def best_of(self, models: Array, bar: float = -np.inf) -> Candidate | None:
        """Return the best of (K, ...) models, None where none scores above ``bar``."""
        index, score, sq_residuals = self.run(
            best_of, models, self.points, self.some, bar
        )
        return Candidate(models[index], sq_residuals, score) if index >= 0 else None

    def climb(
        self,
        candidate: Candidate,
        min_gain: float = 0.0,
        converged: float = CONVERGED,
    ) -> Candidate:
        """Refit ``candidate`` while that raises the score; see the kernel `climb`."""
        moved, sq_residuals, score = self.run(
            climb,
            candidate.model,
            candidate.sq_residuals,
            candidate.score,
            self.points,
            -np.inf,
            min_gain,
            converged,
        )
        if not score > candidate.score:
            return candidate
        return Candidate(moved, sq_residuals, score)

    def inliers(self, candidate: Candidate) -> NDArray[np.int64]:
        """Return the indices of the points that belong to ``candidate``."""
        mask: Mask = self.run(_inliers, candidate.sq_residuals)
        return np.flatnonzero(mask)

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run a kernel over this objective: compiled, if model and score are too."""
        if not self.is_compiled:
            function = source_of(function)
        return function(self._functions, self._constants, *arguments)


def source_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the interpreted form of a kernel."""
    return getattr(function, "py_func", function)


@brief_kernel
def some_of(points):
    """Points (..., M) to preview models on; all of them where that saves nothing."""
    step = max(1, points.shape[-1] // NUM_PREVIEW_POINTS)
    return np.ascontiguousarray(points[..., ::step])


@kernel
def best_of(functions, constants, models, points, some, bar):
    """Index of the best model, its score and residuals; -1 where none is above bar.

    Parameters
    ----------
    functions, constants : tuple
        See `cvscore._numba.bound`.
    models : (K, ...) array
    points : (..., N) array
    some : (..., M) array
        Some of the points, on which most models are told to be hopeless.
    bar : float
        The score to beat.
    """
    num_models, num_points = models.shape[0], points.shape[-1]
    num_kept = max(MIN_KEPT, int(KEPT_SHARE * num_models))
    if some.shape[-1] < num_points and num_kept < num_models:
        sq_residuals = call_residuals(functions, (models, some, constants[0]))
        guesses = call_preview(functions, (sq_residuals, constants[1]))
        kept = _largest(guesses, num_kept)
    else:
        kept = np.arange(num_models)
    best_index = -1
    best_row = np.empty(0)
    block = max(1, BLOCK_BYTES // (8 * max(num_points, 1)))
    for first in range(0, kept.shape[0], block):
        indices = kept[first : first + block]
        sq_residuals = call_residuals(
            functions, (models[indices], points, constants[0])
        )
        scores = call_evaluate(functions, (sq_residuals, bar, constants[1]))
        top = np.argmax(scores)
        if scores[top] > bar:
            bar = scores[top]
            best_index = indices[top]
            best_row = sq_residuals[top].copy()
    return best_index, bar, best_row


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


@kernel
def climb(
    functions, constants, model, sq_residuals, score, points, goal, min_gain, converged
):
    """Refit a model while that raises its score; return it, its residuals, its score.

    Parameters
    ----------
    functions, constants : tuple
        See `cvscore._numba.bound`.
    model, sq_residuals, score
        Where it begins.
    points : (..., N) array
    goal : float
        The score to beat.  Each step gains less than the one before; it ends where two
        more like the last would not reach the goal.
    min_gain : float
        It ends at a step that raises the score by less.
    converged : float
        Each refit ends at a step that promises less than this fraction of its cost.
    """
    _, weights = call_assess(functions, (sq_residuals, constants[1]))
    for _ in range(MAX_STEPS):
        moved = call_refit(functions, (model, points, weights, converged, constants[0]))
        moved_residuals = call_residuals(
            functions, (moved.reshape((1, *moved.shape)), points, constants[0])
        )[0]
        moved_score, weights = call_assess(functions, (moved_residuals, constants[1]))
        gain = moved_score - score
        if gain > 0.0:
            model, sq_residuals, score = moved, moved_residuals, moved_score
        if not (gain > min_gain and score + 2.0 * gain > goal):
            break
    return model, sq_residuals, score


@brief_kernel
def _inliers(functions, constants, sq_residuals):
    return call_inliers(functions, (sq_residuals, constants[1]))


def _interpreted(model: GeometricModel, score: Score) -> tuple[Any, ...]:
    """Return functions for the kernels' own source."""
    counts = model.residual_dim, model.num_params

    def evaluate(sq_residuals: Array, bar: float, _: Array) -> Array:
        return score.evaluate(sq_residuals, *counts, bar)

    return (
        lambda points, samples, *_: model.solve(points, samples),
        lambda models, points, _: model.residuals(models, points),
        lambda one, points, weights, *_: model.refit(one, points, weights),
        lambda sq_residuals, _: score.preview(sq_residuals, *counts),
        evaluate,
        lambda sq_residuals, _: score.assess(sq_residuals, *counts),
        lambda sq_residuals, _: score.inliers(sq_residuals, *counts),
        lambda sq_residuals, _: score.summarise(sq_residuals, *counts),
        lambda constants, *_: constants,
        source_of(best_of),
        source_of(climb),
        source_of(redescend),
    )


@lru_cache(maxsize=16)
def _addresses(
    solve: Callable[..., Any],
    residuals: Callable[..., Any],
    refit: Callable[..., Any],
    preview: Callable[..., Any],
    evaluate: Callable[..., Any],
    assess: Callable[..., Any],
    inliers: Callable[..., Any],
    summarise: Callable[..., Any],
    resize: Callable[..., Any],
) -> tuple[Any, ...]:
    return (
        address_of(solve, form.SOLVE),
        address_of(residuals, form.RESIDUALS),
        address_of(refit, form.REFIT),
        address_of(preview, form.PREVIEW),
        address_of(evaluate, form.EVALUATE),
        address_of(assess, form.ASSESS),
        address_of(inliers, form.INLIERS),
        address_of(summarise, form.SUMMARISE),
        address_of(resize, form.RESIZE),
        address_of(best_of, form.BEST_OF),
        address_of(climb, form.CLIMB),
        address_of(redescend, form.REDESCEND),
    )
