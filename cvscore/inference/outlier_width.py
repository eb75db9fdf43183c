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

import math
from collections.abc import Callable

from cvscore._numba.compile import kernel
from cvscore.inference.null_density import ball_volume
from cvscore.inference.fit_summary import conclude
from cvscore.inference.inlier_mixture import find_membership
from cvscore.ransac.objective import Candidate, Objective
from cvscore.ransac.loop import climb_from
from cvscore.types import Array, Score

# Noise scales that hold 97.5 % of right matches, for 1 and 2 constraints: a cut beyond
# them leaves nothing out that matters.
FULL_CUTS = (math.nan, 2.241, 2.716)
# Matches are counted within so many noise scales: nearly all right ones, and as many
# wrong ones again where half of all are wrong.
REACH = 4.0
# The scale of what was cut off is too small to begin with.
FIRST_GUESS = 2.0
FIRST_SHARE = 0.7
MAX_FITS = 8
SETTLED_SCALE = 0.02  # relative change that ends the fits
# Of the half-width at the start.  A band four times as wide, a tenth of the extent, is
# as wide as serves any problem.
MAX_WIDENING = 4.0
MAX_ROUNDS = 3
SETTLED = 0.05  # relative change of the half-width that ends it


def widen(
    objective: Objective,
    best: Candidate,
    half_width: float,
    score_with: Callable[[float], Score],
) -> tuple[Objective, Candidate]:
    """Return an objective whose half-width suits what surrounds a model, and the model.

    Parameters
    ----------
    objective : Objective
        What the model was found with.
    best : Candidate
        The model.
    half_width : float
        The narrowest, that of the objective.
    score_with : callable
        Gives its score with another half-width.
    """
    model, width = objective.model, half_width
    dim = model.residual_dim
    for _ in range(MAX_ROUNDS):
        said = conclude(objective, best, 1.0)
        scale = said.noise.scale
        if not (scale > 0.0 and said.threshold < FULL_CUTS[dim] * scale):
            break
        asked = half_width_around(best.sq_residuals, dim, scale)
        asked = min(max(asked, half_width), MAX_WIDENING * half_width)
        if abs(asked - width) <= SETTLED * width:
            break
        wider = Objective(model, objective.points, score_with(asked))
        climbed = climb_from(wider, best.model)
        if climbed is None:
            break
        objective, best, width = wider, climbed, asked
    return objective, best


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
        given = near, dim, 1.0 / volume, FIRST_SHARE, scale
        share, fitted, _, _ = find_membership(*given)
        change = abs(fitted - scale)
        scale = fitted
        if change <= SETTLED_SCALE * scale:
            break
    # One more is always to be reckoned with.
    return max(share * num, 1.0), (1.0 - share) * num + 1.0, volume
