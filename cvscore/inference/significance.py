"""Is there a model at all?  A-contrario evidence that counts what was tried.

The best model of random matches has inliers too.  Three things are known about it under
chance: the density ``h`` at which matches fall about it, no farther than its inliers
(`null_density`), that the k inliers are the best of all subsets of that size, and that
the model is the best of many (Moisan, Stival 2004).  With ``m`` matches spent on the
model, ``nu = d (k - m)`` residuals are left, and random ones have a sum of squares
below RSS with the probability

    V(nu, RSS) h**(k - m),        V(nu, RSS) = (pi RSS)**(nu/2) / Gamma(nu/2 + 1),

the volume of a ball in ``nu`` dimensions.  But for the factor nu/2 that is the inverse
of the marginal likelihood ratio of the inliers over chance, integrated over the noise
scale under the measure of Jeffreys,

    L = Gamma(nu/2) (pi RSS)**(-nu/2) h**-(k - m).

The corrected evidence divides it by the number of ways to have been lucky: N - m sizes,
C(N - m, k - m) subsets, and as many models as were looked at,

    evidence = log L - log(N - m) - log C(N - m, k - m) - log M,

in nats, whatever the unit of the points, the size of the images and the prior of the
score.  M is the number of samples drawn times `MODELS_PER_SAMPLE`, and no more than the
C(N, m) samples there are.  exp(-evidence) bounds, about, the expected number of models
this good among random matches; `SIGNIFICANT_EVIDENCE`, log 100, stands for one in a
hundred.

Measured by `python -m benchmarks evidence`: of random matches (six kinds, 20 to 5,000
of them, any unit) no more than 2 in 10,000 are significant; of 1,000 estimates with 30
to 300 true inliers, 30 to 90 % of all matches, at noise of 0.3 to 3 pixels, all are.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.inference.null_density import highest_null_density

# A sample gives several models, and each best one so far is refitted and sampled from
# again: by simulation, what a hundred times as many independent models would find.
MODELS_PER_SAMPLE = 100.0


@kernel
def corrected_evidence(
    sq_residuals, inliers, by_chance, dim, sample_size, num_samples, precision
):
    """Return the log evidence over "all matches are by chance", in nats.

    Parameters
    ----------
    sq_residuals : (N,) array
        Squared residuals under the model.
    inliers : (N,) bool array
        Its inliers, the smallest residuals.
    by_chance : (M,) array
        Squared residuals of the same points, matched at random.
    dim, sample_size : int
        Constraints per match and matches in a minimal sample of the model.
    num_samples : int
        Minimal samples drawn to find it.
    precision : float
        Rounding error of a residual: an exact fit is as good as that.
    """
    num = len(sq_residuals)
    num_inlying, rss, furthest = 0, num * precision**2, 0.0
    for i in range(num):
        if inliers[i]:
            num_inlying += 1
            rss += sq_residuals[i]
            furthest = max(furthest, sq_residuals[i])
    spare = num_inlying - sample_size
    if spare <= 0:
        return -np.inf
    half_nu = 0.5 * dim * spare
    scale = math.sqrt(0.5 * rss / half_nu)
    radius = max(math.sqrt(furthest), scale)
    density = highest_null_density(by_chance, scale, radius, dim)
    ratio = (
        math.lgamma(half_nu)
        - half_nu * math.log(math.pi * rss)
        - spare * math.log(density)
    )
    num_left = num - sample_size
    log_models = min(
        math.log(MODELS_PER_SAMPLE * num_samples), log_choices(num, sample_size)
    )
    return ratio - math.log(num_left) - log_choices(num_left, spare) - log_models


@kernel
def log_choices(num, size):
    """Logarithm of the number of subsets of ``size`` among ``num``."""
    return math.lgamma(num + 1) - math.lgamma(size + 1) - math.lgamma(num - size + 1)
