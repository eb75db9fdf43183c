"""The robust loop.  It knows neither what it fits nor how fits are compared.

Three verbs do the work: ``model.solve`` makes candidates from minimal samples,
``score`` compares them by their residuals, ``model.refit`` moves one to a better place.
Every round draws samples twice: from all points, to explore, and from the inliers of
the best model so far, where a sample free of outliers is far likelier.
"""

from __future__ import annotations

import numpy as np

from cvscore.objective import Candidate, Objective
from cvscore.sampling import FocusedSampler, trials_needed
from cvscore.types import Array, GeometricModel, RansacOptions, Sampler, Score

# Samples per batch.  The first batches are small so that easy data stop early; later
# ones are large enough that the calls from Python cost little beside the kernels.
FIRST_BATCH = 16
LAST_BATCH = 64
# While searching, a climb ends at a step that raises the score (a log likelihood) by
# less than this: such steps never decide between candidates, and are many.
MIN_GAIN = 1.0
# Nor do they end exactly at the minimum of each refit.
CONVERGED = 1e-4


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
    objective = Objective(model, points, score)
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
            start = objective.best_of(model.solve(points, samples), bar)
            if start is None:
                continue
            bars[source] = start.score
            candidate = objective.climb(start, MIN_GAIN, CONVERGED)
            if best is None or candidate.score > best.score:
                best = candidate
                inliers = objective.inliers(best)
                focused.focus(inliers)
                bars[focused] = -np.inf
                budget = _budget(len(inliers), points.shape[-1], model, options)
        batch = min(2 * batch, LAST_BATCH)
    if best is not None:
        best = objective.climb(best)
    return best, iterations


def _budget(
    num_inliers: int, num_points: int, model: GeometricModel, options: RansacOptions
) -> float:
    needed = trials_needed(
        num_inliers, num_points, model.sample_size, options.confidence
    )
    return min(options.max_iterations, max(options.min_iterations, needed))
