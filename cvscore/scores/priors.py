"""What is believed about the noise variance before a pair is seen.

Two ways to learn it from the variances of a few labelled pairs (see
`cvscore.calibration.pair_variances`): `fit_robust` trusts their median alone, `fit_mle`
the shape of their distribution too, and with it their tails.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from cvscore.data.validation import as_real_array
from cvscore.types import (
    Array,
    one_of,
    positive_number,
    real_number,
    shown,
)

# What the residuals that a prior speaks of are measured in.
PIXELS = "px"  # of the image
NORMALISED = "normalised"  # pixels over the focal length: points before identity K
AS_POINTS = "points"  # whatever the points are in; nothing is checked or converted
UNITS = (PIXELS, NORMALISED, AS_POINTS)

# alpha of `fit_robust`: worth two residuals, so that twenty inliers outvote it.
ROBUST_ALPHA = 1.0
# Beyond it, beta alone can't say what the variance is: all digits of nu are lost.
MAX_ALPHA = 1e75
# A shape beyond this says that the variances are one number up to rounding.
MAX_SHAPE = 1e8
MAX_FIT_STEPS = 50


@dataclass(frozen=True)
class InverseGamma:
    """Inverse-Gamma prior on the noise variance.

    It acts like ``2 alpha`` residuals, seen beforehand, whose squares sum to
    ``2 beta``.  Both zero is the Jeffreys limit: no assumption about the scale.

    Parameters
    ----------
    alpha : float
        Shape, at least 0; without unit.
    beta : float
        Rate, at least 0; in the unit of the squared residuals.
    unit : {"px", "normalised", "points"}
        What the residuals are measured in: pixels; pixels over the focal length; or
        the unit of the points whatever that is, which switches all checks off.
        Estimators convert between the first two where they know the focal length, and
        raise a ValueError where they would have to guess.

    Examples
    --------
    >>> InverseGamma(1.0, 0.25).scaled(2.0)
    InverseGamma(alpha=1.0, beta=1.0, unit='px')
    >>> fit_robust([0.2, 0.3, 40.0])  # one pair went wrong
    InverseGamma(alpha=1.0, beta=0.3, unit='px')
    """

    alpha: float
    beta: float
    unit: str = PIXELS

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            number = real_number(value, name)
            if not (math.isfinite(number) and number >= 0.0):
                raise ValueError(
                    f"{name} must be finite and not negative, got {shown(value)}"
                )
            object.__setattr__(self, name, number)
        if self.alpha > MAX_ALPHA:
            raise ValueError(f"alpha must be at most {MAX_ALPHA:g}, got {self.alpha:g}")
        one_of(self.unit, "unit", UNITS)

    @classmethod
    def jeffreys(cls) -> InverseGamma:
        """Return the limit that assumes nothing about the scale."""
        return JEFFREYS

    def scaled(self, factor: float) -> InverseGamma:
        """Return this prior for residuals that have been multiplied by ``factor``."""
        if self.beta == 0.0:
            return self
        factor = positive_number(factor, "factor")
        return replace(self, beta=self.beta * (factor * factor))

    def normalised(self, focal: float) -> InverseGamma:
        """Return this prior for pixels divided by the focal length (pixels)."""
        if self.unit == NORMALISED:
            return self
        self._require(PIXELS, focal)
        return replace(self.scaled(1.0 / focal), unit=NORMALISED)

    def pixels(self, focal: float) -> InverseGamma:
        """Return this prior for pixels, from one for pixels over the focal length."""
        if self.unit == PIXELS:
            return self
        self._require(NORMALISED, focal)
        return replace(self.scaled(focal), unit=PIXELS)

    def _require(self, unit: str, focal: float) -> None:
        if self.unit != unit:
            raise ValueError(f"unit must be {unit!r} to be converted, got {self.unit}")
        positive_number(focal, "focal")


JEFFREYS = InverseGamma(alpha=0.0, beta=0.0)


def jeffreys() -> InverseGamma:
    """Return the prior that assumes nothing about the scale."""
    return InverseGamma.jeffreys()


def fit_robust(variances: ArrayLike, *, unit: str = PIXELS) -> InverseGamma:
    """Fit a weak prior by the median alone: alpha = 1, beta = alpha x median.

    Parameters
    ----------
    variances : array
        Noise variances of at least one pair, positive and finite.
    unit : {"px", "normalised", "points"}
        What the residuals behind them are measured in.
    """
    values = _as_variances(variances, at_least=1)
    with np.errstate(over="ignore"):  # the mean of two in the middle: refused then
        beta = ROBUST_ALPHA * float(np.median(values))
    return InverseGamma(ROBUST_ALPHA, beta, unit)


def fit_mle(variances: ArrayLike, *, unit: str = PIXELS) -> InverseGamma:
    """Fit by type-II maximum likelihood: a Gamma distribution of the inverse variances.

    The shape solves ``log(alpha) - digamma(alpha) = log(mean(1/v)) - mean(log(1/v))``,
    whose left side falls from infinity to 0; the rate is ``alpha / mean(1/v)``.

    Parameters
    ----------
    variances : array
        Noise variances of at least two pairs, positive, finite and not all equal (the
        likelihood of equal ones has no maximum).
    unit : {"px", "normalised", "points"}
        What the residuals behind them are measured in.
    """
    from scipy.special import digamma, polygamma

    values = _as_variances(variances, at_least=2)
    # Logarithms of precisions: those of any size have a mean.
    logs = -np.log(values)
    largest, middle = float(np.max(logs)), float(np.mean(logs))
    with np.errstate(under="ignore"):  # beside the largest they count for nothing
        log_mean = largest + math.log(np.mean(np.exp(logs - largest)))
    excess = log_mean - middle  # of arithmetic over geometric mean
    # log(x) - digamma(x) is about 1/(2x) for large x.
    if excess < 0.5 / MAX_SHAPE:
        raise ValueError(
            f"variances must not all be equal, got {len(values)} times {values[0]:g}"
        )
    # Newton's method on 1/alpha: there the function is nearly straight at both ends.
    inverse = 2.0 * excess
    for _ in range(MAX_FIT_STEPS):
        shape = 1.0 / inverse
        value = math.log(shape) - float(digamma(shape)) - excess
        slope = (float(polygamma(1, shape)) - inverse) * shape**2
        step = value / slope
        inverse = max(inverse - step, 0.5 * inverse)
        if abs(step) <= 1e-14 * inverse:
            break
    alpha = 1.0 / inverse
    return InverseGamma(alpha, alpha * math.exp(-log_mean), unit)


def _as_variances(variances: ArrayLike, at_least: int) -> Array:
    values = as_real_array(variances, "variances").astype(np.float64).ravel()
    if values.size < at_least:
        raise ValueError(
            f"variances must hold at least {at_least} values, got {values.size}"
        )
    bad = ~(np.isfinite(values) & (values > 0.0))
    if bad.any():
        raise ValueError(
            f"variances must be finite and positive, got {values[bad][0]} "
            f"({int(bad.sum())} such of {values.size})"
        )
    return values
