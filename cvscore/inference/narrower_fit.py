"""Whether a narrower fit among the inliers of a model is likelier than the model.

Where few matches are right, near misses may outnumber them, and then the score is best
with a model that lies between both, at the scale of the near misses.  The model of the
right matches alone fits fewer of them, but these much closer.  Which of the two it is,
the residuals of all matches about both models tell.  About either they are a mixture of
noise, of near misses, and of chance in the band of half-width a that the score takes:

    w N(r; s) + v N(r; t) + (1 - w - v) (2 a)**-d,        t at least `MIN_MISS` s,

with the shares and scales of largest likelihood L.  A model that is fitted to them has
as many residuals as it has parameters, n, that are zero for nothing, and their density
is left out, as S(k) does.  Near misses are two parameters more, worth half log N each
(Schwarz 1978).  So up to what both have in common,

    evidence = log L + n log s - log N,

without the last term where there are no near misses (v = 0), as there may be none about
the wider model.  Both were searched for, so that the number of samples does not enter.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.inference.inlier_mixture import fit_mixture
from cvscore.inference.narrower_group import fit_group


@kernel
def evidence_difference(
    of_wider, of_narrower, scales, num_inliers, dim, num_params, half_width, least
):
    """Return the log evidence of the narrower fit less that of the wider one, in nats.

    Parameters
    ----------
    of_wider, of_narrower : (N,) arrays
        Squared residuals of the same matches about both.
    scales : (float, float)
        Noise scale of the wider fit, and of the narrower one.
    num_inliers : float
        Of the wider fit.
    dim, num_params : int
        Constraints per match, and parameters of a model.
    half_width : float
        Of the band that wrong matches are spread over.
    least : float
        Variance of rounding errors.
    """
    finite = np.isfinite(of_wider) & np.isfinite(of_narrower)
    of_wider, of_narrower = of_wider[finite], of_narrower[finite]
    wide, narrow = scales
    share = min(num_inliers / max(of_wider.shape[0], 1), 0.9)
    counts = dim, num_params
    band = share, half_width, least
    of_first = max(
        _evidence(of_wider, wide, *counts, share, half_width),
        _evidence_with_misses(of_wider, wide, half_width, *counts, *band),
        _evidence_with_misses(of_wider, narrow, wide, *counts, *band),
    )
    of_second = _evidence_with_misses(of_narrower, narrow, wide, *counts, *band)
    return of_second - of_first


@kernel
def _evidence(sq_residuals, scale, dim, num_params, share, half_width):
    """Evidence of noise and chance over chance alone, beginning at share and scale."""
    chance = 1.0 / (2.0 * half_width) ** dim
    found = fit_mixture(sq_residuals, dim, chance, share, scale)
    if dim * found.share * sq_residuals.shape[0] > num_params:
        scale = found.scale  # and else no noise was found
    return found.log_likelihood + num_params * math.log(scale)


@kernel
def _evidence_with_misses(
    sq_residuals, scale, miss, dim, num_params, share, half_width, least
):
    """Evidence of noise, near misses and chance, beginning at scales of the first two.

    Minus infinity where there is no such noise.
    """
    num, chance = sq_residuals.shape[0], 1.0 / (2.0 * half_width) ** dim
    density = np.full(num, (1.0 - share) * chance)
    start = max(scale * scale, least)
    given = sq_residuals, density, dim, num_params
    found = fit_group(*given, start, miss * miss, share, least)
    if not found.num_right > 0.0:
        return -np.inf
    gain = found.log_likelihood - num * math.log(chance)
    return gain + 0.5 * num_params * math.log(found.variance) - math.log(num)
