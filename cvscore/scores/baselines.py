r"""The scores in wide use, each with one threshold in pixels, behind the same protocol.

With ``q`` a squared residual, ``tau`` the threshold, and constants dropped:

=================  ===================================================================
`InlierCount`      RANSAC: the number of ``q <= tau**2``
`Msac`             the sum of ``max(0, 1 - q / tau**2)``
`GaussianUniform`  the sum of ``log(1 + exp((tau**2 - q) / (2 s**2)))``, the likelihood
                   of a Gaussian and a uniform label summed out, which are equally
                   likely at ``tau``; ``s`` is such that 99 % of a Gaussian's residuals
                   are below it
`MagsacPlusPlus`   the sum of ``1 - rho(q) / rho(tau**2)`` over ``q <= tau**2``, a
                   Gaussian whose scale is uniform between 0 and ``tau / kappa``
=================  ===================================================================

They ignore the number of parameters and a score to beat.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.scores.magsac import magsac_gains, magsac_nodes, magsac_weights
from cvscore.scores.msac import msac_kernels, truncated_quadratic
from cvscore.scores.priors import InverseGamma
from cvscore.types import (
    LARGEST,
    SMALLEST,
    Array,
    DataScale,
    Mask,
    ScoreKernels,
    Summary,
    positive_number,
)

INLIER_QUANTILE = 0.99  # of Gaussian residuals inside the threshold of GaussianUniform

# exp(-40) is below the rounding of one, and this far out are most outliers.
MIN_LOG_ODDS = -40.0

_S = TypeVar("_S", bound="_ThresholdScore")


@kernel
def _count(sq_residuals, sq_threshold):
    num_models, num_points = sq_residuals.shape
    scores = np.zeros(num_models)
    for row in range(num_models):
        count = 0
        for i in range(num_points):
            count += sq_residuals[row, i] <= sq_threshold
        scores[row] = count
    return scores


@kernel
def _log_mixture(sq_residuals, sq_threshold, precision):
    num_models, num_points = sq_residuals.shape
    scores = np.zeros(num_models)
    for row in range(num_models):
        # One logarithm per many points; a factor is at most 1 + exp(kappa**2 / 2).
        product = 1.0
        for i in range(num_points):
            log_odds = 0.5 * precision * (sq_threshold - sq_residuals[row, i])
            if log_odds > MIN_LOG_ODDS:
                product *= 1.0 + math.exp(log_odds)
                if product > 1e250:
                    scores[row] += math.log(product)
                    product = 1.0
        scores[row] += math.log(product)
    return scores


@lru_cache(maxsize=8)
def _chi_quantile(dim: int) -> float:
    """Return the INLIER_QUANTILE of the norm of ``dim`` standard normal variables."""
    from scipy.special import gammaincinv  # 0.4 s, and no other score needs it

    return math.sqrt(2.0 * gammaincinv(0.5 * dim, INLIER_QUANTILE))


def _as_rows(sq_residuals: Array) -> Array:
    return np.ascontiguousarray(sq_residuals, dtype=np.float64)


@dataclass(frozen=True)
class _ThresholdScore(ABC):
    """What the baselines share.

    Parameters
    ----------
    threshold : float
        Largest residual of an inlier, in pixels.
    """

    threshold: float

    def __post_init__(self) -> None:
        threshold = positive_number(self.threshold, "threshold")
        if not SMALLEST <= threshold <= LARGEST:
            raise ValueError(
                f"threshold must be between {SMALLEST:g} and {LARGEST:g} pixels, got "
                f"{threshold:g}"
            )
        object.__setattr__(self, "threshold", threshold)

    def inliers(self, sq_residuals: Array, dim: int, num_params: int) -> Mask:
        """Return which of the (N,) residuals are within the threshold."""
        return sq_residuals <= self._sq_threshold

    @property
    def prior(self) -> InverseGamma:
        """Nothing is believed about the noise."""
        return InverseGamma.jeffreys()

    @property
    def half_width(self) -> None:
        """None: outliers are what exceeds the threshold."""
        return None

    @property
    def max_half_width(self) -> None:
        """None: there is nothing to widen."""
        return None

    def with_half_width(self: _S, half_width: float) -> _S:
        """Return this score: it has no half-width."""
        return self

    def for_data(self: _S, data: DataScale) -> _S:
        """Return this score in the unit of the search."""
        return self.scaled(1.0 / data.unit)

    def scaled(self: _S, factor: float) -> _S:
        """Return this score for residuals that have been multiplied by ``factor``."""
        return replace(self, threshold=self.threshold * factor)

    def rescaled(
        self, value: float, factor: float, num_points: int, dim: int, num_params: int
    ) -> float:
        """Return the value: it has no unit."""
        return value

    @abstractmethod
    def evaluate(
        self, sq_residuals: Array, dim: int, num_params: int, best: float = -np.inf
    ) -> Array:
        """Score (K, N) residuals as (K,)."""

    def preview(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Return the scores themselves, (K,): they cost little."""
        return self.evaluate(sq_residuals, dim, num_params)

    @abstractmethod
    def weights(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Return minus the derivative of the score in each squared residual, (N,)."""

    def assess(
        self, sq_residuals: Array, dim: int, num_params: int
    ) -> tuple[float, Array]:
        """Return the score of one row (N,) and its `weights` (N,)."""
        score = self.evaluate(sq_residuals[None], dim, num_params)[0]
        return float(score), self.weights(sq_residuals, dim, num_params)

    def kernels(
        self, num_points: int, dim: int, num_params: int
    ) -> ScoreKernels | None:
        """None: the loop runs these interpreted, they are here to be compared with."""
        return None

    def summarise(self, sq_residuals: Array, dim: int, num_params: int) -> Summary:
        """Score, scale of the inliers (pixels), the threshold, and NaN as evidence."""
        inside = sq_residuals[self.inliers(sq_residuals, dim, num_params)]
        freedom = inside.size * dim - num_params
        return Summary(
            score=float(self.evaluate(sq_residuals[None], dim, num_params)[0]),
            scale=math.sqrt(inside.sum() / freedom) if freedom > 0 else math.nan,
            threshold=self.threshold,
            evidence=math.nan,
        )

    @property
    def _sq_threshold(self) -> float:
        return float(self.threshold) ** 2


class InlierCount(_ThresholdScore):
    """The number of residuals within the threshold: RANSAC."""

    def evaluate(
        self, sq_residuals: Array, dim: int, num_params: int, best: float = -np.inf
    ) -> Array:
        """Score (K, N) residuals as (K,)."""
        return _count(_as_rows(sq_residuals), self._sq_threshold)

    def weights(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Return one for an inlier and zero for an outlier.

        The derivative of a count is zero wherever it exists, and would stop any local
        optimisation; a least-squares fit to the inliers is what RANSAC does instead.
        """
        return self.inliers(sq_residuals, dim, num_params).astype(np.float64)


class Msac(_ThresholdScore):
    """The sum of ``1 - q / threshold**2`` over the residuals within the threshold."""

    def evaluate(
        self, sq_residuals: Array, dim: int, num_params: int, best: float = -np.inf
    ) -> Array:
        """Score (K, N) residuals as (K,)."""
        return truncated_quadratic(_as_rows(sq_residuals), self._sq_threshold)

    def weights(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Return minus the derivative of the score in each squared residual, (N,)."""
        inliers = self.inliers(sq_residuals, dim, num_params)
        return np.where(inliers, 1.0 / self._sq_threshold, 0.0)

    def kernels(self, num_points: int, dim: int, num_params: int) -> ScoreKernels:
        """Return the compiled functions, which quick checks use."""
        return msac_kernels(self._sq_threshold, dim, num_params)


class GaussianUniform(_ThresholdScore):
    """The likelihood of the Gaussian-Uniform mixture, each label summed out.

    The threshold is the residual at which both labels are equally likely.
    """

    def evaluate(
        self, sq_residuals: Array, dim: int, num_params: int, best: float = -np.inf
    ) -> Array:
        """Score (K, N) residuals as (K,)."""
        return _log_mixture(
            _as_rows(sq_residuals),
            self._sq_threshold,
            self._precision(dim),
        )

    def weights(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Return minus the derivative of the score in each squared residual, (N,)."""
        half_precision = 0.5 * self._precision(dim)
        log_odds = half_precision * (self._sq_threshold - sq_residuals)
        odds = np.exp(np.fmax(log_odds, -np.inf))  # NaN is as good as infinite
        return half_precision * odds / (1.0 + odds)

    def _precision(self, dim: int) -> float:
        """Return one over the variance of the Gaussian."""
        return _chi_quantile(dim) ** 2 / self._sq_threshold


class MagsacPlusPlus(_ThresholdScore):
    """The gain of MAGSAC++: one for a residual of zero, zero from the threshold on."""

    def evaluate(
        self, sq_residuals: Array, dim: int, num_params: int, best: float = -np.inf
    ) -> Array:
        """Score (K, N) residuals as (K,)."""
        return magsac_gains(
            _as_rows(sq_residuals),
            self._sq_threshold,
            magsac_nodes(),
        )

    def weights(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Return minus the derivative of the score in each squared residual, (N,)."""
        return magsac_weights(_as_rows(sq_residuals), self._sq_threshold)
