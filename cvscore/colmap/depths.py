"""How far along its epipolar line a match is, as evidence that it is right.

Right matches are where the scene is, which of an epipolar line is a part; chance is
anywhere on it.  How much more often right matches are in some part than chance is
learned from the pair itself.  Parts are such that chance is in each as often, and the
scene is where matches are that fulfil the epipolar geometry, as far as that is believed
of them.
"""

from __future__ import annotations

import numpy as np

from cvscore.kinds import Matches
from cvscore.models._epipolar import sampson_residuals
from cvscore.parallax import Parallax, parallax_of
from cvscore.types import Array, Pose

# Fine enough to see where a scene begins and ends, coarse enough to fill most parts.
NUM_PARTS = 16
# Added to the count of right matches in each part: the prior of Jeffreys.
PRIOR_COUNT = 0.5
# Re-drawn matches closest to their epipolar lines, of which the parts are quantiles.
NUM_BY_CHANCE = 400


def depth_log_ratios(
    matches: Matches,
    F: Array,
    cameras: tuple[Array, Array],
    pose: Pose,
    parallax: Parallax,
    beliefs: Array,
) -> Array:
    """Return how much likelier (N,) than chance right matches are where these are.

    Parameters
    ----------
    matches : Matches
        N of them.
    F : (3, 3) array
        Fundamental matrix.
    cameras, pose
        Camera matrices, and camera 2 from camera 1.
    parallax : Parallax
        Where the matches are.
    beliefs : (N,) array
        Probability of each that it is right.
    """
    redrawn = matches.redrawn
    if redrawn.shape[1] > NUM_BY_CHANCE:
        sq_residuals = sampson_residuals(F[None], redrawn)[0]
        closest = np.argpartition(sq_residuals, NUM_BY_CHANCE)[:NUM_BY_CHANCE]
        redrawn = np.ascontiguousarray(redrawn[:, closest])
    by_chance = np.sort(parallax_of(redrawn, *cameras, pose).turns)
    steps = np.arange(1, NUM_PARTS) * len(by_chance) // NUM_PARTS
    part_of = np.searchsorted(by_chance[steps], parallax.turns)
    counts = np.bincount(part_of, weights=beliefs, minlength=NUM_PARTS) + PRIOR_COUNT
    log_ratios: Array = np.log(counts * (NUM_PARTS / counts.sum()))[part_of]
    return log_ratios
