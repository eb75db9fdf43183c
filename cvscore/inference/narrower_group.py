"""A narrower group of right matches, where most inliers are near misses.

Where near misses outnumber right matches, a model is best with both for inliers, at the
scale of the near misses.  So a Gaussian is added to the mixture about the model, of
matches that are several times closer to it than what was taken for right, which is then
of near misses.  The two mixtures are nested, and the likelihood tells which it is: the
odds of the narrower group are

    exp(G (1 - n / (d k))) / N,

for a gain of G nats by k matches of d constraints each among N near the model.  As many
residuals as the model has parameters, n, are zero for nothing, as for a variance; and
two parameters more, share and scale, are worth half log N each (Schwarz 1978).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.inference.null_density import TINY
from cvscore.inference.residual_mixture import density_of_wrong

# In scales of the narrower group: the scale of near misses is no smaller.  Noise whose
# scale differs from match to match by less is noise.  Chosen on validation problems.
MIN_MISS = 3.5
# Where the search for its scale begins, in parts of the inliers' scale.
NARROWINGS = (4.0, 16.0, 64.0)
MAX_GROUP_STEPS = 300
MIN_GROUP_GAIN = 1e-3  # nats: a step that gains less ends the maximisation
LEAST_LOG_ODDS = -700.0  # so that their exponential is a number


class NarrowerGroup(NamedTuple):
    """Matches that are closer to the model than most of its inliers.

    Attributes
    ----------
    variance, num_right : float
        Of their residuals, and how many they are.
    log_likelihood : float
        Of the mixture with them, nats; minus infinity where there are none.
    """

    variance: float
    num_right: float
    log_likelihood: float


@kernel
def find_narrower_group(mixture, sq_residuals, dim, num_params, nearest, least):
    """Return the likeliest `NarrowerGroup`, and the probability that it is one.

    Parameters
    ----------
    mixture : ResidualMixture
        Fitted to the residuals, of inliers and of wrong matches.
    sq_residuals : (N,) array
        Squared distances to the model, all finite.
    dim, num_params : int
        Constraints per match, and parameters fitted to the right ones.
    nearest : float
        Least variance of near misses; what is closer to the model is noise.
    least : float
        Variance of rounding errors.
    """
    density = density_of_wrong(mixture, sq_residuals, dim)
    near = np.isfinite(density)
    density, near_by = density[near], sq_residuals[near]
    best = NarrowerGroup(mixture.variance, 0.0, -np.inf)
    if mixture.variance < nearest:
        return best, 0.0
    for narrowing in NARROWINGS:
        start = max(mixture.variance / narrowing**2, least)
        given = near_by, density, dim, num_params
        found = fit_group(*given, start, mixture.variance, mixture.share, least)
        is_narrower = MIN_MISS**2 * found.variance <= mixture.variance
        if is_narrower and found.log_likelihood > best.log_likelihood:
            best = found
    before = 0.0
    peak = mixture.share * _gaussian_peak(mixture.variance, dim)
    for i in range(near_by.shape[0]):
        inlying = peak * math.exp(-0.5 * near_by[i] / mixture.variance)
        before += math.log(max(inlying + density[i], TINY))
    gain = best.log_likelihood - before
    if best.num_right > 0.0:
        gain *= 1.0 - num_params / (dim * best.num_right)
    log_odds = gain - math.log(max(near_by.shape[0], 1))
    return best, 1.0 / (1.0 + math.exp(-max(log_odds, LEAST_LOG_ODDS)))


@kernel
def fit_group(
    sq_residuals, density, dim, num_params, variance, near_misses, inlying, least
):
    """Fit group, near misses and what is farther away to squared residuals (N,).

    Parameters
    ----------
    sq_residuals : (N,) array
        Squared distances to the model.
    density : (N,) array
        Of wrong matches, times their share at the beginning.
    dim, num_params : int
        Constraints per match, and parameters fitted to the right ones.
    variance, near_misses : float
        Of the group and of the near misses, where to begin.
    inlying : float
        Share of both together, where to begin.
    least : float
        Variance of rounding errors.
    """
    # A third of the inliers in the group.  All shares of wrong matches stay in ratio.
    share, missed, wrong = 0.3 * inlying, 0.7 * inlying, 1.0
    reached = -np.inf
    nothing = NarrowerGroup(variance, 0.0, -np.inf)
    for _ in range(MAX_GROUP_STEPS):
        peak = share * _gaussian_peak(variance, dim)
        peak_missed = missed * _gaussian_peak(near_misses, dim)
        num_right, num_missed, num_wrong = 0.0, 0.0, 0.0
        rss, rss_missed, log_likelihood = 0.0, 0.0, 0.0
        for i in range(sq_residuals.shape[0]):
            right = peak * math.exp(-0.5 * sq_residuals[i] / variance)
            miss = peak_missed * math.exp(-0.5 * sq_residuals[i] / near_misses)
            total = max(right + miss + wrong * density[i], TINY)
            log_likelihood += math.log(total)
            num_right += right / total
            rss += right / total * sq_residuals[i]
            num_missed += miss / total
            rss_missed += miss / total * sq_residuals[i]
            num_wrong += wrong * density[i] / total
        freedom = dim * num_right - num_params
        if freedom < 1.0 or num_right < num_params:
            return nothing
        if log_likelihood - reached < MIN_GROUP_GAIN:
            break
        reached = log_likelihood
        num = num_right + num_missed + num_wrong
        variance = max(rss / freedom, least)
        near_misses = max(
            rss_missed / max(dim * num_missed, TINY), MIN_MISS**2 * variance
        )
        share, missed = num_right / num, num_missed / num
        wrong = num_wrong / (num * max(1.0 - inlying, TINY))
    return NarrowerGroup(variance, num_right, log_likelihood)


@kernel
def _gaussian_peak(variance, dim):
    return (2.0 * math.pi * variance) ** (-0.5 * dim)
