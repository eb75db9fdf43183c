"""Whether residuals of neighbours go together, and what that does to a covariance.

Where a lens is distorted, a surface is not quite a plane or matches of something else
are among the inliers, residuals are not independent: those of neighbours point the same
way, and pull together.  Leaving out whole neighbourhoods one at a time shows what
they pull (delete-a-group jackknife; Kott 2001).  If residuals are independent, it gives
the covariance that they have by themselves; if not, a larger one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cvscore.types import Array

# Groups are the cells of so many strips of as many cells: fewer do not tell the mean of
# their pulls, more are too small to see what goes together over half of an image.
MIN_STRIPS = 3
MAX_STRIPS = 4
# In a smaller group a single match has as much to say as its neighbourhood.
MIN_GROUP_SIZE = 8
# A group that alone tells some coordinate leaves nothing without it; so much does stay.
MAX_GROUP_LEVERAGE = 0.98


def jackknife_inflation(
    jacobian: Array, pulls: Array, weights: Array, middle: Array, places: Array
) -> float:
    """Return by which factor groups pull more than single points do, at least one.

    Parameters
    ----------
    jacobian : (d, M, n) array
        Derivatives of residuals by coordinates in which ``sum weights J' J`` is one.
    pulls : (M, n) array
        Weighted residuals times these.
    weights : (M,) array
        Of the points in the fit.
    middle : (n, n) array
        Covariance of the sum of all pulls, if they are independent.
    places : (D, M) array
        Where the points are.
    """
    num, num_params = pulls.shape
    num_strips = min(math.isqrt(num // MIN_GROUP_SIZE), MAX_STRIPS)
    if num_strips < MIN_STRIPS:
        return 1.0
    groups = neighbourhoods(places, num_strips)
    sums = pulls[groups].sum(axis=1)
    rows = (np.sqrt(weights)[:, None] * jacobian)[:, groups].transpose(1, 0, 2, 3)
    rows = rows.reshape(len(groups), -1, num_params)
    grams = rows.transpose(0, 2, 1) @ rows
    rest = np.eye(num_params) - MAX_GROUP_LEVERAGE * grams
    shifts = np.linalg.solve(rest, sums[:, :, None])[:, :, 0]
    # In units of the variance that independent points would have: one on average.
    relative = (shifts * np.linalg.solve(middle, shifts.T).T).sum() / num_params
    return max(1.0, float(relative) * (len(groups) - 1) / len(groups))


def neighbourhoods(places: Array, num_strips: int) -> NDArray[np.int64]:
    """Return which of the points (D, M) are in each group, (G, M // G).

    Strips across the longest side of the points, and cells across the next; as many
    points in each, so that up to G - 1 points are in none.
    """
    num = places.shape[1]
    longest = np.argsort(np.ptp(places, axis=1))[::-1]
    first = places[longest[0]]
    second = places[longest[1]] if len(longest) > 1 else first
    rank = np.empty(num, dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(num)
    order = np.lexsort((second, rank * num_strips // num))
    size = num // num_strips**2
    chosen: NDArray[np.int64] = order[: size * num_strips**2].reshape(-1, size)
    return chosen
