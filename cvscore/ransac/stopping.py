"""When the search may stop: enough samples to be sure of a clean one."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.types import RansacOptions

# Samples at the least, where the style does not say otherwise.  Nearly all matches
# agree with the model of a plane or a short baseline too, and end the search by their
# number; it takes a second look to find one that fits them better.
MIN_SAMPLES = 96
# But no more than so many times those that would do: where nearly all matches are right
# there is little else to find.
SECOND_LOOK = 10.0


class SearchStyle(NamedTuple):
    """How the search for a model goes about it, beside its limits.

    Attributes
    ----------
    optimises_every_batch : bool
        Whether the best sample of a batch is optimised though one before it was
        better: worth it where local optimisation costs little beside the solver.
    min_samples : int
        Samples at the least, where that many are allowed and not nearly all points
        agree.
    clean_share : float
        Samples free of outliers that end the search if none of them improved the best
        model, over as many as are to be expected when uniform samples end it.
    """

    optimises_every_batch: bool = False
    min_samples: int = MIN_SAMPLES
    clean_share: float = math.inf


# Only the best sample so far is optimised.
PLAIN = SearchStyle()
# Where matches that come first are likely to be right, clean samples come long before
# uniform ones would have, and three times as many as those bring are enough: with two F
# loses 0.2 to 0.3 points of AUC at a noise of 3 and 10 px, and four take longer.  A
# plane that is not the largest has clean samples too, so not for homographies.
ENOUGH_CLEAN = 3.0


class SearchLimits(NamedTuple):
    """What the loop is told about when to stop; see `RansacOptions`, `SearchStyle`."""

    max_iterations: int
    min_iterations: int
    min_samples: int
    max_clean: float
    confidence: float
    optimises_every_batch: bool


def limits_of(options: RansacOptions, style: SearchStyle) -> SearchLimits:
    """Return the limits as kernels take them."""
    return SearchLimits(
        int(options.max_iterations),
        int(options.min_iterations),
        style.min_samples,
        style.clean_share * -math.log1p(-options.confidence),
        float(options.confidence),
        style.optimises_every_batch,
    )


@kernel
def trials_needed(num_inliers, num_points, sample_size, confidence):
    """Samples until one is free of outliers with probability ``confidence``.

    Sampling is without replacement, so the probability of a clean sample is
    hypergeometric and not a power of the inlier ratio; with few matches it matters.
    """
    if num_inliers < sample_size:
        return np.inf
    clean = 1.0
    for i in range(sample_size):
        clean *= (num_inliers - i) / (num_points - i)
    if clean >= 1.0:
        return 1.0
    return max(1.0, math.log1p(-confidence) / math.log1p(-clean))


@kernel
def sample_budget(num_inliers, num_points, sample_size, limits):
    """How many samples make sure of a model as good as one with so many inliers."""
    needed = trials_needed(num_inliers, num_points, sample_size, limits.confidence)
    least = max(float(limits.min_iterations), needed)
    least = max(least, min(float(limits.min_samples), SECOND_LOOK * needed))
    return min(float(limits.max_iterations), least)
