"""What is said of the model that was found: inliers, threshold, noise, evidence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cvscore._numba.compile import brief_kernel
from cvscore._numba.bound import call_inliers, call_residuals, call_summarise
from cvscore.inference.null_density import SEED, redraw
from cvscore.inference.noise_scale import variance_posterior
from cvscore.ransac.objective import Candidate, Objective
from cvscore.scores.priors import InverseGamma
from cvscore.ransac.samplers import generator
from cvscore.inference.significance import corrected_evidence
from cvscore.types import Array, Mask, NoisePosterior

# Of scores that believe nothing about the noise.
NO_BELIEF = InverseGamma.jeffreys()


class Conclusion(NamedTuple):
    """What the points of an objective say of a candidate, in their own unit."""

    inliers: Mask  # (N,)
    residuals: Array  # (N,)
    score: float
    threshold: float
    noise: NoisePosterior


def conclude(objective: Objective, candidate: Candidate, unit: float) -> Conclusion:
    """Label the points and measure the noise.

    ``unit`` is that of the objective's points: its inverse is what the points outside
    were multiplied by.
    """
    model, score = objective.model, objective.score
    prior = getattr(score, "prior", NO_BELIEF)
    inliers, residuals, value, threshold, shape, rate = objective.run(
        _conclude,
        candidate.sq_residuals,
        model.residual_dim,
        model.num_params,
        float(prior.alpha),
        float(prior.beta),
        unit,
    )
    counts = len(residuals), model.residual_dim, model.num_params
    return Conclusion(
        inliers,
        residuals,
        score.rescaled(value, unit, *counts),
        threshold,
        NoisePosterior(shape, rate),
    )


@brief_kernel
def _conclude(functions, constants, sq_residuals, dim, num_params, alpha, beta, unit):
    inliers = call_inliers(functions, (sq_residuals, constants[1]))
    score, _, threshold, _ = call_summarise(functions, (sq_residuals, constants[1]))
    num_inliers, rss = 0, 0.0
    residuals = np.empty(sq_residuals.shape[0])
    for i in range(sq_residuals.shape[0]):
        residuals[i] = unit * np.sqrt(sq_residuals[i])
        num_inliers += inliers[i]
        rss += sq_residuals[i] if inliers[i] else 0.0
    shape, rate = variance_posterior(
        rss, num_inliers, threshold, alpha, beta, dim, num_params
    )
    return inliers, residuals, score, unit * threshold, shape, unit**2 * rate


def weigh(
    objective: Objective,
    candidate: Candidate,
    inliers: Mask,
    num_samples: int,
    precision: float,
) -> float:
    """Return the corrected evidence of a model: what chance does on the same points.

    ``num_samples`` were drawn to find it; ``precision`` is that of the points.
    """
    model = objective.model
    with np.errstate(over="ignore"):  # the generator wraps around
        evidence: float = objective.run(
            _weigh,
            candidate.model,
            candidate.sq_residuals,
            objective.points,
            generator(SEED),
            inliers,
            (model.residual_dim, model.sample_size, num_samples),
            precision,
        )
    return evidence


@brief_kernel
def _weigh(
    functions,
    constants,
    model,
    sq_residuals,
    points,
    generator,
    inliers,
    counts,
    precision,
):
    redrawn = redraw(points, generator)
    given = model.reshape((1, *model.shape)), redrawn, constants[0]
    by_chance = call_residuals(functions, given)[0]
    return corrected_evidence(sq_residuals, inliers, by_chance, *counts, precision)
