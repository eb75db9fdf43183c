"""The robust loop.  It knows neither what it fits nor how fits are compared.

Three verbs do the work: ``solve`` makes candidates from minimal samples, ``best_of``
compares them by their residuals, ``climb`` moves one to a better place.  Every round
draws samples twice: from all points, to explore, and from the inliers of the best model
so far, where a sample free of outliers is far likelier.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cvscore._numba import bound as form
from cvscore._numba.by_address import address_of
from cvscore._numba.compile import kernel
from cvscore._numba.bound import (
    call_best_of,
    call_climb,
    call_draw,
    call_inliers,
    call_solve,
    call_summarise,
)
from cvscore.ransac.objective import CONVERGED, Candidate, Objective
from cvscore.ransac.samplers import KernelSampler, draw_among, generator, trials_needed
from cvscore.types import (
    NO_STAGES,
    Array,
    GeometricModel,
    RansacOptions,
    Sampler,
    SamplerMemory,
    Score,
)

# Samples per batch.  The first batches are small so that easy data stop early.
FIRST_BATCH = 16
LAST_BATCH = 64
LAST_INNER_BATCH = 32  # most of these samples are good already
# Samples at the least, where that many are allowed: two rounds.  Nearly all matches
# agree with the model of a plane or a short baseline too, and end the search by their
# number; it takes a second look to find one that fits them better.
MIN_SAMPLES = 40
# While searching, a climb ends at a step that raises the score (a log likelihood) by
# less than this: such steps never decide between candidates, and are many.
MIN_GAIN = 1.0
# Nor need it end exactly at the minimum of each refit.
NEARLY_CONVERGED = 1e-2

# Batches among the inliers of one model: what these do not improve, more will not.
PATIENCE = 2

# Where samples come from: all points, or the inliers of the best model.
EVERYWHERE, AMONG_INLIERS = 0, 1


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
    return search(Objective(model, points, score), sampler, options)


def search(
    objective: Objective, sampler: Sampler, options: RansacOptions
) -> tuple[Candidate | None, int]:
    """Do what `ransac` does, for an objective."""
    model = objective.model
    draw, memory = _source(sampler, compiled=objective.is_compiled)
    with np.errstate(over="ignore"):  # random generators wrap around
        found, sq_residuals, value, iterations = objective.run(
            _search,
            model.kernels.stages if model.kernels is not None else NO_STAGES,
            draw,
            tuple(memory),
            generator(options.seed),
            objective.points,
            objective.some,
            (
                model.sample_size,
                options.max_iterations,
                options.min_iterations,
                options.confidence,
                model.residual_dim,
                model.num_params,
                model.fine_gain,
                model.climbs_from_every_batch,
            ),
        )
    if not value > -np.inf:
        return None, iterations
    return Candidate(found, sq_residuals, value), iterations


def climb_from(objective: Objective, model: Array) -> Candidate | None:
    """Climb from a model as near as while searching; None where it has no score."""
    start = objective.best_of(model[None])
    if start is None:
        return None
    return objective.climb(start, MIN_GAIN, NEARLY_CONVERGED)


@kernel
def _search(
    functions, constants, stages, draw, memory, generator, points, some, limits
):
    """Return the best model, its residuals, its score, and how many samples it took."""
    sample_size, max_iterations, may_be_loose = limits[0], limits[1], limits[-2] > 0.0
    best = np.empty((3, 3)), np.empty(0), -np.inf  # model, residuals, score
    members = np.empty(0, dtype=np.int64)
    # What a sample has to score to be worth a climb: more than those before it.
    bars = np.full(2, -np.inf)
    iterations, batch, budget = 0, FIRST_BATCH, float(max_iterations)
    num_vain = 0  # batches among the inliers of the best model, since it is the best
    while iterations < budget:
        for source in range(2):
            num = min(batch, max_iterations - iterations)
            if source == EVERYWHERE:
                samples = call_draw(draw, (points, *memory, num))
            else:
                num = min(num, LAST_INNER_BATCH) if num_vain < PATIENCE else 0
                samples = draw_among(generator, members, sample_size, num)
                num_vain += 1
            iterations += samples.shape[0]
            models = call_solve(functions, (points, samples, constants[0], stages))
            given = functions, constants, models, points, some, bars[source]
            index, score, residuals = call_best_of(functions, given)
            if index < 0:
                continue
            bars[source] = -np.inf if limits[-1] else score  # or every batch is
            start = functions, constants, models[index], residuals, score, points
            end = call_climb(functions, (*start, best[2], MIN_GAIN, NEARLY_CONVERGED))
            if end[2] > best[2]:
                best = end
                row = best[1], constants[1]
                members, num_vain = np.flatnonzero(call_inliers(functions, row)), 0
                bars[AMONG_INLIERS] = -np.inf
                evidence = call_summarise(functions, row)[3] if may_be_loose else np.inf
                budget = _budget(members.shape[0], best[1].shape[0], evidence, limits)
        batch = min(2 * batch, LAST_BATCH)
    if best[2] > -np.inf:
        start = functions, constants, best[0], best[1], best[2], points
        best = call_climb(functions, (*start, -np.inf, 0.0, CONVERGED))
    return best[0], best[1], best[2], iterations


@kernel
def _budget(num_inliers, num_points, evidence, limits):
    """How many samples make sure of a model as good as one with so many inliers.

    Where they gain less than those of a fine model, of a fine one with as much
    ``evidence``; infinity, or NaN from scores that have none, changes nothing.
    """
    sample_size, most, least, confidence, dim, num_params, fine_gain = limits[:7]
    if fine_gain > 0.0:
        num_fine = (evidence / fine_gain + num_params) / dim
        if num_fine < num_inliers:
            num_inliers = int(max(num_fine, 0.0))
    needed = trials_needed(num_inliers, num_points, sample_size, confidence)
    return min(float(most), max(float(least), float(MIN_SAMPLES), needed))


def _source(sampler: Sampler, *, compiled: bool) -> tuple[Any, SamplerMemory]:
    """Return how the loop draws: a function, or its address, and its memory."""
    if isinstance(sampler, KernelSampler):
        draw = address_of(sampler.kernel, form.DRAW) if compiled else sampler.kernel
        return draw, sampler.memory
    return lambda *given: sampler.draw(given[-1]), NO_MEMORY


NO_MEMORY = SamplerMemory(
    *(np.empty(0, dtype=t) for t in (np.uint64, np.int64, np.int64, np.int64, float))
)
