"""How far along its epipolar line a match is, as evidence that it is right.

Right matches are where the scene is, which of an epipolar line is a part; chance is
anywhere on it.  How much more often right matches are in some part than chance is
learned from the pair itself.  Parts are such that chance is in each as often, and the
scene is where matches are that fulfil the epipolar geometry, as far as that is believed
of them.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.models.sampson import sampson_residuals
from cvscore.models.triangulation import parallax_of
from cvscore.numerics.quickselect import move_smallest_first
from cvscore.numerics.shell_sort import sort_first

# Fine enough to see where a scene begins and ends, coarse enough to fill most parts.
NUM_PARTS = 16
# Added to the count of right matches in each part: the prior of Jeffreys.
PRIOR_COUNT = 0.5
# Re-drawn matches closest to their epipolar lines, of which the parts are quantiles.
NUM_BY_CHANCE = 400


@kernel
def depth_log_ratios(redrawn, F, K1, K2, R, t, turns, beliefs):
    """Return how much likelier (N,) than chance right matches are where these are.

    Parameters
    ----------
    redrawn : (4, M) array
        Matches by chance.
    F : (3, 3) array
        Fundamental matrix.
    K1, K2, R, t
        Camera matrices, and camera 2 from camera 1.
    turns : (N,) array
        Where the matches are, see `cvscore.models.triangulation.Parallax`.
    beliefs : (N,) array
        Probability of each that it is right.
    """
    if redrawn.shape[1] > NUM_BY_CHANCE:
        sq_residuals = sampson_residuals(F.reshape((1, 3, 3)), redrawn)[0]
        smallest = sq_residuals.copy()
        move_smallest_first(smallest, NUM_BY_CHANCE)
        closest = np.flatnonzero(sq_residuals <= smallest[NUM_BY_CHANCE - 1])
        redrawn = redrawn[:, closest]
    num_by_chance = redrawn.shape[1]
    by_chance = np.empty(num_by_chance)
    sort_first(parallax_of(redrawn, K1, K2, R, t).turns, num_by_chance, by_chance)
    part_of = np.zeros(turns.shape[0], dtype=np.int64)
    counts, total = np.empty(NUM_PARTS), NUM_PARTS * PRIOR_COUNT
    for k in range(NUM_PARTS):
        counts[k] = PRIOR_COUNT
    for i in range(turns.shape[0]):
        for k in range(1, NUM_PARTS):
            part_of[i] += turns[i] > by_chance[k * num_by_chance // NUM_PARTS]
        counts[part_of[i]] += beliefs[i]
        total += beliefs[i]
    ratios = np.empty(turns.shape[0])
    for i in range(turns.shape[0]):
        ratios[i] = math.log(counts[part_of[i]] * (NUM_PARTS / total))
    return ratios
