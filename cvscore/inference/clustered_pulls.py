"""What matches pull at a fit where neighbours pull together.

Where a lens is distorted, a surface is not quite a plane or matches of something else
are among the inliers, residuals are not independent: those of neighbours point the same
way, and pull together.  The sum of the pulls of each neighbourhood shows it.  With H
the part of the information that a neighbourhood has, ``(I - H)^(-1/2)`` times its sum
has the covariance that its pulls had before the fit went along, and the squares of all
add up to that of the whole (Bell and McCaffrey 2002).

A few neighbourhoods tell a covariance badly.  So what independent matches would pull is
believed beforehand, as surely as `PRIOR_FREEDOM` neighbourhoods would tell it, and
larger where all neighbourhoods together pull more (inverse Wishart prior).  Coordinates
are then Student's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cvscore.types import Array

# Groups are the cells of so many strips of as many cells: what pulls together is often
# a good part of the image, which smaller ones would take apart.
NUM_STRIPS = 3
# Fewer do not show what is systematic: in groups of less than eight a single match has
# as much to say as its neighbourhood.
MIN_MATCHES = 8 * NUM_STRIPS**2
# Half or twice as much changes coverage by no more than two per cent.
PRIOR_FREEDOM = 40.0
# A group that alone tells some coordinate leaves nothing without it; so much does stay.
MAX_GROUP_LEVERAGE = 0.98


def clustered_covariance(
    jacobian: Array, pulls: Array, weights: Array, independent: Array, places: Array
) -> tuple[Array, float]:
    """Return the covariance (n, n) of the sum of all pulls, and its freedom.

    A scale matrix and the degrees of freedom of Student's distribution.

    Parameters
    ----------
    jacobian : (d, M, n) array
        Derivatives of residuals by coordinates in which ``sum weights J' J`` is one.
    pulls : (M, n) array
        Weighted residuals times these.
    weights : (M,) array
        Of the points in the fit.
    independent : (n, n) array
        What that covariance is if all pulls are independent.
    places : (D, M) array
        Where the points are, `MIN_MATCHES` or more.
    """
    num_params = pulls.shape[1]
    groups = neighbourhoods(places, NUM_STRIPS)
    num_groups = len(groups)
    rows = (np.sqrt(weights)[:, None] * jacobian).take(groups, axis=1)
    grams = (rows.transpose(0, 1, 3, 2) @ rows).sum(axis=0)
    shares, axes = np.linalg.eigh(grams)
    along = pulls.take(groups, axis=0).sum(axis=1)[:, None] @ axes
    along /= np.sqrt(1.0 - MAX_GROUP_LEVERAGE * shares)[:, None]
    sums = (along @ axes.transpose(0, 2, 1))[:, 0]
    shown = sums.T @ sums
    # One on average where pulls are independent.
    relative = float(np.trace(np.linalg.solve(independent, shown))) / num_params
    prior = PRIOR_FREEDOM * max(1.0, relative) * independent
    freedom = PRIOR_FREEDOM + num_groups + 2.0
    return (prior + num_groups * shown) / freedom, freedom


def neighbourhoods(places: Array, num_strips: int) -> NDArray[np.int64]:
    """Return which of the points (D, M) are in each group, (G, M // G).

    Strips across the longest side of the points, and cells across the next; as many
    points in each, so that up to G - 1 points are in none.
    """
    longest = np.argsort(np.ptp(places, axis=1))[::-1]
    first = places[longest[0]]
    second = places[longest[1]] if len(longest) > 1 else first
    size = places.shape[1] // num_strips**2
    edges = size * np.arange(1, num_strips)
    strips = np.argpartition(first, num_strips * edges)[: size * num_strips**2]
    strips = strips.reshape(num_strips, -1)
    cells = np.argpartition(second[strips], edges, axis=1)
    chosen: NDArray[np.int64] = np.take_along_axis(strips, cells, axis=1)
    return chosen.reshape(-1, size)
