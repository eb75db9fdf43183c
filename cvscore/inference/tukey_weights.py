"""Tukey's biweight at the scale of a core: weights, slopes and efficiency."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from cvscore.ransac.irls import CUT
from cvscore.types import Array


def biweights(sq_residuals: Array, core: float) -> Array:
    """Return Tukey's weights (M,) at a core variance; ones where that is zero."""
    if not core > 0.0:
        return np.ones(len(sq_residuals))
    weights: Array = np.maximum(1.0 - sq_residuals / (CUT**2 * core), 0.0) ** 2
    return weights


def mean_slopes(weights: Array, dim: int) -> Array:
    """Return the derivatives of ``w r`` (M,), the mean over d directions of r.

    The divergence of ``w r`` is ``d w + |r| w'``.
    """
    u = 1.0 - np.sqrt(weights)
    slopes: Array = weights - 4.0 * u * (1.0 - u) / dim
    return slopes


class OfNormal(NamedTuple):
    """What the weights do to normal residuals: their mean slope, and efficiency."""

    slope: float
    efficiency: float


@cache
def of_normal(dim: int, narrowing: float = 1.0) -> OfNormal:
    """Return slope and efficiency on normal residuals of d constraints.

    ``narrowing`` multiplies the width at which the weights end.
    """
    radii = np.arange(0.0005, 12.0, 0.001)  # middles; no residual is farther off
    density = radii ** (dim - 1) * np.exp(-0.5 * radii**2)
    density /= density.sum()
    weights = biweights(radii**2, narrowing**2)
    sq_pull = float(density @ (weights * radii) ** 2) / dim
    slope = float(density @ mean_slopes(weights, dim))
    return OfNormal(slope, slope**2 / sq_pull)
