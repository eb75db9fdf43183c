"""Scale by alternation over PoseLib: estimate, measure the noise, estimate again.

The idea of SIMFIT++ (threshold-robust RANSAC by noise scale estimation) in a few lines:
the threshold of the next round is the noise level of this one's inliers, read off the
median of the residuals that are clearly not outliers.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from benchmarks.data.pair import Array, Fit, Pair
from benchmarks.methods import poselib
from benchmarks.methods.method import Method, Settings
from benchmarks.methods.oracle import epipolar_residuals, transfer_residuals
from benchmarks.problems import TWO_VIEW

ROUNDS = 4
CONVERGED = 1.1  # ratio of two thresholds that counts as no change
# The first guess, on the wide side: too small a threshold never sees the basin.
START = 3.0
# Residuals beyond this many thresholds take no part in the measurement.
HORIZON = 2.0
# PoseLib bounds the distance itself for E and F; for H the transfer distance, which
# holds the noise of both images and is sqrt(2) times the Sampson one.
THRESHOLD_PER_SIGMA = {1: 2.5, 2: 3.0 * 2**0.5}
# Median of |r| over sigma for one Gaussian constraint, and of |r| for two.
MEDIAN_TO_SIGMA = {1: 0.6745, 2: 1.1774}


def run(pair: Pair, settings: Settings) -> Fit | None:
    """Alternate until the threshold settles."""
    threshold = START * settings.threshold
    fit = None
    for _ in range(ROUNDS):
        answer = _ESTIMATE(pair, replace(settings, threshold=threshold))
        if answer is None:
            return fit
        fit = answer
        distances, dim = _distances(pair, fit.model)
        near = distances[distances < HORIZON * threshold]
        if len(near) == 0:
            return fit
        sigma = np.median(near) / MEDIAN_TO_SIGMA[dim]
        previous, threshold = threshold, THRESHOLD_PER_SIGMA[dim] * sigma
        if 1 / CONVERGED < threshold / previous < CONVERGED:
            break
    return fit


def _distances(pair: Pair, model: Array) -> tuple[Array, int]:
    """Sampson distances (N,) in pixels, and the number of constraints in each."""
    if pair.problem == "H":
        residuals = transfer_residuals(model, pair.x1, pair.x2)
        return np.linalg.norm(residuals, axis=1), 2
    if pair.problem == "E":
        model = np.linalg.inv(pair.K2).T @ model @ np.linalg.inv(pair.K1)
    return np.abs(epipolar_residuals(model, pair.x1, pair.x2)), 1


_ESTIMATE = partial(poselib.run, min_iterations=poselib.DEFAULT_MIN_ITERATIONS)

_THRESHOLDS = {name: poselib.THRESHOLDS[name] for name in TWO_VIEW}

METHODS = [Method("poselib alternated", "poselib", "poselib", run, _THRESHOLDS)]
