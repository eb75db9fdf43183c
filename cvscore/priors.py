"""What is believed about the noise variance before a pair is seen."""

from __future__ import annotations

import math
from dataclasses import dataclass


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
        Rate, at least 0; in the unit of the squared residuals (pixels squared).
    """

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ValueError(f"{name} must be finite and not negative, got {value}")

    @classmethod
    def jeffreys(cls) -> InverseGamma:
        """Return the limit that assumes nothing about the scale."""
        return cls(alpha=0.0, beta=0.0)

    def scaled(self, factor: float) -> InverseGamma:
        """Return this prior for residuals that have been multiplied by ``factor``."""
        return InverseGamma(self.alpha, self.beta * factor**2)
