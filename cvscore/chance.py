"""What a model explains by chance: matches re-drawn at random from the same points.

If matches are random, any point of the first image might as well have been matched to
any point of the second.  So the residuals of re-drawn matches show how densely chance
fills the neighbourhood of a model, whatever the points are like: clustered, on lines,
in images of any size and unit, and also where the model itself is degenerate and lets
much pass.  That density is what "outlier" means here, and it costs a few thousand
residuals.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore.types import Array

# Re-drawn matches: enough to see 20 of them within a hundredth of an image's height,
# few enough to cost less than one batch of the search.
NUM_REDRAWN = 10_000
# The density is read where so many re-drawn matches are (a standard error of 22 %), if
# the model's own inliers don't reach as far.
MIN_COUNT = 20
# Of the order in which points are re-drawn: the same matches give the same density.
SEED = 0


def redraw_matches(points: Array) -> Array:
    """Match the points of the first image to points of other matches, at random.

    Parameters
    ----------
    points : (4, N) array
        Distinct matches, N at least 2.

    Returns
    -------
    (4, M) array
        About `NUM_REDRAWN` matches, no two alike; all N (N - 1) where there are fewer.
    """
    num = points.shape[1]
    rng = np.random.default_rng(SEED)
    shuffled = points[:, rng.permutation(num)]
    num_shifts = min(num - 1, -(-NUM_REDRAWN // num))
    shifts = 1 + rng.choice(num - 1, num_shifts, replace=False)
    second = (np.arange(num) + shifts[:, None]) % num
    redrawn = np.empty((4, num_shifts, num))
    redrawn[:2] = shuffled[:2, None, :]
    redrawn[2:] = shuffled[2:, second]
    return redrawn.reshape(4, -1)


def chance_density(sq_residuals: Array, radius: float, dim: int) -> float:
    """Return the density of re-drawn matches about a model, per unit to the ``dim``.

    Parameters
    ----------
    sq_residuals : (M,) array
        Squared residuals of re-drawn matches under the model.
    radius : float
        How far the model's inliers reach; the density is averaged over this distance,
        or over the smallest that holds `MIN_COUNT` re-drawn matches if that is larger.
    dim : {1, 2}
        Constraints per match.
    """
    num = len(sq_residuals)
    count = min(MIN_COUNT, num)
    sq_radius = max(radius**2, float(np.partition(sq_residuals, count - 1)[count - 1]))
    if sq_radius == np.inf:  # most are behind the model's horizon
        finite = sq_residuals[np.isfinite(sq_residuals)]
        sq_radius = max(radius**2, float(finite.max(initial=0.0)))
        count = max(len(finite), 1)
    count = max(count, int(np.count_nonzero(sq_residuals <= sq_radius)))
    # At least the smallest number: exact fits have a radius of zero.
    volume = max(ball_volume(math.sqrt(sq_radius), dim), np.finfo(np.float64).tiny)
    return count / (num * volume)


def ball_volume(radius: float, dim: int) -> float:
    """Length or area within a distance of the model."""
    return 2.0 * radius if dim == 1 else math.pi * radius**2
