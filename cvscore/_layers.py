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
    plane_density, line_density = plane_density * unit**2, line_density * unit
    mixture = start._replace(scale=1.0, spread=max(start.spread / unit, 1.0))
    best = -math.inf
    for _ in range(MAX_STEPS):
        parts = _parts(along, across, plane_density, line_density, mixture)
        total = parts.sum(axis=0)
        reached = float(np.log(total).sum())
        if reached - best < MIN_GAIN:
            break
        best = reached
        mixture = _maximise(parts / total, along, across, mixture)
    return max(best, reached)


def _parts(
    along: Array, across: Array, plane_density: float, line_density: float, mix: Mixture
) -> Array:
    """Likelihood (3, N) of every match in the layer, on the line, and by chance."""
    on_line = _gaussian(across, mix.scale)
    on_plane = on_line * _gaussian(along, mix.spread) / plane_density
    by_chance = np.full_like(along, 1.0 - mix.on_plane - mix.on_line)
    return np.stack(
        [mix.on_plane * on_plane, mix.on_line * on_line / line_density, by_chance]
    )


def _maximise(belief: Array, along: Array, across: Array, mix: Mixture) -> Mixture:
    """Return shares and scales for beliefs (3, N) about where each match belongs."""
    plane, line, _ = counts = belief.sum(axis=1)
    rss_along = float(belief[0] @ along)
    rss_across = float((belief[0] + belief[1]) @ across)
    variance = rss_across / max(plane + line, MIN_SHARE)
    sq_spread = rss_along / max(plane, MIN_SHARE)
    if mix.tied or sq_spread < variance:
        variance = (rss_along + rss_across) / max(2.0 * plane + line, MIN_SHARE)
        sq_spread = variance
    shares = np.maximum(counts, MIN_SHARE) / counts.sum()
    return mix._replace(
        on_plane=float(shares[0]) if mix.on_plane > 0.0 else 0.0,
        on_line=float(shares[1]) if mix.on_line > 0.0 else 0.0,
        scale=math.sqrt(max(variance, MIN_VARIANCE)),
        spread=math.sqrt(max(sq_spread, MIN_VARIANCE)),
    )


def _gaussian(sq_residuals: Array, scale: float) -> Array:
    density = np.exp(-0.5 * sq_residuals / scale**2)
    return density / (math.sqrt(2.0 * math.pi) * scale)
