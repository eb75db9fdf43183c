"""The half-width that the matches around a model ask for, once there is a model.

While it searches, the score takes wrong matches to be spread over a band that is narrow
on purpose: a wider one would buy models with few right matches and many wrong ones.
Noise that is not small against that band is then cut off close to its middle, and with
the right matches beyond the cut a part of the noise scale is lost.

But around a given model both can be counted: a Gaussian and a uniform density are
fitted to the residuals within a few noise scales, no farther, for wrong matches are
denser here than there.  Where ``k`` right ones have the density ``k N(r; s)`` and wrong
ones the density ``g``, a match is likelier to be right as long as ``k N(r; s) > g``; to
the score it is, as long as ``N(r; s) > (2 a)**-d``.  The two agree at

    (2 a)**d = k / g.

So, where the cut leaves out right matches: count, widen, climb, and count again.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.inference.fit_summary import summarise_fit
from cvscore.inference.inlier_mixture import fit_mixture
from cvscore.inference.null_density import ball_volume
from cvscore.ransac.local_optimization import optimise_from
from cvscore.ransac.objective import Candidate, Objective
from cvscore.types import Array

# Noise scales that hold 97.5 % of right matches, for 0, 1, 2 ... constraints: a cut
# beyond them leaves nothing out that matters.
FULL_CUTS = (0.0, 2.241, 2.716, 3.058, 3.338, 3.582, 3.801)
# Matches are counted within so many noise scales: nearly all right ones, and as many
# wrong ones again where half of all are wrong.
REACH = 4.0
# The scale of what was cut off is too small to begin with.
FIRST_GUESS = 2.0
FIRST_SHARE = 0.7
MAX_FITS = 8
SETTLED_SCALE = 0.02  # relative change that ends the fits
MAX_WIDENINGS = 3
SETTLED_WIDTH = 0.05  # relative change of the half-width that ends it


def widen_outlier_width(
    objective: Objective, candidate: Candidate
) -> tuple[Objective, Candidate]:
    """Give the score the half-width that suits what surrounds a model (a step).

    Where the score says how far it may be widened, and its cut leaves out right
    matches; else nothing changes.
    """
    narrowest, widest = objective.score.half_width, objective.score.max_half_width
    if narrowest is None or widest is None:
        return objective, candidate
    dim, width = objective.model.residual_dim, narrowest
    for _ in range(MAX_WIDENINGS):
        summary = summarise_fit(objective, candidate, 1.0)
        if not leaves_out(summary.threshold, summary.noise.scale, dim):
            break
        suitable = half_width_around(candidate.sq_residuals, dim, summary.noise.scale)
        suitable = min(max(suitable, narrowest), widest)
        if abs(suitable - width) <= SETTLED_WIDTH * width:
            break
        wider = objective.with_score(objective.score.with_half_width(suitable))
        optimised = optimise_from(wider, candidate.model)
        if optimised is None:
            break
        objective, candidate, width = wider, optimised, suitable
    return objective, candidate


@kernel
def is_cut_short(labels, dim):
    """Whether the cut of a labelled row leaves out right matches."""
    if not labels.shape > 0.0:
        return False
    return leaves_out(labels.threshold, np.sqrt(labels.rate / labels.shape), dim)


@brief_kernel
def leaves_out(cut, scale, dim):
    """Whether a cut leaves out right matches whose noise has this scale."""
    return scale > 0.0 and cut < FULL_CUTS[dim] * scale


def half_width_around(sq_residuals: Array, dim: int, scale: float) -> float:
    """Return the half-width that suits residuals (N,).

    ``scale`` is that of the right ones, as far as they were not cut off.
    """
    guess = FIRST_GUESS * scale
    num_right, num_wrong, volume = _count(sq_residuals, dim, guess)
    return float(0.5 * (volume * num_right / num_wrong) ** (1.0 / dim))


@kernel
def _count(sq_residuals, dim, scale):
    """Return how many matches are right and wrong around a model, and in what volume.

    ``scale`` is a guess at that of the right ones.
    """
    num, share, volume = 0, 1.0, 1.0
    for _ in range(MAX_FITS):
        near = sq_residuals[sq_residuals <= (REACH * scale) ** 2]
        num, volume = near.shape[0], ball_volume(REACH * scale, dim)
        if num == 0:
            break
        found = fit_mixture(near, dim, 1.0 / volume, FIRST_SHARE, scale)
        share, fitted = found.share, found.scale
        change = abs(fitted - scale)
        scale = fitted
        if change <= SETTLED_SCALE * scale:
            break
    # One more is always to be reckoned with.
    return max(share * num, 1.0), (1.0 - share) * num + 1.0, volume
