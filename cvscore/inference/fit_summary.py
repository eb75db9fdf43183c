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
from cvscore.types import Array, Mask, NoisePosterior, Score


class FitSummary(NamedTuple):
    """What the points of an objective say of a candidate, in their own unit."""

    inliers: Mask  # (N,)
    residuals: Array  # (N,), whitened where points have weights
    score: float
    threshold: float
    noise: NoisePosterior


class Labels(NamedTuple):
    """What kernels say of a row of residuals, in the unit that they were given.

    ``shape`` and ``rate`` are of the posterior of the noise, zeros without any.
    """

    inliers: Mask  # (N,)
    residuals: Array  # (N,)
    score: float  # in the unit of the points inside
    threshold: float
    shape: float
    rate: float


def summarise_fit(
    objective: Objective, candidate: Candidate, unit: float
) -> FitSummary:
    """Label the points and measure the noise.

    ``unit`` is that of the objective's points: its inverse is what the points outside
    were multiplied by.
    """
    prior = prior_of(objective.score)
    labels = objective.run(_label_briefly, candidate.sq_residuals, *prior, unit)
    return summary_of(objective, labels, unit)


def prior_of(score: Score) -> tuple[float, float]:
    """Return the prior of the noise variance as kernels take it."""
    return float(score.prior.alpha), float(score.prior.beta)


def summary_of(objective: Objective, labels: Labels, unit: float) -> FitSummary:
    """Return what labels in the unit of the points outside amount to."""
    model = objective.model
    counts = len(labels.residuals), model.residual_dim, model.num_params
    return FitSummary(
        labels.inliers,
        labels.residuals,
        objective.score.rescaled(labels.score, unit, *counts),
        labels.threshold,
        NoisePosterior(labels.shape, labels.rate),
    )


@bound_kernel
def label(objective, sq_residuals, alpha, beta, unit):
    """Label squared residuals (N,) and measure the noise, in multiples of a unit."""
    dim, num_params = objective.model.residual_dim, objective.model.num_params
    inliers = call_inliers(objective.score, sq_residuals)
    score, _, threshold, _ = call_summarise(objective.score, sq_residuals)
    residuals = np.empty(sq_residuals.shape[0])
    num_inliers, rss = 0, 0.0
    for i in range(sq_residuals.shape[0]):
        num_inliers += inliers[i]
        rss += sq_residuals[i] if inliers[i] else 0.0
        residuals[i] = unit * np.sqrt(sq_residuals[i])
    shape, rate = variance_posterior(
        rss, num_inliers, threshold, alpha, beta, dim, num_params
    )
    return Labels(inliers, residuals, score, unit * threshold, shape, unit**2 * rate)


@brief_bound_kernel
def _label_briefly(objective, sq_residuals, alpha, beta, unit):
    return label(objective, sq_residuals, alpha, beta, unit)


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
