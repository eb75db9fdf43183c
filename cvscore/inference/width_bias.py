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


def width_bias(
    jacobian: Array, residuals: Array, beliefs: Array, core: float, middle: Array
) -> Array:
    """Return the mean square (n, n) of the pull that is a bias.

    Parameters
    ----------
    jacobian : (d, M, n) array
        Derivatives of residuals, in coordinates in which weighted ones are orthonormal.
    residuals : (d, M) array
        At the fit.
    beliefs : (M,) array
        That matches are right.
    core : float
        The variance at which the fit weighted.
    middle : (n, n) array
        Covariance of the sum of the pulls of the fit.
    """
    dim, _, num_params = jacobian.shape
    sq_residuals = (residuals**2).sum(axis=0)
    narrow = biweights(sq_residuals, NARROWING**2 * core)
    wide = biweights(sq_residuals, core)
    # How far a pull moves the narrower fit, over how far it moves the wider.
    stiffness = (beliefs @ mean_slopes(narrow, dim)) / (
        beliefs @ mean_slopes(wide, dim)
    )
    if not stiffness > 0.0:
        return np.zeros_like(middle)
    at_noise, narrowed = of_normal(dim), of_normal(dim, NARROWING)
    all_of_it = 1.0 / (1.0 - NARROWING**2 * at_noise.slope / narrowed.slope)
    # The pulls of the wider are nearly zero: as far as the fit has settled.
    pulled = (narrow / stiffness - wide) * residuals
    bias = all_of_it * (pulled.ravel() @ jacobian.reshape(-1, num_params))
    by_noise = all_of_it**2 * (at_noise.efficiency / narrowed.efficiency - 1.0)
    seen = float(bias @ np.linalg.solve(middle, bias))
    share = max(0.0, 1.0 - num_params * by_noise / seen) if seen > 0.0 else 0.0
    added: Array = share**2 * np.outer(bias, bias) + share * by_noise * middle
    return added
