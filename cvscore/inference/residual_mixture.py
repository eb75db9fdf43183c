"""Right and wrong matches about a model, as a mixture of their residuals.

The score takes wrong matches to be spread evenly over a band, which is enough to rank
models.  To say how likely one match is right, their density *at its residual* counts,
and that is read off the residuals of this very pair: wrong matches are many where
things repeat or move, and few where nothing does.  Residuals of ``d`` constraints are a
mixture of

- right matches: Gaussian, the variance as unknown as so many residuals leave it, hence
  Student's density with ``nu = d k - n`` degrees of freedom for ``k`` right matches and
  ``n`` parameters;
- wrong ones that miss in every direction: even within balls of radius R, 4 R and 16 R,
  so that they may be denser close by, but level within R = 5 noise scales;
- where there are two constraints or more, wrong ones that miss in one direction only,
  as what lies off the plane of a homography does, which misses along its epipolar line:
  even along lines of length R, 4 R and 16 R to both sides, so that their density in
  space grows towards the model with ``r**-(d - 1)``, up to the noise.

All shares and the variance are those of largest likelihood (expectation maximisation,
Dempster, Laird and Rubin 1977).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.inference.null_density import ball_volume
from cvscore.types import Array

# In noise scales: no ball or line of wrong matches is smaller.  What is denser within
# less can't be told from right matches.  Chosen on validation problems.
LEVEL_WITHIN = 5.0
GROWTH = 4.0  # of the radius, from one ball to the next; chosen together with that
NUM_RADII = 3  # what is farther away is wrong, and says nothing of what is near
# Matches that a ball or line has to have over none: half the number of its parameters,
# by the length of the message that describes them (Figueiredo and Jain 2002).  Without
# it the smallest ball takes what is the tail of the noise.
COST_OF_SHARE = 0.5
MAX_MIXTURE_STEPS = 200  # what has not settled by then changes no probability much
SETTLED_SHARE = 1e-3  # change of the shares and relative change of the scale


class ResidualMixture(NamedTuple):
    """Right and wrong matches about a model, as shares of those near it.

    Attributes
    ----------
    share : float
        Of right matches.
    variance, freedom : float
        Of their residuals, as Student's distribution has them.
    balls, lines : (K,) arrays
        Of wrong matches; the last are the widest.
    """

    share: float
    variance: float
    freedom: float
    balls: Array
    lines: Array


@kernel
def fit_residuals(sq_residuals, dim, num_params, variance, num_right, least, most):
    """Fit a mixture to residuals, beginning at a variance of so many right matches.

    Parameters
    ----------
    sq_residuals : (N,) array
        Squared distances to the model, all finite.
    dim, num_params : int
        Constraints per match, and parameters fitted to the right ones.
    variance, num_right : float
        Where to begin.
    least, most : float
        Between which the variance stays.
    """
    # As many as there are in the shell that a radius adds.
    wrong = np.full(NUM_RADII, 0.5)
    for i in range(sq_residuals.shape[0]):
        shell = _shell_of(sq_residuals[i], variance)
        if shell < NUM_RADII:
            wrong[shell] += 1.0
    num_near = wrong.sum()
    wrong[0] = max(wrong[0] - num_right, 0.5)
    wrong /= num_near
    # Of one constraint balls and lines are the same.
    halved = 0.5 if dim > 1 else 1.0
    mixture = ResidualMixture(
        num_right / num_near, variance, np.inf, halved * wrong, (1.0 - halved) * wrong
    )
    for _ in range(MAX_MIXTURE_STEPS):
        before = mixture
        right, of_balls, of_lines = expected(mixture, sq_residuals, dim)
        num_right, rss = 0.0, 0.0
        for i in range(sq_residuals.shape[0]):
            num_right += right[i]
            rss += right[i] * sq_residuals[i]
        freedom = dim * num_right - num_params
        if freedom < 1.0:
            break
        balls = np.maximum(before.balls * of_balls - COST_OF_SHARE, 0.0)
        lines = np.maximum(before.lines * of_lines - COST_OF_SHARE, 0.0)
        num_near = num_right + balls.sum() + lines.sum()
        balls, lines = balls / num_near, lines / num_near
        variance = min(max(rss / freedom, least), most)
        mixture = ResidualMixture(num_right / num_near, variance, freedom, balls, lines)
        change = abs(mixture.share - before.share)
        change = max(change, abs(1.0 - math.sqrt(variance / before.variance)))
        change = max(change, np.abs(balls - before.balls).max())
        if max(change, np.abs(lines - before.lines).max()) < SETTLED_SHARE:
            break
    return mixture


@kernel
def expected(mixture, sq_residuals, dim):
    """Return how likely residuals (N,) are of right matches.

    And for each ball and each line (K,), the sum over all residuals of its density over
    that of the mixture: what its share is to be multiplied by.
    """
    variance = mixture.variance
    ball, line = _densities(mixture, dim)
    balls, lines = _reaching(mixture, ball, line)
    softening = _softening(dim) * variance
    half_power, half_dim = 0.5 * (1.0 - dim), 0.5 * dim
    log_peak = math.log(mixture.share) + _log_peak(mixture, dim)
    right = np.empty(sq_residuals.shape[0])
    of_balls, of_lines = np.zeros(NUM_RADII), np.zeros(NUM_RADII)
    for i in range(sq_residuals.shape[0]):
        shell = _shell_of(sq_residuals[i], variance)
        if shell == NUM_RADII:
            right[i] = 0.0
            continue
        relative = sq_residuals[i] / variance
        if mixture.freedom < np.inf:
            power = 0.5 * mixture.freedom + half_dim
            log_right = log_peak - power * math.log1p(relative / mixture.freedom)
        else:
            log_right = log_peak - 0.5 * relative
        narrowing = (sq_residuals[i] + softening) ** half_power
        of_right = math.exp(log_right)
        total = of_right + balls[shell] + lines[shell] * narrowing
        right[i] = of_right / total if total > 0.0 else 0.0
        if total > 0.0:
            of_balls[shell] += 1.0 / total
            of_lines[shell] += narrowing / total
    # A ball is also where the smaller shells are.
    for k in range(1, NUM_RADII):
        of_balls[k] += of_balls[k - 1]
        of_lines[k] += of_lines[k - 1]
    return right, ball * of_balls, line * of_lines


@kernel
def density_of_wrong(mixture, sq_residuals, dim):
    """Return the density (N,) of wrong matches at residuals; NaN beyond their reach."""
    ball, line = _densities(mixture, dim)
    balls, lines = _reaching(mixture, ball, line)
    softening = _softening(dim) * mixture.variance
    density = np.empty(sq_residuals.shape[0])
    for i in range(sq_residuals.shape[0]):
        shell = _shell_of(sq_residuals[i], mixture.variance)
        density[i] = np.nan
        if shell < NUM_RADII:
            narrowing = (sq_residuals[i] + softening) ** (0.5 * (1.0 - dim))
            density[i] = balls[shell] + lines[shell] * narrowing
    return density


@kernel
def _reaching(mixture, ball, line):
    """Densities (K,) of balls and lines that reach as far as a shell or farther."""
    balls, lines = np.zeros(NUM_RADII), np.zeros(NUM_RADII)
    reached = 0.0, 0.0
    for k in range(NUM_RADII - 1, -1, -1):
        reached = (
            reached[0] + mixture.balls[k] * ball[k],
            reached[1] + mixture.lines[k] * line[k],
        )
        balls[k], lines[k] = reached
    return balls, lines


@kernel
def _shell_of(sq_residual, variance):
    """Return the first of the balls that holds a residual; their number, if none."""
    reach = LEVEL_WITHIN**2 * variance
    for shell in range(NUM_RADII):
        if sq_residual <= reach:
            return shell
        reach *= GROWTH**2
    return NUM_RADII


@kernel
def _densities(mixture, dim):
    """Densities (K,) of balls, and of lines but for their power of the distance."""
    ball, line = np.empty(NUM_RADII), np.empty(NUM_RADII)
    radius = LEVEL_WITHIN * math.sqrt(mixture.variance)
    for k in range(NUM_RADII):
        ball[k] = 1.0 / ball_volume(radius, dim)
        line[k] = 1.0 / (radius * dim * ball_volume(1.0, dim))
        radius *= GROWTH
    return ball, line


@kernel
def _softening(dim):
    """Return what is added to squared distances over the variance of the noise.

    So that the density of a line at its middle is that of noise across it.
    """
    if dim == 1:
        return 0.0
    sphere = dim * ball_volume(1.0, dim)
    return 2.0 * math.pi * (2.0 / sphere) ** (2.0 / (dim - 1.0))


@kernel
def _log_peak(mixture, dim):
    """Logarithm of the density of right matches at zero."""
    if not mixture.freedom < np.inf:
        return -0.5 * dim * math.log(2.0 * math.pi * mixture.variance)
    half = 0.5 * mixture.freedom
    peak = math.lgamma(half + 0.5 * dim) - math.lgamma(half)
    return peak - 0.5 * dim * math.log(2.0 * math.pi * half * mixture.variance)
