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
from numpy.lib.stride_tricks import sliding_window_view

from cvscore.types import Array

# Re-drawn matches: enough to find MIN_COUNT of them close to epipolar lines (within
# 1/500 of the image), few enough to cost less than a batch of the search (0.15 ms).
NUM_REDRAWN = 5_000
# So many re-drawn matches tell their density with a standard error of 22 %.  It may be
# higher closer by, where the points form a pattern; there the fewest are asked too.
MIN_COUNT = 20
FEWEST = 4
TINY = float(np.finfo(np.float64).tiny)
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
    redrawn = np.empty((4, num_shifts, num))
    redrawn[:2] = shuffled[:2, None, :]
    twice = np.tile(shuffled[2:], 2)  # rotated by any shift, it is a window of this
    redrawn[2:] = sliding_window_view(twice, num, axis=1)[:, shifts]
    return redrawn.reshape(4, -1)


def chance_density(sq_residuals: Array, radius: float, dim: int) -> float:
    """Return the density of re-drawn matches about a model, per unit to the ``dim``.

    Parameters
    ----------
    sq_residuals : (M,) array
        Squared residuals of re-drawn matches under the model.
    radius : float
        How far the model's inliers reach; the density is averaged over this distance,
        or if it holds fewer than `MIN_COUNT` re-drawn matches, over those that hold a
        few, whichever is densest.
    dim : {1, 2}
        Constraints per match.
    """
    num = len(sq_residuals)
    within = int(np.count_nonzero(sq_residuals <= radius**2))
    if within >= MIN_COUNT:
        return within / (num * ball_volume(radius, dim))
    some = (
        np.partition(sq_residuals, MIN_COUNT - 1) if num > MIN_COUNT else sq_residuals
    )
    nearest = np.sort(some[:MIN_COUNT])
    nearest = nearest[np.isfinite(nearest)]  # the others are behind a horizon
    # As if one match were at the radius, where chance has none at all to show.
    densities = [] if len(nearest) >= FEWEST else [1.0 / ball_volume(radius, dim)]
    for count in range(FEWEST, len(nearest) + 1):
        distance = max(radius, math.sqrt(nearest[count - 1]))
        # Few may be close by accident, so not all of them are believed.
        believed = count if count == MIN_COUNT else count - math.sqrt(count)
        densities.append(believed / ball_volume(distance, dim))
    return max(densities) / num


def highest_chance_density(
    sq_residuals: Array, scale: float, radius: float, dim: int
) -> float:
    """Return an upper estimate of the density of re-drawn matches about a model.

    Parameters
    ----------
    sq_residuals : (M,) array
        Squared residuals of re-drawn matches under the model.
    scale, radius : float
        Root mean square of the inliers' residuals, and the largest of them.  Chance may
        be denser close by than over the whole of ``radius``; where it is denser than
        within ``scale`` is of no concern to them.
    dim : {1, 2}
        Constraints per match.
    """
    num = len(sq_residuals)
    within = np.sort(sq_residuals[sq_residuals <= radius**2])
    # The match itself is one of the re-drawn, as is usual for probabilities from
    # simulations: what was never seen has no probability of zero.
    highest = (len(within) + 1) / ((num + 1) * ball_volume(radius, dim))
    if len(within) >= FEWEST:
        counts = np.arange(FEWEST, len(within) + 1)
        distances = np.sqrt(np.maximum(within[FEWEST - 1 :], scale**2))
        volumes = 2.0 * distances if dim == 1 else math.pi * distances**2
        believed = (counts - np.sqrt(counts)) / num
        highest = max(highest, float(np.max(believed / np.maximum(volumes, TINY))))
    return highest


def ball_volume(radius: float, dim: int) -> float:
    """Length or area within a distance of the model; never zero."""
    volume = 2.0 * radius if dim == 1 else math.pi * radius**2
    return max(volume, TINY)
