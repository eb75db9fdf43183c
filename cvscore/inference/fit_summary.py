"""What is said of the model that was found: inliers, threshold, noise, evidence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.bound import (
    bound_kernel,
    brief_bound_kernel,
    call_inliers,
    call_residuals,
    call_summarise,
)
from cvscore.data.permutation import SEED, redraw
from cvscore.inference.noise_scale import variance_posterior
from cvscore.inference.significance import corrected_evidence
from cvscore.numerics.random_numbers import generator
from cvscore.ransac.objective import Candidate, Objective
from cvscore.types import Array, Mask, NoisePosterior


class FitSummary(NamedTuple):
    """What the points of an objective say of a candidate, in their own unit."""

    inliers: Mask  # (N,)
    residuals: Array  # (N,), whitened where points have weights
    score: float
    threshold: float
    noise: NoisePosterior


def summarise_fit(
    objective: Objective, candidate: Candidate, unit: float
) -> FitSummary:
    """Label the points and measure the noise.

    ``unit`` is that of the objective's points: its inverse is what the points outside
    were multiplied by.
    """
    model, score = objective.model, objective.score
    prior = float(score.prior.alpha), float(score.prior.beta)
    inliers, residuals, value, threshold, shape, rate = objective.run(
        _summarise_fit, candidate.sq_residuals, *prior, unit
    )
    counts = len(residuals), model.residual_dim, model.num_params
    return FitSummary(
        inliers,
        residuals,
        score.rescaled(value, unit, *counts),
        threshold,
        NoisePosterior(shape, rate),
    )


@brief_bound_kernel
def _summarise_fit(objective, sq_residuals, alpha, beta, unit):
    inliers, score, threshold, shape, rate = _label(
        objective, sq_residuals, alpha, beta
    )
    residuals = np.empty(sq_residuals.shape[0])
    for i in range(sq_residuals.shape[0]):
        residuals[i] = unit * np.sqrt(sq_residuals[i])
    return inliers, residuals, score, unit * threshold, shape, unit**2 * rate


@bound_kernel
def _label(objective, sq_residuals, alpha, beta):
    """Return the inliers (N,), score and threshold, and the posterior of the noise."""
    dim, num_params = objective.model.residual_dim, objective.model.num_params
    inliers = call_inliers(objective.score, sq_residuals)
    score, _, threshold, _ = call_summarise(objective.score, sq_residuals)
    num_inliers, rss = 0, 0.0
    for i in range(sq_residuals.shape[0]):
        num_inliers += inliers[i]
        rss += sq_residuals[i] if inliers[i] else 0.0
    shape, rate = variance_posterior(
        rss, num_inliers, threshold, alpha, beta, dim, num_params
    )
    return inliers, score, threshold, shape, rate


def noise_scale_and_cut(
    objective: Objective, candidate: Candidate
) -> tuple[float, float]:
    """Return the scale of the noise, NaN without any, and where it is cut off."""
    prior = objective.score.prior
    alpha, beta = float(prior.alpha), float(prior.beta)
    shape, rate, threshold = objective.run(
        _noise_and_cut, candidate.sq_residuals, alpha, beta
    )
    return NoisePosterior(shape, rate).scale, threshold


@brief_bound_kernel
def _noise_and_cut(objective, sq_residuals, alpha, beta):
    _, _, threshold, shape, rate = _label(objective, sq_residuals, alpha, beta)
    return shape, rate, threshold


def evidence_of(
    objective: Objective,
    candidate: Candidate,
    inliers: Mask,
    bounds: NDArray[np.int64],
    num_samples: int,
    precision: float,
) -> float:
    """Return the corrected evidence of a model: what chance does on the same points.

    Parameters
    ----------
    objective, candidate
        The points, and the model found.
    inliers : (N,) bool array
        Its inliers.
    bounds : (S + 1,) int array
        Where the rows of each set of points begin.
    num_samples : int
        Minimal samples drawn to find it.
    precision : float
        Rounding error of the points.
    """
    evidence: float = objective.run(
        _evidence,
        candidate,
        generator(SEED),
        inliers,
        int(bounds[1]),
        num_samples,
        precision,
    )
    return evidence


@brief_bound_kernel
def _evidence(
    objective, candidate, generator, inliers, num_first, num_samples, precision
):
    model = objective.model
    redrawn = redraw(objective.points, num_first, generator)
    one = candidate.model.reshape((1, *candidate.model.shape))
    by_chance = call_residuals(model, one, redrawn)[0]
    weights = objective.weights
    if weights.shape[0] > 0:  # chance has any of them, in whatever order
        for i in range(by_chance.shape[0]):
            by_chance[i] *= weights[i % weights.shape[0]]
    return corrected_evidence(
        candidate.sq_residuals,
        inliers,
        by_chance,
        model.residual_dim,
        model.sample_size,
        num_samples,
        precision,
    )
