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

from cvscore._numba.compile import kernel
from cvscore.inference.inlier_mixture import MIN_LIKELIHOOD_GAIN

MAX_LAYER_EM_STEPS = 200
# Squared residuals are taken in units of the noise at the start and cut here: beyond
# it a match is by chance in any case.
MAX_SQ_RESIDUAL = 1e12
MIN_LAYER_VARIANCE = 1e-12  # in the same unit: an exact fit is as good as this
MIN_SHARE = 1e-12  # a share of zero could never grow again


class LayerMixture(NamedTuple):
    """Shares and scales of matches about a plane and on epipolar lines.

    Attributes
    ----------
    log_likelihood : float
        Of all matches, in nats, over "all are by chance".
    on_plane, on_line : float
        Shares of the matches.
    scale, spread : float
        Noise, and spread about the plane along the lines.
    """

    log_likelihood: float
    on_plane: float
    on_line: float
    scale: float
    spread: float


@kernel
def fit_layers(sq_plane, sq_line, plane_density, line_density, starts):
    """Return the mixture of largest likelihood.

    Parameters
    ----------
    sq_plane, sq_line : (N,) array
        Squared distances to the homography, and to the epipolar lines.
    plane_density, line_density : float
        Of chance about plane and lines, per unit squared and per unit.
    starts : (K, 4) array
        Where to begin, one after the other: the shares of plane and lines, the noise
        scale, and the spread along the lines.
    """
    num = sq_plane.shape[0]
    along, across = np.empty(num), np.empty(num)
    best = LayerMixture(-np.inf, 0.0, 0.0, 1.0, 1.0)
    for k in range(starts.shape[0]):
        unit = starts[k, 2]
        for i in range(num):
            across[i] = min(sq_line[i] / unit / unit, MAX_SQ_RESIDUAL)
            both = min(sq_plane[i] / unit / unit, 2.0 * MAX_SQ_RESIDUAL)
            along[i] = min(max(both - across[i], 0.0), MAX_SQ_RESIDUAL)
        densities = plane_density * unit**2, line_density * unit
        start = starts[k, 0], starts[k, 1], max(starts[k, 3] / unit, 1.0)
        found = _maximise(along, across, *densities, *start)
        if found.log_likelihood > best.log_likelihood:
            best = LayerMixture(
                found.log_likelihood,
                found.on_plane,
                found.on_line,
                found.scale * unit,
                found.spread * unit,
            )
    return best


@kernel
def log_likelihoods(sq_plane, sq_line, plane_density, line_density, mixture):
    """Return the log likelihood ratio (N,) of every match under a mixture.

    Other arguments are those of `fit_layers`.
    """
    variance, sq_spread = mixture.scale**2, mixture.spread**2
    peak = 1.0 / (math.sqrt(2.0 * math.pi) * mixture.scale)
    layer_peak = math.sqrt(2.0 * math.pi) * mixture.spread * plane_density
    layer_peak = mixture.on_plane / layer_peak
    line_peak = mixture.on_line / line_density
    by_chance = max(1.0 - mixture.on_plane - mixture.on_line, MIN_SHARE)
    found = np.empty(sq_plane.shape[0])
    for i in range(sq_plane.shape[0]):
        across = min(sq_line[i], MAX_SQ_RESIDUAL * variance)
        both = min(sq_plane[i], MAX_SQ_RESIDUAL * sq_spread)
        along = max(both - across, 0.0)
        in_layer = layer_peak * math.exp(-0.5 * along / sq_spread)
        near = peak * math.exp(-0.5 * across / variance)
        found[i] = math.log(near * (in_layer + line_peak) + by_chance)
    return found


@kernel
def _maximise(along, across, plane_density, line_density, on_plane, on_line, spread):
    """Alternate between beliefs about where matches belong, and shares and scales.

    Distances are in units of the scale at the start, as those of the mixture returned.
    """
    scale, best = 1.0, -np.inf
    has_line = on_line > 0.0
    found = LayerMixture(-np.inf, on_plane, on_line, scale, spread)
    for _ in range(MAX_LAYER_EM_STEPS):
        reached, plane, line, rss_along, rss_across = _believe(
            along, across, plane_density, line_density, on_plane, on_line, scale, spread
        )
        if reached > best:
            found = LayerMixture(reached, on_plane, on_line, scale, spread)
        if reached - best < MIN_LIKELIHOOD_GAIN:
            break
        best = reached
        variance = rss_across / max(plane + line, MIN_SHARE)
        sq_spread = rss_along / max(plane, MIN_SHARE)
        if sq_spread < variance:
            both = max(2.0 * plane + line, MIN_SHARE)
            variance = sq_spread = (rss_along + rss_across) / both
        scale = math.sqrt(max(variance, MIN_LAYER_VARIANCE))
        spread = math.sqrt(max(sq_spread, MIN_LAYER_VARIANCE))
        by_chance = max(len(along) - plane - line, MIN_SHARE)
        num = max(plane, MIN_SHARE) + max(line, MIN_SHARE) + by_chance
        on_plane = max(plane, MIN_SHARE) / num
        on_line = max(line, MIN_SHARE) / num if has_line else 0.0
    return found


@kernel
def _believe(
    along, across, plane_density, line_density, on_plane, on_line, scale, spread
):
    """Log likelihood, numbers believed in layer and on lines, their squared sums."""
    peak = 1.0 / (math.sqrt(2.0 * math.pi) * scale)
    layer_peak = on_plane / (math.sqrt(2.0 * math.pi) * spread * plane_density)
    line_peak, by_chance = on_line / line_density, 1.0 - on_plane - on_line
    per_across, per_along = -0.5 / scale**2, -0.5 / spread**2
    reached, plane, line, rss_along, rss_across = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(along)):
        near = peak * math.exp(per_across * across[i])
        in_layer = near * layer_peak * math.exp(per_along * along[i])
        free = near * line_peak
        total = in_layer + free + by_chance
        reached += math.log(total)
        in_layer /= total
        free /= total
        plane += in_layer
        line += free
        rss_along += in_layer * along[i]
        rss_across += (in_layer + free) * across[i]
    return reached, plane, line, rss_along, rss_across
