"""The robust loop.  It knows neither what it fits nor how fits are compared.

Three verbs do the work: ``model.solve`` makes candidates from minimal samples,
``score`` compares them by their residuals, ``model.refit`` moves one to a better place.
Every round draws samples twice: from all points, to explore, and from the inliers of
the best model so far, where a sample free of outliers is far likelier.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cvscore.sampling import FocusedSampler, trials_needed
from cvscore.types import Array, GeometricModel, RansacOptions, Sampler, Score

# Samples per batch.  The first batches are small so that easy data stop early; later
# ones are large enough that the calls from Python cost little beside the kernels.
FIRST_BATCH = 16
LAST_BATCH = 64
# Bytes of one block of residuals: models are scored in blocks that stay in L2.
BLOCK_BYTES = 1 << 19
# Models are first compared on about so many points, and this share of them (but no
# fewer than so many) on all: the best of all is among them but for close calls.
NUM_PREVIEW_POINTS = 200
KEPT_SHARE = 0.125
MIN_KEPT = 4
# Refits of one local optimisation; few ever need more before the score stops rising.
MAX_LOCAL_STEPS = 8
# While searching, a climb ends at a step that raises the score (a log likelihood) by
# less than this: such steps never decide between candidates, and are many.
MIN_GAIN = 1.0


@dataclass(frozen=True)
class Candidate:
    """A model, its squared residuals (N,) and its score."""

    model: Array
    sq_residuals: Array
    score: float


def ransac(
    model: GeometricModel,
    points: Array,
    score: Score,
    sampler: Sampler,
    options: RansacOptions,
) -> tuple[Candidate | None, int]:
    """Search for the model of highest score among local optima of minimal samples.

    Parameters
    ----------
    model : GeometricModel
        What to fit.
    points : array, (..., N)
        Data in the form that ``model`` takes.
    score, sampler : Score, Sampler
        How fits are compared and where samples come from.
    options : RansacOptions
        Limits of the search.

    Returns
    -------
    best : Candidate or None
        None where no sample gave a model with a finite score.
    iterations : int
        Samples drawn.
    """
    best: Candidate | None = None
    focused = FocusedSampler(model.sample_size, options.seed)
    # The best score of a sample so far: only samples above it are worth a climb.
    bars: dict[Sampler, float] = {sampler: -np.inf, focused: -np.inf}
    iterations, batch = 0, FIRST_BATCH
    budget: float = options.max_iterations
    while iterations < budget:
        for source, bar in list(bars.items()):
            samples = source.draw(min(batch, options.max_iterations - iterations))
            iterations += len(samples)
            start = best_of(model.solve(points, samples), model, points, score, bar)
            if start is None:
                continue
            bars[source] = start.score
            candidate = locally_optimise(start, model, points, score, MIN_GAIN)
            if best is None or candidate.score > best.score:
                best = candidate
                inliers = _inliers(best, model, score)
                focused.focus(inliers)
                bars[focused] = -np.inf
                budget = _budget(len(inliers), points.shape[-1], model, options)
        batch = min(2 * batch, LAST_BATCH)
    if best is not None:
        best = locally_optimise(best, model, points, score)
    return best, iterations


def best_of(
    models: Array,
    model: GeometricModel,
    points: Array,
    score: Score,
    bar: float = -np.inf,
) -> Candidate | None:
    """Return the best of (K, ...) models, None where none has a score above ``bar``."""
    best: Candidate | None = None
    models = _promising(models, model, points, score)
    block = max(1, BLOCK_BYTES // (8 * points.shape[-1]))
    for first in range(0, len(models), block):
        some = models[first : first + block]
        sq_residuals = model.residuals(some, points)
        scores = score.evaluate(sq_residuals, model.residual_dim, model.num_params, bar)
        top = int(np.argmax(scores))
        if scores[top] > bar:
            bar = float(scores[top])
            best = Candidate(some[top], sq_residuals[top].copy(), bar)
    return best


def _promising(
    models: Array, model: GeometricModel, points: Array, score: Score
) -> Array:
    """Drop models that are clearly not the best by their residuals on some points."""
    num_points, num_models = points.shape[-1], len(models)
    num_kept = max(MIN_KEPT, int(KEPT_SHARE * num_models))
    step = num_points // NUM_PREVIEW_POINTS
    if step < 2 or num_kept >= num_models:
        return models
    some = np.ascontiguousarray(points[..., ::step])
    sq_residuals = model.residuals(models, some)
    guesses = score.preview(sq_residuals, model.residual_dim, model.num_params)
    return models[np.argpartition(-guesses, num_kept)[:num_kept]]


def locally_optimise(
    candidate: Candidate,
    model: GeometricModel,
    points: Array,
    score: Score,
    min_gain: float = 0.0,
) -> Candidate:
    """Climb the score from ``candidate`` while steps raise it by more than a little."""
    counts = model.residual_dim, model.num_params
    _, weights = score.assess(candidate.sq_residuals, *counts)
    for _ in range(MAX_LOCAL_STEPS):
        moved = model.refit(candidate.model, points, weights)
        sq_residuals = model.residuals(moved[None], points)[0]
        moved_score, weights = score.assess(sq_residuals, *counts)
        gain = moved_score - candidate.score
        if gain > 0.0:
            candidate = Candidate(moved, sq_residuals, moved_score)
        if not gain > min_gain:
            break
    return candidate


def _inliers(best: Candidate, model: GeometricModel, score: Score) -> NDArray[np.int64]:
    return np.flatnonzero(
        score.inliers(best.sq_residuals, model.residual_dim, model.num_params)
    )


def _budget(
    num_inliers: int, num_points: int, model: GeometricModel, options: RansacOptions
) -> float:
    needed = trials_needed(
        num_inliers, num_points, model.sample_size, options.confidence
    )
    return min(options.max_iterations, max(options.min_iterations, needed))
