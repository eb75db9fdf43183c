"""The likelihood that matches lie about a plane, on epipolar lines, or are by chance.

Every match has a likelihood over that of chance,

    w N(r; s) N(u; S) / h  +  w' N(r; s) / g  +  (1 - w - w'),

with ``r`` its distance to the epipolar geometry, ``u`` its distance from the plane
along the epipolar line, ``h`` and ``g`` the densities of chance about plane and lines.
Shares and scales are fitted by expectation maximisation.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cvscore._kernel import kernel
from cvscore.types import Array

MAX_STEPS = 200
MIN_GAIN = 1e-3  # nats: a step that gains less ends the maximisation
# Squared residuals are taken in units of the noise at the start and cut here: beyond
# it a match is by chance in any case.
MAX_SQ_RESIDUAL = 1e12
MIN_VARIANCE = 1e-12  # in the same unit: an exact fit is as good as this
MIN_SHARE = 1e-12  # a share of zero could never grow again


class Mixture(NamedTuple):
    """Shares and scales of the two layers; `tied` where both scales are one."""

    on_plane: float
    on_line: float
    scale: float
    spread: float
    tied: bool = False


def plane_log_likelihood(sq_plane: Array, density: float, start: Mixture) -> float:
    """Return the largest log likelihood ratio of a plane and chance alone.

    Parameters
    ----------
    sq_plane : (N,) array
        Squared distances to the homography.
    density : float
        Of chance about it.
    start : Mixture
        Where to begin.
    """
    # All of the distance in one coordinate: with one scale for both it is the same.
    nowhere = np.zeros_like(sq_plane)
    tied = start._replace(on_line=0.0, tied=True)
    return log_likelihood(sq_plane, nowhere, density, np.inf, tied)


def log_likelihood(
    sq_along: Array,
    sq_across: Array,
    plane_density: float,
    line_density: float,
    start: Mixture,
) -> float:
    """Return the largest log likelihood ratio over shares and scales.

    Parameters
    ----------
    sq_along, sq_across : (N,) array
        Squared distances from the plane along the epipolar line, and from the line.
    plane_density, line_density : float
        Of chance about plane and lines, per unit squared and per unit.
    start : Mixture
        Where to begin; a share of zero stays.
    """
    unit = start.scale
    along = np.minimum(sq_along / unit**2, MAX_SQ_RESIDUAL)
    across = np.minimum(sq_across / unit**2, MAX_SQ_RESIDUAL)
    reached: float = _maximise(
        along,
        across,
        plane_density * unit**2,
        line_density * unit,
        start.on_plane,
        start.on_line,
        max(start.spread / unit, 1.0),
        start.tied,
    )
    return reached


@kernel
def _maximise(
    along, across, plane_density, line_density, on_plane, on_line, spread, tied
):
    """Alternate between beliefs about where matches belong, and shares and scales.

    Distances are in units of the scale at the start.  Returns the log likelihood.
    """
    scale, best, reached = 1.0, -np.inf, -np.inf
    has_line = on_line > 0.0
    for _ in range(MAX_STEPS):
        reached, plane, line, rss_along, rss_across = _believe(
            along, across, plane_density, line_density, on_plane, on_line, scale, spread
        )
        if reached - best < MIN_GAIN:
            break
        best = reached
        variance = rss_across / max(plane + line, MIN_SHARE)
        sq_spread = rss_along / max(plane, MIN_SHARE)
        if tied or sq_spread < variance:
            both = max(2.0 * plane + line, MIN_SHARE)
            variance = sq_spread = (rss_along + rss_across) / both
        scale = math.sqrt(max(variance, MIN_VARIANCE))
        spread = math.sqrt(max(sq_spread, MIN_VARIANCE))
        by_chance = max(len(along) - plane - line, MIN_SHARE)
        num = max(plane, MIN_SHARE) + max(line, MIN_SHARE) + by_chance
        on_plane = max(plane, MIN_SHARE) / num
        on_line = max(line, MIN_SHARE) / num if has_line else 0.0
    return max(best, reached)


@kernel
def _believe(
    along, across, plane_density, line_density, on_plane, on_line, scale, spread
):
    """Log likelihood, numbers believed in layer and on lines, their squared sums."""
    peak = 1.0 / (math.sqrt(2.0 * math.pi) * scale)
    layer_peak = 1.0 / (math.sqrt(2.0 * math.pi) * spread * plane_density)
    reached, plane, line, rss_along, rss_across = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(along)):
        near = peak * math.exp(-0.5 * across[i] / scale**2)
        in_layer = on_plane * near * layer_peak * math.exp(-0.5 * along[i] / spread**2)
        free = on_line * near / line_density
        total = in_layer + free + (1.0 - on_plane - on_line)
        reached += math.log(total)
        plane += in_layer / total
        line += free / total
        rss_along += in_layer / total * along[i]
        rss_across += (in_layer + free) / total * across[i]
    return reached, plane, line, rss_along, rss_across
