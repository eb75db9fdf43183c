"""The robust loop.  It knows neither what it fits nor how fits are compared.

Three verbs do the work: ``solve`` makes candidates from minimal samples, ``best_of``
compares them by their residuals, ``locally_optimise`` refits one.  Every round draws
samples twice: from all points, to explore, and from the inliers of the best model so
far, where a sample free of outliers is far likelier (inner samples of LO-RANSAC).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.bound import (
    DRAW,
    BoundSampler,
    bound_kernel,
    call_draw,
    call_inliers,
    call_solve,
)
from cvscore._numba.by_address import address_of
from cvscore.numerics.random_numbers import generator
from cvscore.ransac.local_optimization import (
    TO_THE_END,
    WHILE_SEARCHING,
    locally_optimise,
)
from cvscore.ransac.objective import Candidate, Objective, best_of
from cvscore.ransac.samplers import (
    KernelSampler,
    draw_among,
    new_state,
    num_within,
)
from cvscore.ransac.stopping import PLAIN, SearchStyle, limits_of, sample_budget
from cvscore.types import Array, GeometricModel, RansacOptions, Sampler, Score

# Samples per batch.  The first batches are small so that easy data stop early.
FIRST_BATCH = 16
LAST_BATCH = 64
LAST_INNER_BATCH = 32  # most of these samples are good already
# Batches among the inliers of one model: what these do not improve, more will not.
PATIENCE = 2

# The search comes back to the interpreter, where Ctrl-C is seen, after so much work:
# points on which samples were scored, and as many as cost what solving for one does.
WORK_OF_A_SLICE = 12e6
WORK_OF_A_SAMPLE = 1e3

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
    points : array, (D, N)
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
    return search(Objective(model, points, score, options), sampler)


def search(
    objective: Objective, sampler: Sampler, style: SearchStyle = PLAIN
) -> tuple[Candidate | None, int]:
    """Do what `ransac` does, for an objective and in a style."""
    state, _ = search_by(_search, objective, sampler, style)
    return state.best if state.best.score > -np.inf else None, state.iterations


def search_by(
    kernel: Callable[..., Any],
    objective: Objective,
    sampler: Sampler,
    style: SearchStyle,
    *further: Any,
) -> tuple[SearchState, Any]:
    """Search, slice by slice, by a kernel that is given ``further`` arguments.

    The kernel returns the state, and what it makes of it; so does this, in the end.
    """
    given = (
        _bound_sampler(sampler, compiled=objective.is_compiled),
        generator(objective.options.seed),
        limits_of(objective.options, style),
    )
    state, made = new_search(objective.options.max_iterations), None
    while not state.is_over:
        state, made = objective.run(kernel, *given, state, *further)
    return state, made


class SearchState(NamedTuple):
    """Where a search stands between two slices."""

    best: Candidate
    members: NDArray[np.int64]  # its inliers
    # What a sample has to score to be worth optimising: more than those before it from
    # the same source, (2,).
    bars: Array
    iterations: int
    batch: int
    budget: float
    num_vain: int  # batches among the inliers of the best model, since it is the best
    num_clean: int  # samples of its inliers alone that came from all points since then
    is_over: bool


# Before a search has found anything.
NOTHING = Candidate(np.empty((3, 3)), np.empty(0), -np.inf)
NO_MEMBERS = np.empty(0, dtype=np.int64)


def new_search(max_iterations: int) -> SearchState:
    """Return the state of a search that has not begun."""
    return SearchState(
        best=NOTHING,
        members=NO_MEMBERS,
        bars=np.full(2, -np.inf),
        iterations=0,
        batch=FIRST_BATCH,
        budget=float(max_iterations),
        num_vain=0,
        num_clean=0,
        is_over=False,
    )


@bound_kernel
def _search(objective, sampler, generator, limits, state):
    return search_slice(objective, sampler, generator, limits, state), None


@bound_kernel
def search_slice(objective, sampler, generator, limits, state):
    """Search on for a slice of the work, and return the state then."""
    model, score, points = objective.model, objective.score, objective.points
    best, members, bars, iterations, batch, budget, num_vain, num_clean, _ = state
    is_inlier = np.zeros(points.shape[-1], dtype=np.bool_)
    is_inlier[members] = True
    work_of_sample = WORK_OF_A_SAMPLE + points.shape[-1]
    end_of_slice = iterations + WORK_OF_A_SLICE / work_of_sample
    while iterations < min(budget, end_of_slice):
        for source in range(2):
            # What is found on the way may leave fewer to draw, or none.
            num = min(batch, max(int(np.ceil(budget)) - iterations, 0))
            if source == EVERYWHERE:
                samples = call_draw(sampler, points, num)
                num_clean += num_within(samples, is_inlier)
            else:
                num = min(num, LAST_INNER_BATCH) if num_vain < PATIENCE else 0
                samples = draw_among(generator, members, model.sample_size, num)
                num_vain += 1
            iterations += samples.shape[0]
            models = call_solve(model, points, samples)
            top = best_of(objective, models, bars[source])
            if not top.score > -np.inf:
                continue
            bars[source] = -np.inf if limits.optimises_every_batch else top.score
            end = locally_optimise(objective, top, best.score, WHILE_SEARCHING)
            if end.score > best.score:
                best = end
                is_inlier = call_inliers(score, best.sq_residuals)
                members, num_vain, num_clean = np.flatnonzero(is_inlier), 0, 0
                bars[AMONG_INLIERS] = -np.inf
                counts = members.shape[0], is_inlier.shape[0]
                budget = sample_budget(*counts, model.sample_size, limits)
        if num_clean >= limits.max_clean:
            budget = min(budget, float(max(limits.min_iterations, limits.min_samples)))
        batch = min(2 * batch, LAST_BATCH)
    is_over = not iterations < budget
    if is_over and best.score > -np.inf:
        best = locally_optimise(objective, best, -np.inf, TO_THE_END)
    return SearchState(
        best, members, bars, iterations, batch, budget, num_vain, num_clean, is_over
    )


def _bound_sampler(sampler: Sampler, *, compiled: bool) -> BoundSampler:
    """Return how the loop draws: a function, or its address, and its state."""
    if isinstance(sampler, KernelSampler):
        draw = address_of(sampler.kernel, DRAW) if compiled else sampler.kernel
        return BoundSampler(draw, sampler.state)
    assert not compiled, "a compiled loop needs a sampler with a kernel"
    return BoundSampler(lambda _, num, __: sampler.draw(num), new_state(0, 1, 1))
