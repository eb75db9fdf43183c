"""The robust loop.  It knows neither what it fits nor how fits are compared.

Three verbs do the work: ``model.solve`` makes candidates from minimal samples,
``score`` compares them by their residuals, ``model.refit`` moves one to a better place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvscore.sampling import trials_needed
from cvscore.types import Array, GeometricModel, RansacOptions, Sampler, Score

# Samples per batch.  The first batches are small so that easy data stop early; later
# ones are large enough that the calls from Python cost little beside the kernels.
FIRST_BATCH = 16
LAST_BATCH = 64
# Bytes of one block of residuals: models are scored in blocks that stay in L2.
BLOCK_BYTES = 1 << 19
# Refits of one local optimisation; few ever need more before the score stops rising.
MAX_LOCAL_STEPS = 8


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
    iterations, batch = 0, FIRST_BATCH
    budget: float = options.max_iterations
    while iterations < budget:
        samples = sampler.draw(min(batch, options.max_iterations - iterations))
        iterations += len(samples)
        batch = min(2 * batch, LAST_BATCH)
        start = best_of(model.solve(points, samples), model, points, score)
        if start is None:
            continue
        candidate = locally_optimise(start, model, points, score)
        if best is None or candidate.score > best.score:
            best = candidate
            budget = _budget(best, model, score, options)
    return best, iterations


def best_of(
    models: Array, model: GeometricModel, points: Array, score: Score
) -> Candidate | None:
    """Return the best of (K, ...) models, None where none has a finite score."""
    best: Candidate | None = None
    block = max(1, BLOCK_BYTES // (8 * points.shape[-1]))
    for first in range(0, len(models), block):
        some = models[first : first + block]
        sq_residuals = model.residuals(some, points)
        bar = -np.inf if best is None else best.score
        scores = score.evaluate(sq_residuals, model.residual_dim, model.num_params, bar)
        top = int(np.argmax(scores))
        if scores[top] > bar:
            best = Candidate(some[top], sq_residuals[top].copy(), float(scores[top]))
    return best


def locally_optimise(
    candidate: Candidate,
    model: GeometricModel,
    points: Array,
    score: Score,
    max_steps: int = MAX_LOCAL_STEPS,
) -> Candidate:
    """Climb the score from ``candidate`` until a step does not raise it."""
    for _ in range(max_steps):
        weights = score.weights(
            candidate.sq_residuals, model.residual_dim, model.num_params
        )
        moved = evaluate(
            model.refit(candidate.model, points, weights), model, points, score
        )
        if not moved.score > candidate.score:
            break
        candidate = moved
    return candidate


def evaluate(
    one: Array, model: GeometricModel, points: Array, score: Score
) -> Candidate:
    """Residuals and score of one model."""
    sq_residuals = model.residuals(one[None], points)
    scores = score.evaluate(sq_residuals, model.residual_dim, model.num_params)
    return Candidate(one, sq_residuals[0], float(scores[0]))


def _budget(
    best: Candidate, model: GeometricModel, score: Score, options: RansacOptions
) -> float:
    inliers = score.inliers(best.sq_residuals, model.residual_dim, model.num_params)
    needed = trials_needed(
        int(inliers.sum()), inliers.size, model.sample_size, options.confidence
    )
    return min(options.max_iterations, max(options.min_iterations, needed))
