"""The bias of a fit that a narrower one shows.

Matches of another plane, or of something that moves, are within reach of a model where
both agree.  They pull one way together, and their residuals do not tell them from right
ones.  But they are spread evenly over the reach: in a narrower one they are fewer, and
each pulls less, so that all of them pull by the square of the width.  What noise does
is as often the one way as the other, whatever the width.  So the step from the fit to a
narrower one shows the bias (a specification test, Hausman 1978), and by noise alone
this step has the covariance of the narrower fit less that of the wider.

With B the covariance of the fit, and the bias as probable a priori as an unknown
multiple of B says, a step y that would be known to ``v B`` leaves the bias at ``s y``
with covariance ``s v B``, ``s = 1 - n v / (y' B^-1 y)`` where that is positive
(empirical Bayes, James and Stein 1961).  What is to be added to B is the mean of its
square.
"""

from __future__ import annotations

import numpy as np

from cvscore.inference.tukey_weights import biweights, mean_slopes, of_normal
from cvscore.types import Array

# The width of the narrower fit.  One of half sees noise, one of nine tenths no bias.
NARROWING = 0.7
# Of Newton's method towards it.  One falls short where the bias is large.
NUM_STEPS = 2


def width_bias(
    jacobian: Array,
    residuals: Array,
    weights: Array,
    beliefs: Array,
    core: float,
    middle: Array,
) -> Array:
    """Return the mean square (n, n) of the pull that is a bias.

    Parameters
    ----------
    jacobian : (d, M, n) array
        Derivatives of residuals, in coordinates in which weighted ones are orthonormal.
    residuals : (d, M) array
        At the fit.
    weights, beliefs : (M,) arrays
        Of the matches in the fit, and that they are right.
    core : float
        The variance at which the fit weighted.
    middle : (n, n) array
        Covariance of the sum of the pulls of the fit.
    """
    dim, _, num_params = jacobian.shape
    rows = jacobian.reshape(-1, num_params)

    def newton_step(weights: Array, left: Array) -> tuple[Array, float]:
        """Return the step that residuals ask for, and how stiff the fit is."""
        stiffness = float(beliefs @ mean_slopes(weights, dim)) / believed
        return -((weights * left).ravel() @ rows) / stiffness, stiffness

    believed = float(beliefs @ weights)
    # The fit has settled but for a small step of its own.
    settled, stiffness_of_fit = newton_step(weights, residuals)
    moved, left = np.zeros(num_params), residuals
    for _ in range(NUM_STEPS):
        narrow = biweights((left**2).sum(axis=0), NARROWING**2 * core)
        step, stiffness = newton_step(narrow, left)
        if not stiffness > 0.0:
            return np.zeros_like(middle)
        moved = moved + step
        left = residuals + (rows @ moved).reshape(residuals.shape)
    at_noise, narrowed = of_normal(dim), of_normal(dim, NARROWING)
    all_of_it = 1.0 / (1.0 - NARROWING**2 * at_noise.slope / narrowed.slope)
    bias = all_of_it * stiffness_of_fit * (moved - settled)
    by_noise = all_of_it**2 * (at_noise.efficiency / narrowed.efficiency - 1.0)
    seen = float(bias @ np.linalg.solve(middle, bias))
    share = max(0.0, 1.0 - num_params * by_noise / seen) if seen > 0.0 else 0.0
    added: Array = share**2 * np.outer(bias, bias) + share * by_noise * middle
    return added
