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
from numba import types
from numpy.typing import NDArray

from cvscore._calls import address_of, array, caller
from cvscore._kernel import kernel
from cvscore.types import Array, GeometricModel, Mask, Score

# Bytes of one block of residuals: models are scored in blocks that stay in L2.
BLOCK_BYTES = 1 << 19
# Models are first compared on about so many points, and this share of them (but no
# fewer than so many) on all: the best of all is among them but for close calls.
NUM_PREVIEW_POINTS = 200
KEPT_SHARE = 0.125
MIN_KEPT = 4
# Refits of one climb; few ever need more before the score stops rising.
MAX_STEPS = 8
# A refit ends at a step that promises less than this fraction of its cost: it moves
# every parameter by less than a thousandth of its standard deviation, for up to a
# million matches.
CONVERGED = 1e-12

# Kernels of a model and of a score; the last argument of each holds its constants.
RESIDUALS = array(2)(array(3), array(2), array(1))
REFIT = array(2)(array(2), array(2), array(1), types.float64, array(1))
PREVIEW = array(1)(array(2), array(1))
EVALUATE = array(1)(array(2), types.float64, array(1))
ASSESS = types.Tuple((types.float64, array(1)))(array(1), array(1))
INLIERS = array(1, types.boolean)(array(1), array(1))

call_residuals = caller(RESIDUALS)
call_refit = caller(REFIT)
call_preview = caller(PREVIEW)
call_evaluate = caller(EVALUATE)
call_assess = caller(ASSESS)
call_inliers = caller(INLIERS)


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
        num_points = points.shape[-1]
        self._block = max(1, BLOCK_BYTES // (8 * num_points)) if num_points else 1
        step = num_points // NUM_PREVIEW_POINTS
        self._preview_points = (
            np.ascontiguousarray(points[..., ::step]) if step >= 2 else None
        )
        self._functions, self._constants, self._compiled = _bind(
            model, score, num_points
        )

    def best_of(self, models: Array, bar: float = -np.inf) -> Candidate | None:
        """Return the best of (K, ...) models, None where none scores above ``bar``."""
        some = self._preview_points
        kept = max(MIN_KEPT, int(KEPT_SHARE * len(models)))
        if some is None or kept >= len(models):
            some, kept = self.points, len(models)
        index, score, sq_residuals = self.run(
            _best_of, models, self.points, some, kept, self._block, bar
        )
        return Candidate(models[index], sq_residuals, score) if index >= 0 else None

    def climb(
        self,
        candidate: Candidate,
        min_gain: float = 0.0,
        converged: float = CONVERGED,
    ) -> Candidate:
        """Refit ``candidate`` while that raises the score by more than ``min_gain``.

        Each refit ends at a step that promises less than ``converged`` of its cost.
        """
        moved, sq_residuals, score = self.run(
            _climb,
            candidate.model,
            candidate.sq_residuals,
            candidate.score,
            self.points,
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
        if not self._compiled:
            function = getattr(function, "py_func", function)
        return function(self._functions, self._constants, *arguments)


@kernel
def _inliers(functions, constants, sq_residuals):
    return call_inliers(functions[5], (sq_residuals, constants[1]))


@kernel
def _best_of(functions, constants, models, points, some, num_kept, block, bar):
    """Index of the best model, its score and residuals; -1 where none is above bar.

    ``num_kept`` models go beyond the preview on ``some`` points.
    """
    residuals, _, preview, evaluate, _, _ = functions
    num_models = models.shape[0]
    kept = np.arange(num_models)
    if num_kept < num_models:
        sq_residuals = call_residuals(residuals, (models, some, constants[0]))
        guesses = call_preview(preview, (sq_residuals, constants[1]))
        kept = _largest(guesses, num_kept)
    best_index = -1
    best_row = np.empty(0)
    first = 0
    while first < num_kept:
        indices = kept[first : first + block]
        first += block
        sq_residuals = call_residuals(
            residuals, (models[indices], points, constants[0])
        )
        scores = call_evaluate(evaluate, (sq_residuals, bar, constants[1]))
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
def _climb(
    functions, constants, model, sq_residuals, score, points, min_gain, converged
):
    """Return the model that the climb from ``model`` ends at, its residuals, score."""
    residuals, refit, _, _, assess, _ = functions
    _, weights = call_assess(assess, (sq_residuals, constants[1]))
    for _ in range(MAX_STEPS):
        moved = call_refit(refit, (model, points, weights, converged, constants[0]))
        moved_residuals = call_residuals(
            residuals, (moved.reshape((1, *moved.shape)), points, constants[0])
        )[0]
        moved_score, weights = call_assess(assess, (moved_residuals, constants[1]))
        gain = moved_score - score
        if gain > 0.0:
            model, sq_residuals, score = moved, moved_residuals, moved_score
        if not gain > min_gain:
            break
    return model, sq_residuals, score


def _bind(
    model: GeometricModel, score: Score, num_points: int
) -> tuple[tuple[Any, ...], tuple[Array, Array], bool]:
    """Functions and constants for the kernels here, and whether they are compiled."""
    counts = model.residual_dim, model.num_params
    of_score = score.kernels(num_points, *counts)
    if model.kernels is not None and of_score is not None:
        functions = (
            *_model_addresses(model.kernels.residuals, model.kernels.refit),
            *_score_addresses(
                of_score.preview, of_score.evaluate, of_score.assess, of_score.inliers
            ),
        )
        return functions, (model.kernels.constants, of_score.constants), True

    def evaluate(sq_residuals: Array, bar: float, _: Array) -> Array:
        return score.evaluate(sq_residuals, *counts, bar)

    functions = (
        lambda models, points, _: model.residuals(models, points),
        lambda one, points, weights, *_: model.refit(one, points, weights),
        lambda sq_residuals, _: score.preview(sq_residuals, *counts),
        evaluate,
        lambda sq_residuals, _: score.assess(sq_residuals, *counts),
        lambda sq_residuals, _: score.inliers(sq_residuals, *counts),
    )
    return functions, (np.empty(0), np.empty(0)), False


@lru_cache
def _model_addresses(residuals: Any, refit: Any) -> tuple[Any, ...]:
    return address_of(residuals, RESIDUALS), address_of(refit, REFIT)


@lru_cache
def _score_addresses(
    preview: Any, evaluate: Any, assess: Any, inliers: Any
) -> tuple[Any, ...]:
    return (
        address_of(preview, PREVIEW),
        address_of(evaluate, EVALUATE),
        address_of(assess, ASSESS),
        address_of(inliers, INLIERS),
    )
