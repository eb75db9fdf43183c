"""A finer model among the inliers of the one that was found.

While it searches, the score takes wrong matches to be spread over a band far wider than
the noise.  Where they are not, because another plane is a few pixels off or near misses
surround the right place, a model between the two is the best: it has more inliers than
the right one, and in so wide a band each of them gains nearly as much.

So its inliers are looked at as matches of their own.  Now wrong ones are spread over no
more than the disc of the inliers' residuals, and their share may be anything: a prior
on it charges for every choice of some inliers among all, without which the middle of
any Gaussian would be a finer model.  One that still gains more than the number of
models that were tried is there, and wrong matches are as dense around it as the disc
says.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cvscore._kernel import brief_kernel, kernel
from cvscore._operations import (
    call_assess,
    call_best_of,
    call_climb,
    call_inliers,
    call_solve,
)
from cvscore.objective import Candidate, Objective
from cvscore.ransac import MIN_GAIN, NEARLY_CONVERGED
from cvscore.redescent import core_variance
from cvscore.sampling import draw_among, generator
from cvscore.significance import MODELS_PER_SAMPLE
from cvscore.types import NO_STAGES, SIGNIFICANT_EVIDENCE, RansacOptions, Score

# Samples among the inliers: of a model with a third of them, 39 times in 40 one of four
# points is good.
NUM_SAMPLES = 300
BATCH = 50
# Samples are first compared on about so many inliers: fewer than while searching, for
# more of them are good.
NUM_PREVIEW_POINTS = 64
# Nobody looks where the core of the inliers, those with the smallest residuals, tells
# that much of the variance of all: they have one centre and one scale.
ONE_SCALE = 0.95
# Nor where its scale is not above so many rounding errors.
ROUNDED = 100.0
# The half-width of a square as large as the disc of radius 1.
OF_DISC = 0.5 * math.sqrt(math.pi)


def look_closer(
    objective: Objective,
    best: Candidate,
    options: RansacOptions,
    half_width: float,
    precision: float,
    score_with: Callable[[float], Score],
    score_of_some: Callable[[float], Score],
) -> tuple[Objective, Candidate]:
    """Return a finer model and an objective of its half-width, or what was given.

    Parameters
    ----------
    objective : Objective
        What the model was found with, of two constraints per match.
    best : Candidate
        The model.
    options : RansacOptions
        Limits of the search.
    half_width : float
        That of the objective.
    precision : float
        Rounding error of a residual.
    score_with, score_of_some : callable
        Give its score with another half-width; the second one with a prior on the share
        of inliers.
    """
    model, inliers = objective.model, objective.inliers(best)
    counts = model.residual_dim, model.num_params
    within = best.sq_residuals[inliers]
    if not _may_be_finer(within, *counts, precision):
        return objective, best
    of_disc = OF_DISC * math.sqrt(within.max())
    points = np.ascontiguousarray(objective.points[:, inliers])
    some = np.ascontiguousarray(points[:, :: 1 + len(inliers) // NUM_PREVIEW_POINTS])
    among_inliers = Objective(model, points, score_of_some(of_disc))
    num_samples = min(NUM_SAMPLES, options.max_iterations)
    # In the wide band all of them are inliers.
    of_all = score_of_some(half_width).evaluate(within[None], *counts)[0]
    to_gain = math.log(MODELS_PER_SAMPLE * num_samples) + SIGNIFICANT_EVIDENCE
    with np.errstate(over="ignore"):  # random generators wrap around
        found, reached, num_right = among_inliers.run(
            _search_among,
            model.kernels.stages if model.kernels is not None else NO_STAGES,
            best.model,
            within,
            points,
            some,
            generator(options.seed),
            (model.sample_size, num_samples),
            of_all + to_gain,
        )
    if not reached > of_all + to_gain:
        return objective, best
    # As in `cvscore.surroundings`: what is right and wrong around a model asks for.
    density = (len(inliers) - num_right + 1) / num_right
    asked = min(of_disc * density ** (-1.0 / model.residual_dim), half_width)
    narrower = Objective(model, objective.points, score_with(asked))
    finer = narrower.best_of(found[None])
    return (objective, best) if finer is None else (narrower, finer)


@brief_kernel
def _may_be_finer(sq_residuals, dim, num_params, precision):
    """Whether the core of inliers (K,) is narrower than all of them."""
    core = core_variance(sq_residuals.copy(), dim, num_params)
    variance = sq_residuals.sum() / (dim * sq_residuals.shape[0] - num_params)
    return (ROUNDED * precision) ** 2 < core < ONE_SCALE * variance


@kernel
def _search_among(
    functions,
    constants,
    stages,
    model,
    sq_residuals,
    points,
    some,
    generator,
    counts,
    goal,
):
    """Return the best model, its score and its number of inliers.

    Parameters
    ----------
    functions, constants : tuple
        See `cvscore._operations`.
    stages : tuple
        Of the solver.
    model, sq_residuals
        What is to be improved on.
    points, some : (..., N), (..., M) array
        Where samples come from, and some of these points for a preview.
    generator : (1,) uint64 array
    counts : tuple
        Points in a sample, and samples.
    goal : float
        The score to beat.
    """
    size, num_samples = counts
    score, _ = call_assess(functions, (sq_residuals, constants[1]))
    start = functions, constants, model, sq_residuals, score, points
    best = call_climb(functions, (*start, goal, MIN_GAIN, NEARLY_CONVERGED))
    members, bar = np.arange(points.shape[-1]), -np.inf
    for first in range(0, num_samples, BATCH):
        num = min(BATCH, num_samples - first)
        samples = draw_among(generator, members, size, num)
        models = call_solve(functions, (points, samples, constants[0], stages))
        given = functions, constants, models, points, some, bar
        index, score, residuals = call_best_of(functions, given)
        if index < 0:
            continue
        bar = score
        start = functions, constants, models[index], residuals, score, points
        above = max(goal, best[2])
        end = call_climb(functions, (*start, above, MIN_GAIN, NEARLY_CONVERGED))
        if end[2] > best[2]:
            best = end
    are_inliers = call_inliers(functions, (best[1], constants[1]))
    return best[0], best[2], are_inliers.sum()
