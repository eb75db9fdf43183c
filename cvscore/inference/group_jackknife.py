"""Whether residuals of neighbours go together, and what that does to a covariance.

Where a lens is distorted, a surface is not quite a plane or matches of something else
are among the inliers, residuals are not independent: those of neighbours point the same
way, and pull together.  Leaving out whole neighbourhoods one at a time shows what
they pull (delete-a-group jackknife; Kott 2001).  If residuals are independent, it gives
the covariance that they have by themselves; if not, a larger one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cvscore.inference.leverage_beliefs import weighted_gram
from cvscore.types import Array

# Groups are the cells of so many strips of so many cells: enough of them to tell the
# mean of their pulls to about a tenth.
NUM_STRIPS = 4
NUM_GROUPS = NUM_STRIPS**2
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
    if num < MIN_GROUP_SIZE * NUM_GROUPS:
        return 1.0
    order, starts = neighbourhoods(places)
    sums = np.add.reduceat(pulls[order], starts)
    parts = np.split(order, starts[1:])
    grams = [weighted_gram(jacobian[:, part], weights[part]) for part in parts]
    rest = np.eye(num_params) - MAX_GROUP_LEVERAGE * np.array(grams)
    shifts = np.linalg.solve(rest, sums[:, :, None])[:, :, 0]
    # In units of the variance that independent points would have: one on average.
    relative = (shifts * np.linalg.solve(middle, shifts.T).T).sum() / num_params
    return max(1.0, float(relative) * (NUM_GROUPS - 1) / NUM_GROUPS)


def neighbourhoods(places: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an order of points (D, M) in which groups follow each other, and starts.

    Strips across the longest side of the points, and cells across the next; as many
    points in each.
    """
    num = places.shape[1]
    longest = np.argsort(np.ptp(places, axis=1))[::-1]
    first = places[longest[0]]
    second = places[longest[1]] if len(longest) > 1 else first
    rank = np.empty(num, dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(num)
    order = np.lexsort((second, rank * NUM_STRIPS // num))
    starts = -(-np.arange(NUM_GROUPS) * num // NUM_GROUPS)
    return order, starts
