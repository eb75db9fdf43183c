r"""The loss of MAGSAC++ and its derivative, tabulated.

MAGSAC++ takes residuals to have four dimensions.  With ``x = q kappa**2 / (2 tau**2)``,
the lower and upper incomplete Gamma functions g and G, and ``m = kappa**2 / 2``, the
loss is

    rho = g(5/2, x) + x (G(3/2, x) - G(3/2, m)),    d rho / d x = G(3/2, x) - G(3/2, m),

because ``d g(5/2, x) / d x = x**(3/2) exp(-x) = -x d G(3/2, x) / d x``.  Half-integer
Gamma functions are elementary: with ``r = sqrt(x)``,

    G(3/2, x) = sqrt(pi)/2 erfc(r) + r exp(-x),
    g(5/2, x) = 3/2 (sqrt(pi)/2 - G(3/2, x)) - r**3 exp(-x).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.types import Array

MAGSAC_KAPPA = 3.64  # as published: the 0.99 quantile of chi with 4 degrees of freedom
MAGSAC_LIMIT = 0.5 * MAGSAC_KAPPA**2

# The loss is analytic in the unsquared residual (not in the squared one, at zero), so
# cubics between this many nodes have an error below 1e-10 of the loss at the threshold.
MAGSAC_INTERVALS = 512


@kernel
def _upper_gamma(root):
    """Return G(3/2, root**2)."""
    half_root_pi = 0.5 * math.sqrt(math.pi)
    return half_root_pi * math.erfc(root) + root * math.exp(-root * root)


@kernel
def _weight(root):
    """Return d rho / d x at x = root**2."""
    return _upper_gamma(root) - _upper_gamma(math.sqrt(MAGSAC_LIMIT))


@kernel
def _loss(root):
    """Return rho at x = root**2."""
    x = root * root
    whole = 0.5 * math.sqrt(math.pi)
    lower = 1.5 * (whole - _upper_gamma(root)) - root * x * math.exp(-x)
    return lower + x * _weight(root)


@kernel
def _tabulate():
    """Tabulate the loss over that at the threshold, and its rise per interval."""
    end = math.sqrt(MAGSAC_LIMIT)
    step = end / MAGSAC_INTERVALS
    nodes = np.empty((MAGSAC_INTERVALS + 1, 2))
    for i in range(MAGSAC_INTERVALS + 1):
        nodes[i, 0] = _loss(i * step)
        nodes[i, 1] = 2.0 * i * step * _weight(i * step) * step
    return nodes / _loss(end)


@kernel
def magsac_gains(sq_residuals, sq_threshold, nodes):
    """Score (K, N) residuals, (K,), by the cubics of the table ``nodes``."""
    num_models, num_points = sq_residuals.shape
    scores = np.zeros(num_models)
    for row in range(num_models):
        total = 0.0
        for i in range(num_points):
            if not sq_residuals[row, i] <= sq_threshold:
                continue
            place = MAGSAC_INTERVALS * math.sqrt(sq_residuals[row, i] / sq_threshold)
            node = min(int(place), MAGSAC_INTERVALS - 1)
            t = place - node
            # The cubic with the values and slopes of both nodes.
            rise = nodes[node + 1, 0] - nodes[node, 0]
            slope, next_slope = nodes[node, 1], nodes[node + 1, 1]
            bend = 3.0 * rise - 2.0 * slope - next_slope
            twist = slope + next_slope - 2.0 * rise
            total += 1.0 - nodes[node, 0] - t * (slope + t * (bend + t * twist))
        scores[row] = total
    return scores


@kernel
def magsac_weights(sq_residuals, sq_threshold):
    """Minus the derivative of the score in each squared residual, (N,)."""
    weights = np.zeros(sq_residuals.shape[0])
    per_pixel = MAGSAC_LIMIT / sq_threshold  # d x / d q
    whole = _loss(math.sqrt(MAGSAC_LIMIT))
    for i in range(sq_residuals.shape[0]):
        if sq_residuals[i] <= sq_threshold:
            root = math.sqrt(sq_residuals[i] * per_pixel)
            weights[i] = _weight(root) * per_pixel / whole
    return weights


@lru_cache(maxsize=1)
def magsac_nodes() -> Array:
    """Return the table of the loss, made once."""
    return _tabulate()
