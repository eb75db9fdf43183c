"""Which matches of a pair are right, and the variance of their noise."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.paper.datasets.pairs import PaperPair
from benchmarks.paper.pool import Problem
from cvscore.calibration.pair_variances import (
    variance_given_pose,
    variance_unconstrained,
)
from cvscore.data.normalization import region_of
from cvscore.scores.marginal_score import HALF_WIDTH_FRACTION, MarginalScore
from cvscore.types import Array, Mask


def right_matches(pair: PaperPair, problem: Problem) -> Mask:
    """Right ones among the distinct matches, (N,).

    Where the dataset does not tell, they are the inliers of the true pose by the
    scale-free score: a threshold here would decide what every method is tuned for.
    """
    if pair.is_inlier is not None:
        return pair.is_inlier[problem.rows]
    sq_residuals = problem.sq_residuals(_true_matrix(pair, problem)[None])[0]
    region = region_of(problem.points)
    width = HALF_WIDTH_FRACTION * region.extent((2, 2)) * problem.frame.unit
    if not width > 0.0:
        return np.zeros(len(problem.rows), dtype=np.bool_)
    geometry = problem.geometry
    score = MarginalScore(half_width=width)
    return score.inliers(sq_residuals, geometry.residual_dim, geometry.num_params)


def _true_matrix(pair: PaperPair, problem: Problem) -> Array:
    """Return the essential matrix of the pose, or the fundamental one in the frame."""
    if problem.geometry.name == "homography matrix":
        raise ValueError("a homography's inliers do not follow from the pose alone")
    x, y, z = pair.t / np.linalg.norm(pair.t)
    E = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]) @ pair.R
    if problem.geometry.name == "essential matrix":
        return E
    K1, K2 = problem.cameras
    return np.linalg.inv(K2).T @ E @ np.linalg.inv(K1)


def noise_variance(pair: PaperPair, problem: Problem, is_right: Mask) -> float:
    """Variance of the right matches' residuals, pixels squared; NaN for too few.

    Homographies are fitted without constraint; for E and F the pose is known.
    """
    rows = problem.rows[is_right]
    x1, x2 = pair.x1[rows], pair.x2[rows]
    name = problem.geometry.name.removesuffix(" matrix")
    if name == "homography":
        variance = variance_unconstrained(x1, x2, model=name)
    else:
        variance = variance_given_pose(
            x1, x2, pair.K1, pair.K2, R=pair.R, t=pair.t, model=name
        )
    if variance is None or not (math.isfinite(variance) and variance > 0.0):
        return math.nan
    return variance
