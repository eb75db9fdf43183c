"""Which matches belong to a model, once it is known: a Gaussian and uniform mixture.

To rank models, the score takes outliers to fill a band that is narrow on purpose, and
its partition is on the safe side.  Given the model, the question is another one: is a
match at this distance likelier to be noise or chance?  Chance is measured, by matching
the same points at random (`cvscore.data.permutation`); the share ``w`` of right matches
and their noise variance ``v`` are those of largest likelihood for

    w N(r; v) / g  +  (1 - w),        g the density of chance about the model,

per match (found by expectation maximisation), and a match belongs to the model where
the first term is the larger one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.inference.null_density import TINY
from cvscore.types import Array

MAX_EM_STEPS = 100
MIN_LIKELIHOOD_GAIN = 1e-2  # nats: a step that gains less ends the maximisation
# An exact fit has no variance; this part of the variance at the start is left to it.
MIN_RELATIVE_VARIANCE = 1e-6


class InlierMixture(NamedTuple):
    """Noise and chance about a model.

    Attributes
    ----------
    share : float
        Of right matches among all.
    scale : float
        Standard deviation of a right match's residual.
    threshold : float
        Residual at which noise and chance are equally likely.
    log_likelihood : float
        In nats, over "all matches are by chance".
    """

    share: float
    scale: float
    threshold: float
    log_likelihood: float

    def log_odds(self, sq_residuals: Array) -> Array:
        """Return the log odds (N,) that matches at these distances are right ones."""
        return (self.threshold**2 - sq_residuals) / (2.0 * self.scale**2)


@kernel
def fit_mixture(sq_residuals, dim, density, share, scale):
    """Fit share and scale of the right matches, beginning at those given.

    Parameters
    ----------
    sq_residuals : (N,) array
        Squared distances to the model.
    dim : int
        Constraints per match.
    density : float
        Of chance about the model, per unit to the ``dim``.
    share, scale : float
        Where to begin; the scale in the unit of the residuals.

    Returns
    -------
    InlierMixture
    """
    start = max(scale, TINY)
    in_units = sq_residuals / start / start  # in this order nothing overflows
    density *= start**dim
    share, variance, log_likelihood = _maximise(in_units, dim, density, share)
    # One match by chance is always to be reckoned with.
    odds = share / max(1.0 - share, 1.0 / (sq_residuals.shape[0] + 1.0))
    log_density = 0.5 * dim * math.log(2.0 * math.pi * variance) + math.log(density)
    sq_threshold = max(2.0 * variance * (math.log(odds) - log_density), 0.0)
    threshold = start * math.sqrt(sq_threshold)
    return InlierMixture(share, start * math.sqrt(variance), threshold, log_likelihood)


@kernel
def _maximise(sq_residuals, dim, density, share):
    """Maximise the likelihood by alternation: (N,) -> share, variance, likelihood."""
    num_points = sq_residuals.shape[0]
    variance, reached = 1.0, -np.inf
    for _ in range(MAX_EM_STEPS):
        peak = share / (density * (2.0 * math.pi * variance) ** (0.5 * dim))
        half_precision = 0.5 / variance
        believed, rss, log_likelihood = 0.0, 0.0, 0.0
        for i in range(num_points):
            right = peak * math.exp(-half_precision * sq_residuals[i])
            total = right + (1.0 - share)
            log_likelihood += math.log(total)
            if right > 0.0:
                believed += right / total
                rss += right / total * sq_residuals[i]
        if log_likelihood - reached < MIN_LIKELIHOOD_GAIN or believed * dim < 1.0:
            break
        reached = log_likelihood
        share = min(believed / num_points, 1.0 - 1.0 / (num_points + 1.0))
        variance = max(rss / (dim * believed), MIN_RELATIVE_VARIANCE)
    return share, variance, max(reached, log_likelihood)
