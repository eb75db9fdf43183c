"""What is said of the model that was found: its inliers, its threshold, its noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cvscore._kernel import kernel
from cvscore._operations import call_inliers, call_summarise
from cvscore.noise import variance_posterior
from cvscore.objective import Candidate, Objective
from cvscore.priors import InverseGamma
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


@kernel
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
