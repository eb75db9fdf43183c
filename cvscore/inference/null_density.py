"""How densely matches by chance lie about a model.

Matches re-drawn at random from the same points (`cvscore.data.permutation`) show how
densely chance fills the neighbourhood of a model, also where the model itself is
degenerate and lets much pass.  That density is what "outlier" means here, and it costs
a few thousand residuals.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.quickselect import move_smallest_first
from cvscore.numerics.shell_sort import sort_first

# So many re-drawn matches tell their density with a standard error of 22 %.  It may be
# higher closer by, where the points form a pattern; there the fewest count too.
MIN_COUNT = 20
FEWEST = 4
TINY = float(np.finfo(np.float64).tiny)


@kernel
def null_density(sq_residuals, radius, dim):
    """Return the density of re-drawn matches about a model, per unit to the ``dim``.

    Parameters
    ----------
    sq_residuals : (M,) array
        Squared residuals of re-drawn matches under the model.
    radius : float
        How far the model's inliers reach; the density is averaged over this distance,
        or if it holds fewer than `MIN_COUNT` re-drawn matches, over those that hold a
        few, whichever is densest.
    dim : int
        Constraints per match.
    """
    num = sq_residuals.shape[0]
    within, values = 0, np.empty(num)
    for i in range(num):
        within += sq_residuals[i] <= radius**2
        values[i] = sq_residuals[i] if sq_residuals[i] < np.inf else np.inf
    if within >= MIN_COUNT:
        return within / (num * ball_volume(radius, dim))
    nearest = np.empty(min(num, MIN_COUNT))
    move_smallest_first(values, nearest.shape[0])
    sort_first(values, nearest.shape[0], nearest)
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
def highest_null_density(sq_residuals, scale, radius, dim):
    """Return an upper estimate of the density of re-drawn matches about a model.

    Parameters
    ----------
    sq_residuals : (M,) array
        Squared residuals of re-drawn matches under the model.
    scale, radius : float
        Root mean square of the inliers' residuals, and the largest of them.  Chance may
        be denser close by than over the whole of ``radius``; where it is denser than
        within ``scale`` is of no concern to them.
    dim : int
        Constraints per match.
    """
    num = sq_residuals.shape[0]
    near = sq_residuals[sq_residuals <= radius**2]
    within = np.empty(near.shape[0])
    sort_first(near, near.shape[0], within)
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
    """Volume within a distance of the model in ``dim`` constraints; never zero.

    A length or an area for one or two of them; ``V_d = (2 pi r**2 / d) V_(d-2)``.
    """
    d = 2 - dim % 2
    volume = 2.0 * radius if d == 1 else math.pi * radius**2
    while d < dim:
        d += 2
        volume *= 2.0 * math.pi * radius**2 / d
    return max(volume, TINY)
