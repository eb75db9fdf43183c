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

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.ransac.samplers import generator, random_number, write_distinct
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
    with np.errstate(over="ignore"):  # the generator wraps around
        redrawn: Array = redraw(np.ascontiguousarray(points), generator(SEED))
    return redrawn


@brief_kernel
def redraw(points, generator):
    """Shuffle the matches, and give every one the second points of some others.

    See `redraw_matches`.
    """
    num = points.shape[1]
    order = np.arange(num)
    for i in range(num - 1, 0, -1):
        j = np.int64(random_number(generator) * (i + 1))
        order[i], order[j] = order[j], order[i]
    num_shifts = min(num - 1, -(-NUM_REDRAWN // num))
    shifts = np.empty(num_shifts, dtype=np.int64)
    write_distinct(generator, num - 1, shifts)
    redrawn = np.empty((4, num_shifts * num))
    column = 0
    for shift in shifts:
        for i in range(num):
            first, second = order[i], order[(i + 1 + shift) % num]
            redrawn[0, column] = points[0, first]
            redrawn[1, column] = points[1, first]
            redrawn[2, column] = points[2, second]
            redrawn[3, column] = points[3, second]
            column += 1
    return redrawn


@kernel
def chance_density(sq_residuals, radius, dim):
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
    num = sq_residuals.shape[0]
    within = np.count_nonzero(sq_residuals <= radius**2)
    if within >= MIN_COUNT:
        return within / (num * ball_volume(radius, dim))
    some = sq_residuals
    if num > MIN_COUNT:
        some = np.partition(sq_residuals, MIN_COUNT - 1)[:MIN_COUNT]
    nearest = np.sort(some)
    highest, num_finite = 0.0, 0
    for i in range(nearest.shape[0]):
        if not nearest[i] < np.inf:  # the others are behind a horizon
            break
        num_finite = i + 1
        if num_finite >= FEWEST:
            distance = max(radius, math.sqrt(nearest[i]))
            # Few may be close by accident, so not all of them are believed.
            believed = float(num_finite)
            if num_finite < MIN_COUNT:
                believed -= math.sqrt(num_finite)
            highest = max(highest, believed / ball_volume(distance, dim))
    if num_finite < FEWEST:
        # As if one match were at the radius, where chance has none at all to show.
        highest = 1.0 / ball_volume(radius, dim)
    return highest / num


@kernel
def highest_chance_density(sq_residuals, scale, radius, dim):
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
    num = sq_residuals.shape[0]
    within = np.sort(sq_residuals[sq_residuals <= radius**2])
    # The match itself is one of the re-drawn, as is usual for probabilities from
    # simulations: what was never seen has no probability of zero.
    highest = (within.shape[0] + 1) / ((num + 1) * ball_volume(radius, dim))
    for i in range(FEWEST - 1, within.shape[0]):
        distance = max(math.sqrt(within[i]), scale)
        believed = (i + 1 - math.sqrt(i + 1)) / num
        highest = max(highest, believed / ball_volume(distance, dim))
    return highest


@kernel
def ball_volume(radius, dim):
    """Length or area within a distance of the model; never zero."""
    volume = 2.0 * radius if dim == 1 else math.pi * radius**2
    return max(volume, TINY)
