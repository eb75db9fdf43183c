"""What the inliers tell of the noise, and how surely.

Under an Inverse-Gamma prior (alpha, beta) the variance of Gaussian residuals has the
posterior IG(alpha + nu/2, beta + RSS/2).  But inliers are not all of a Gaussian: the
score cuts it at the threshold tau = t s, and moves the threshold with the scale.  Two
numbers that depend on t alone say what that does (P_d the distribution function of a
chi-square variable with d degrees of freedom, p_d its density, both taken at t**2):

- the mean square inside the cut is lower than the variance by the factor

      c = P_(d+2) / P_d;

- s is then the root of ``sum over r < t s of (r**2 - c d s**2)``, an M-estimator, and
  worth as many residuals as nu times

      eta = D**2 / (2 d P_d V),

      V = d (d + 2) P_(d+4) - (c d)**2 P_d        the variance of a term,
      D = 2 t**2 p_d (t**2 - c d) - 2 c d P_d     the derivative of their mean in log s.

So the posterior is IG(alpha + eta nu/2, beta + eta RSS/(2 c)).  For t above 4 both are
one.  `python -m benchmarks coverage` counts how often the interval covers the truth.
"""

from __future__ import annotations

import math

from cvscore._numba.compile import kernel
from cvscore.types import NoisePosterior, VariancePrior

# A Gaussian cut closer than this looks flat, and its width can't be told any more.
MIN_CUT = 1.6
# The scale and the cut in units of it are found in turn, until the scale changes by no
# more than this; each round leaves less than half of the error.
SETTLED_POSTERIOR = 1e-9
MAX_POSTERIOR_ROUNDS = 40


def noise_posterior(
    rss: float,
    num_inliers: int,
    threshold: float,
    prior: VariancePrior,
    *,
    dim: int,
    num_params: int,
) -> NoisePosterior:
    """Return the posterior of the noise variance.

    Parameters
    ----------
    rss : float
        Sum of the inliers' squared residuals.
    num_inliers : int
        How many they are.
    threshold : float
        The residual that inliers do not exceed.
    prior : VariancePrior
        What was believed before, in the unit of the residuals.
    dim, num_params : int
        Constraints per match, and parameters fitted to the inliers.
    """
    return NoisePosterior(
        *variance_posterior(
            rss, num_inliers, threshold, prior.alpha, prior.beta, dim, num_params
        )
    )


@kernel
def variance_posterior(rss, num_inliers, threshold, alpha, beta, dim, num_params):
    """Return shape and rate of `noise_posterior`, zeros where there is nothing."""
    nu = num_inliers * dim - num_params
    if nu <= 0:
        return 0.0, 0.0
    shape, rate = alpha + 0.5 * nu, beta + 0.5 * rss
    before = 0.0
    for _ in range(MAX_POSTERIOR_ROUNDS):
        scale = math.sqrt(rate / shape)
        if abs(scale - before) <= SETTLED_POSTERIOR * scale:
            break
        before = scale
        shrinkage, worth = truncation(max(threshold / scale, MIN_CUT), dim)
        shape = alpha + 0.5 * worth * nu
        rate = beta + 0.5 * worth * rss / shrinkage
    return shape, rate


@kernel
def truncation(cut, dim):
    """Return c and eta of a Gaussian in ``dim`` dimensions cut at ``cut`` scales."""
    below, below2, below4, density = _chi_square(cut, dim)
    shrinkage = below2 / below
    mean = shrinkage * dim
    variance = dim * (dim + 2) * below4 - mean**2 * below
    slope = 2.0 * cut**2 * density * (cut**2 - mean) - 2.0 * mean * below
    return shrinkage, slope**2 / (2.0 * dim * below * variance)


@kernel
def _chi_square(cut, dim):
    """P_d, P_(d+2), P_(d+4) and p_d at the square of ``cut``.

    From P_1 or P_2 upwards: ``P_(d+2) = P_d - 2 (x/d) p_d`` and
    ``p_(d+2) = (x/d) p_d``, with x the square of the cut.
    """
    half = 0.5 * cut**2
    tail = math.exp(-half)
    if dim == 1:
        density = tail / (math.sqrt(2.0 * math.pi) * cut)
        below = math.erf(cut / math.sqrt(2.0))
        below2 = below - 2.0 * cut**2 * density
        return below, below2, below2 - 2.0 * cut**4 * density / 3.0, density
    if dim == 2:
        below = 1.0 - tail
        below2 = below - half * tail
        return below, below2, below2 - 0.5 * half**2 * tail, 0.5 * tail
    if dim % 2 == 1:
        density = tail / (math.sqrt(2.0 * math.pi) * cut)
        below = math.erf(cut / math.sqrt(2.0))
        d = 1
    else:
        density, below, d = 0.5 * tail, 1.0 - tail, 2
    while d < dim:
        below -= 2.0 * cut**2 / d * density
        density *= cut**2 / d
        d += 2
    below2 = below - 2.0 * cut**2 / d * density
    below4 = below2 - 2.0 * cut**4 / (d * (d + 2)) * density
    return below, below2, below4, density
