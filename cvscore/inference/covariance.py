"""The covariance of a model from the Jacobian of its residuals.

The last fit is an M-estimate: Tukey's biweight w at the scale of the inliers' core
(`cvscore.ransac.irls`).  Its coordinates have the covariance ``A^-1 B A^-1`` (Huber
1967), with sums over the points that have a weight

    A = c sum w J' J,     B = sum w^2 |r|^2 / d  J' J / (1 - h)^2,

of d residuals r each, c the mean of the derivative of ``w r`` over that of w, and h the
part that a residual has in its own fit, its leverage (MacKinnon and White 1985, HC3).
Nothing is assumed of the residuals but that they are independent: a wrong match of
large leverage, as those of a large parallax are, widens the covariance by what it may
have pulled.

The variance is itself estimated, and as surely as the noise posterior says; so the
coordinates are Student's (`cvscore.types.uncertainty`).
"""

from __future__ import annotations

import numpy as np

from cvscore.ransac.irls import CORE_QUANTILES, CORE_SHARES, CUT
from cvscore.types import Array, Mask, NoisePosterior

# A point that is its own fit says nothing of its residual; with this bound on the
# leverage it still has ten times what it shows.
MAX_LEVERAGE = 0.9


def biweights(
    sq_residuals: Array, inliers: Mask, dim: int, num_params: int
) -> tuple[Array, float]:
    """Return the weights (M,) of the last fit, and c.

    Parameters
    ----------
    sq_residuals : (M,) array
        Of all points.
    inliers : (M,) bool array
        Those that the score chose.
    dim, num_params : int
        Constraints per point, and parameters fitted to them.
    """
    core = _core_variance(sq_residuals[inliers], dim, num_params)
    if not core > 0.0:
        return inliers.astype(np.float64), 1.0
    u = np.minimum(sq_residuals / (CUT**2 * core), 1.0)
    weights = (1.0 - u) ** 2
    # The divergence of w r is d w + |r| w'.
    slopes = weights - 4.0 * u * (1.0 - u) / dim
    return weights, float(slopes.sum() / weights.sum())


def sandwich_covariance(
    jacobian: Array, sq_residuals: Array, weights: Array, slope: float
) -> Array:
    """Return ``A^-1 B A^-1`` (n, n); infinite where the points leave something open.

    Parameters
    ----------
    jacobian : (d M, n) array
        First residuals of all points, then the second ones, and so on.
    sq_residuals, weights : (M,) arrays
        Of the points, weights positive.
    slope : float
        c.
    """
    dim, num_params = len(jacobian) // max(len(weights), 1), jacobian.shape[1]
    nothing = np.full((num_params, num_params), np.inf)
    if not np.isfinite(jacobian).all():  # of points at infinity
        return nothing
    lengths = np.linalg.norm(jacobian, axis=0)
    if not (len(jacobian) > num_params and (lengths > 0.0).all() and slope > 0.0):
        return nothing
    # By the orthogonal factor: a product J' J would lose half of the digits.
    roots = np.tile(np.sqrt(weights), dim)[:, None]
    directions, factor = np.linalg.qr(roots * jacobian / lengths)
    if not np.abs(np.diag(factor)).min() > np.finfo(float).eps * len(jacobian):
        return nothing
    leverages = np.minimum((directions**2).sum(axis=1), MAX_LEVERAGE)
    terms = np.tile(weights * sq_residuals / dim, dim) / (1.0 - leverages) ** 2
    inverse = np.linalg.inv(factor)
    middle = (directions * terms[:, None]).T @ directions
    covariance: Array = inverse @ middle @ inverse.T
    return covariance / (slope**2 * np.outer(lengths, lengths))


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
