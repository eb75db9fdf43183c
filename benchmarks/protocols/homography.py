"""Homography error: mean pixel distance at the points where the truth is known.

The points are the four corners of image 1 for synthetic pairs, a grid over the region
visible in both images for HPatches, and the ground-truth inliers for HEB.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.data.pair import Array, Fit, Pair, Transfer


def apply_homography(H: Array, points: Array) -> Array:
    """Map (M, 2) pixels through H (3, 3); a point at infinity becomes inf or NaN."""
    mapped = points @ H[:, :2].T + H[:, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        return mapped[:, :2] / mapped[:, 2:]


def transfer_error(pair: Pair, fit: Fit) -> float:
    """Mean distance in pixels between H x1 and the true x2; ``inf`` if undefined."""
    assert isinstance(pair.truth, Transfer)
    mapped = apply_homography(fit.model, pair.truth.points1)
    error = float(np.mean(np.linalg.norm(mapped - pair.truth.points2, axis=1)))
    return error if math.isfinite(error) else math.inf
