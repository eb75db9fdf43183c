"""Pairs with a known noise and number of inliers, among matches from anywhere.

30 to 300 true inliers, 30 to 90 % of all matches, with noise of 0.3 to 3 pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.data.pair import Array
from benchmarks.data.views import log_uniform

INLIERS = (30, 300)  # log-uniform
INLIER_RATIO = (0.3, 0.9)
PIXEL_NOISE = (0.3, 3.0)  # log-uniform

DrawMatches = Callable[[np.random.Generator, int], Array]


@dataclass(frozen=True)
class NoisyPair:
    """Points (N, D) each, of which ``num_inliers`` match, with noise in their unit."""

    x1: Array
    x2: Array
    num_inliers: int
    noise: float
    K1: Array | None = None
    K2: Array | None = None

    def __str__(self) -> str:
        return f"{self.num_inliers} inliers, noise {self.noise:.2g}"


def num_inliers_of(rng: np.random.Generator) -> int:
    """Draw how many matches are right."""
    return round(log_uniform(rng, *INLIERS))


def noisy_pair(
    rng: np.random.Generator,
    matches: Array,
    draw_outliers: DrawMatches,
    num_first: int,
    *,
    unit: float = 1.0,
    K1: Array | None = None,
    K2: Array | None = None,
    num_noisy: int | None = None,
) -> NoisyPair:
    """Add noise to exact matches (M, D), and others to them, in random order.

    ``num_first`` of the columns are of the first set; ``unit`` is what stands for a
    pixel; the first ``num_noisy`` columns have noise, where not all do.
    """
    noise = unit * log_uniform(rng, *PIXEL_NOISE)
    ratio = rng.uniform(*INLIER_RATIO)
    rows = matches.copy()
    rows[:, :num_noisy] += noise * rng.normal(size=rows[:, :num_noisy].shape)
    num_outliers = int(len(matches) * (1.0 / ratio - 1.0))
    rows = rng.permutation(np.vstack([rows, draw_outliers(rng, num_outliers)]))
    x1, x2 = rows[:, :num_first].copy(), rows[:, num_first:].copy()
    return NoisyPair(x1, x2, len(matches), noise, K1, K2)
