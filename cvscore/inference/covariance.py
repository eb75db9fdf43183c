"""The covariance of a model from its residuals and their Jacobian.

The last fit is an M-estimate: Tukey's biweight w at the scale of the inliers' core
(`cvscore.ransac.irls`).  Its coordinates have the covariance ``A^-1 B A^-1`` (Huber
1967), A being what right matches say, and B the covariance of what all matches pull.
With sums over the matches within reach, which have a weight, p the probability that one
is right (`cvscore.inference.leverage_beliefs`), d residuals r each, and c the mean of
the derivative of ``w r`` over that of w, ``A = c sum p w J' J``; and in coordinates in
which the sum ``p w J' J`` is one,

    B = k  +  sum (1 - p) (w^2 |r|^2 / (d (1 - h)^2) + k p w / (1 - h)) J' J.

- Right matches pull by the noise: k is such that alone they have the covariance of
  least squares over the efficiency of Tukey's weights, at the variance that is the
  posterior's.  With the residuals themselves in its place, as is usual, few matches
  would tell B badly.
- A match may be wrong, and which is not known (law of total covariance).  If one of
  leverage h is, the fit is off by what it moves when that one is left out, and is less
  sure without it.

Where there are matches enough to see it, neighbours may pull together
(`cvscore.inference.clustered_pulls`), and many wrong ones the same way
(`cvscore.inference.width_bias`).

The variance is itself estimated, and as surely as the noise posterior says; so the
coordinates are Student's (`cvscore.types.uncertainty`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cvscore.inference.clustered_pulls import MIN_MATCHES, clustered_covariance
from cvscore.inference.leverage_beliefs import (
    REACH_OF_BESIDE,
    believe_by_leverage,
    sq_lengths,
    weighted_gram,
)
from cvscore.inference.tukey_weights import mean_slopes, of_normal
from cvscore.inference.width_bias import width_bias
from cvscore.ransac.irls import CORE_QUANTILES, CORE_SHARES, CUT
from cvscore.types import Array, Mask, NoisePosterior

# What a point that is its own fit would show without it is not known; with this bound
# on the leverage it is a thousand times what it shows.
MAX_LEVERAGE = 0.999
ROWS_OF_BLOCK = 256  # more than any model has parameters


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


class Spread(NamedTuple):
    """Student's distribution of the coordinates: covariance (n, n), and freedom."""

    covariance: Array
    freedom: float


def fit_spread(
    near: Linearised, core: float, variance: float, noise: NoisePosterior
) -> Spread:
    """Return what is known of the coordinates; infinite where something is open.

    Parameters
    ----------
    near : Linearised
        The matches.
    core, variance : float
        The variance at which the last fit weighted, and that of the noise.
    noise : NoisePosterior
        How well that is known.
    """
    freedom = 2.0 * noise.shape
    try:
        scale, pulled_freedom = _scale_matrix(near, core, variance)
    except np.linalg.LinAlgError:
        scale, pulled_freedom = None, np.inf
    freedom = 1.0 / (1.0 / freedom + 1.0 / pulled_freedom) if freedom > 0.0 else 0.0
    if scale is None or not freedom > 2.0:
        num_params = near.jacobian.shape[2]
        return Spread(np.full((num_params, num_params), np.inf), freedom)
    return Spread(freedom / (freedom - 2.0) * scale, freedom)


def _scale_matrix(
    near: Linearised, core: float, variance: float
) -> tuple[Array, float]:
    """Return the matrix (n, n), and how many residuals the pulls are known by.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where matches leave a coordinate open.
    """
    dim, num, num_params = near.jacobian.shape
    weights, freedom = near.weights, np.inf
    to_orthonormal = orthonormal_coordinates(near.jacobian, weights)
    if to_orthonormal is None:
        raise np.linalg.LinAlgError("matches leave a coordinate open")
    beliefs, jacobian, change = believe_by_leverage(
        near.jacobian @ to_orthonormal, near.beside @ to_orthonormal, weights
    )
    believed = beliefs * weights
    slope = (beliefs @ mean_slopes(weights, dim)) / believed.sum()
    if not slope > 0.0:
        raise np.linalg.LinAlgError("residuals are not about the model")
    noise = variance * slope**2 * believed.sum() / beliefs.sum()
    noise /= of_normal(dim).efficiency
    left = 1.0 - np.minimum(believed * sq_lengths(jacobian) / dim, MAX_LEVERAGE)
    sq_pulls = weights**2 * (near.residuals**2).sum(axis=0) / dim
    if_wrong = sq_pulls / left**2 + noise * believed / left
    middle = weighted_gram(jacobian, (1.0 - beliefs) * if_wrong)
    middle += noise * np.eye(num_params)
    if core > 0.0 and num >= MIN_MATCHES:
        pulls = np.einsum("di,dij->ij", weights * near.residuals, jacobian)
        first = near.places[: len(near.places) // 2]  # neighbours in the first set
        given = jacobian, near.residuals, weights, beliefs
        bias = width_bias(*given, core, middle)
        clustered, freedom = clustered_covariance(
            jacobian, pulls, believed, middle, first
        )
        middle = clustered + bias
    outwards = to_orthonormal @ change / slope
    return outwards @ middle @ outwards.T, freedom


def orthonormal_coordinates(jacobian: Array, weights: Array) -> Array | None:
    """Return T (n, n) such that ``sum w T' J' J T`` is one; None if J is singular."""
    num_params = jacobian.shape[2]
    rows = (np.sqrt(weights)[:, None] * jacobian).reshape(-1, num_params)
    lengths = np.sqrt(np.einsum("ij,ij->j", rows, rows))
    is_known = np.isfinite(lengths).all() and (lengths > 0.0).all()
    if not (len(rows) > num_params and is_known):
        return None
    factor = _triangular_factor(rows / lengths)
    if not np.abs(np.diag(factor)).min() > np.finfo(float).eps * len(rows):
        return None
    coordinates: Array = np.linalg.inv(factor) / lengths[:, None]
    return coordinates


def _triangular_factor(rows: Array) -> Array:
    """Return R (n, n) of rows (K, n) = Q R.

    By orthogonal factors: a product of the rows would lose half of the digits.  Of
    blocks first, then of theirs: LAPACK would share one tall matrix between threads,
    which takes many times as long where other work is done.
    """
    num, num_params = rows.shape
    blocks = np.zeros((-(-num // ROWS_OF_BLOCK), ROWS_OF_BLOCK, num_params))
    blocks.reshape(-1, num_params)[:num] = rows
    factors = np.asarray(np.linalg.qr(blocks, mode="r")).reshape(-1, num_params)
    return np.asarray(np.linalg.qr(factors, mode="r"))


def _core_variance(inlying: Array, dim: int, num_params: int) -> float:
    """Return the variance at which the last fit weighted, 0 without inliers."""
    num_constraints = len(inlying) * dim
    if num_constraints <= num_params:
        return 0.0
    last = int(CORE_SHARES[dim] * len(inlying))
    shrinkage = (num_constraints - num_params) / num_constraints
    return float(np.partition(inlying, last)[last]) / (CORE_QUANTILES[dim] * shrinkage)
