"""The covariance of a model from its residuals and their Jacobian.

The last fit is an M-estimate: Tukey's biweight w at the scale of the inliers' core
(`cvscore.ransac.irls`).  Its coordinates have the covariance ``A^-1 B A^-1`` (Huber
1967), A being what right matches say, and B what all matches pull.  With sums over the
matches within reach, which have a weight, p the probability that one is right
(`cvscore.inference.leverage_beliefs`), d residuals r each, and c the mean of the
derivative of ``w r`` over that of w,

    A = c sum p w J' J,
    B = k sum p w J' J  +  sum (1 - p) w^2 |r|^2 / d  J' J / (1 - h)^2  +  B_beside.

- Right matches pull by the noise: k is such that alone they have the covariance of
  least squares over the efficiency of Tukey's weights, at the variance that is the
  posterior's.  With the residuals themselves in its place, as is usual, few matches
  would tell B badly.
- Wrong matches within reach pull by their residuals, as these were before the fit went
  along: h is the leverage (MacKinnon and White 1985, HC3).
- Those that might have been within reach as well are beside (``B_beside``).

Then all of it is multiplied by as much as neighbours pull together more than they would
if they were independent (`cvscore.inference.group_jackknife`).

The variance is itself estimated, and as surely as the noise posterior says; so the
coordinates are Student's (`cvscore.types.uncertainty`).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from cvscore.inference.group_jackknife import jackknife_inflation
from cvscore.inference.leverage_beliefs import (
    REACH_OF_BESIDE,
    believe_by_leverage,
    sq_lengths,
    weighted_gram,
    wrong_within,
)
from cvscore.ransac.irls import CORE_QUANTILES, CORE_SHARES, CUT
from cvscore.types import Array, Mask, NoisePosterior

# A point that is its own fit says nothing of its residual; with this bound on the
# leverage it still has ten times what it shows.
MAX_LEVERAGE = 0.9


class Reach(NamedTuple):
    """Which matches (N,) are within reach of a model, and which just beside it.

    ``variance`` is that of the core, zero where the fit is exact.
    """

    within: Mask
    beside: Mask
    variance: float


def reach_of(sq_residuals: Array, inliers: Mask, dim: int, num_params: int) -> Reach:
    """Return how far the weights of the last fit reach.

    Parameters
    ----------
    sq_residuals : (N,) array
        Of all points.
    inliers : (N,) bool array
        Those that the score chose.
    dim, num_params : int
        Constraints per point, and parameters fitted to them.
    """
    core = _core_variance(sq_residuals[inliers], dim, num_params)
    if not core > 0.0:
        return Reach(inliers, np.zeros_like(inliers), 0.0)
    within = sq_residuals < CUT**2 * core
    beside = (sq_residuals < REACH_OF_BESIDE**2 * CUT**2 * core) & ~within
    return Reach(within, beside, core)


def biweights(sq_residuals: Array, core: float) -> Array:
    """Return Tukey's weights (M,) at a core variance; ones where that is zero."""
    if not core > 0.0:
        return np.ones(len(sq_residuals))
    weights: Array = np.maximum(1.0 - sq_residuals / (CUT**2 * core), 0.0) ** 2
    return weights


class Linearised(NamedTuple):
    """Matches within reach of a model, to first order in its coordinates.

    Attributes
    ----------
    jacobian : (d, M, n) array
        Derivatives of their residuals.
    residuals : (d, M) array
        Whitened: their squares sum to the squared residual.
    weights : (M,) array
        Of the last fit.
    roots : (M,) array
        By what residuals and derivatives are multiplied, as some matches are surer.
    places : (D, M) array
        The matches: coordinates of the first set, then of the second.
    beside : (d, L, n) array
        Derivatives of those that are beside.
    """

    jacobian: Array
    residuals: Array
    weights: Array
    roots: Array
    places: Array
    beside: Array


def fit_covariance(near: Linearised, core: float, variance: float) -> Array:
    """Return the covariance (n, n); infinite where matches leave something open.

    Parameters
    ----------
    near : Linearised
        The matches.
    core, variance : float
        The variance at which the last fit weighted, and that of the noise.
    """
    dim, _, num_params = near.jacobian.shape
    nothing = np.full((num_params, num_params), np.inf)
    sq_residuals, weights = (near.residuals**2).sum(axis=0), near.weights
    u = 1.0 - np.sqrt(weights)
    # The divergence of w r is d w + |r| w'.
    slopes = weights - 4.0 * u * (1.0 - u) / dim
    to_orthonormal = orthonormal_coordinates(near.jacobian, weights)
    if to_orthonormal is None:
        return nothing
    given = near.jacobian @ to_orthonormal, near.beside @ to_orthonormal
    try:
        beliefs, jacobian, beside, change = believe_by_leverage(*given, weights)
    except np.linalg.LinAlgError:
        return nothing
    believed = beliefs * weights
    slope = (beliefs @ slopes) / believed.sum()
    if not slope > 0.0:
        return nothing
    noise = variance * slope**2 * believed.sum() / beliefs.sum() / efficiency(dim)
    leverages = np.minimum(believed * sq_lengths(jacobian) / dim, MAX_LEVERAGE)
    sq_pulls = weights**2 * sq_residuals / (dim * (1.0 - leverages) ** 2)
    middle = weighted_gram(jacobian, (1.0 - beliefs) * sq_pulls)
    middle += noise * np.eye(num_params)
    if core > 0.0:
        by_chance = wrong_within(dim) * CUT**2 * core * mean_sq_pull(dim)
        middle += weighted_gram(beside, np.full(beside.shape[1], by_chance))
        pulls = np.einsum("di,dij->ij", weights * near.residuals, jacobian)
        first = near.places[: len(near.places) // 2]  # neighbours in the first set
        middle *= jackknife_inflation(jacobian, pulls, believed, middle, first)
    outwards = to_orthonormal @ change / slope
    covariance: Array = outwards @ middle @ outwards.T
    return covariance


def orthonormal_coordinates(jacobian: Array, weights: Array) -> Array | None:
    """Return T (n, n) such that ``sum w T' J' J T`` is one; None if J is singular."""
    num_params = jacobian.shape[2]
    rows = (np.sqrt(weights)[:, None] * jacobian).reshape(-1, num_params)
    lengths = np.linalg.norm(rows, axis=0)
    is_known = np.isfinite(lengths).all() and (lengths > 0.0).all()
    if not (len(rows) > num_params and is_known):
        return None
    # By the orthogonal factor: a product J' J would lose half of the digits.
    factor = np.linalg.qr(rows / lengths, mode="r")
    if not np.abs(np.diag(factor)).min() > np.finfo(float).eps * len(rows):
        return None
    coordinates: Array = np.linalg.inv(factor) / lengths[:, None]
    return coordinates


@cache
def efficiency(dim: int) -> float:
    """Return the efficiency of Tukey's weights on normal residuals of d constraints."""
    radii = np.arange(0.0005, 12.0, 0.001)  # middles; no residual is farther off
    u = np.minimum((radii / CUT) ** 2, 1.0)
    density = radii ** (dim - 1) * np.exp(-0.5 * radii**2)
    density /= density.sum()
    weights = (1.0 - u) ** 2
    pull = float(density @ (weights * radii) ** 2) / dim
    slope = float(density @ (weights - 4.0 * u * (1.0 - u) / dim))
    return slope**2 / pull


def mean_sq_pull(dim: int) -> float:
    """Return the mean of ``w^2 |r|^2 / d`` within reach, r even, in squared reaches.

    Half of the Beta function of (d + 2) / 2 and 5.
    """
    a = 0.5 * (dim + 2)
    return 12.0 / (a * (a + 1.0) * (a + 2.0) * (a + 3.0) * (a + 4.0))


def student_widening(noise: NoisePosterior) -> float:
    """Return the covariance of Student's distribution over its scale matrix.

    Infinite where the residuals are worth two or fewer.
    """
    return noise.shape / (noise.shape - 1.0) if noise.shape > 1.0 else np.inf


def _core_variance(inlying: Array, dim: int, num_params: int) -> float:
    """Return the variance at which the last fit weighted, 0 without inliers."""
    num_constraints = len(inlying) * dim
    if num_constraints <= num_params:
        return 0.0
    last = int(CORE_SHARES[dim] * len(inlying))
    shrinkage = (num_constraints - num_params) / num_constraints
    return float(np.partition(inlying, last)[last]) / (CORE_QUANTILES[dim] * shrinkage)
