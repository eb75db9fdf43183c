"""How likely matches are right if a keypoint has at most one right match.

Matches are the edges of a graph whose nodes are the keypoints of both images, and right
ones share no node: a matching.  If a match that stands alone is right at odds w, a set
of right matches has a weight that is the product of theirs.  Then match e = (u, v) is
right at odds

    w_e free(u, e) free(v, e),    free(u, e) = 1 / (1 + sum_f w_f free(v', f)),

where f = (u, v') are the other matches of u, and free(u, e) is the probability that u
is free if e is not there.  This is exact where the graph has no cycles, as it mostly
is, and a good approximation where it has.

That a rival has a rival of its own matters: a wrong match takes the place of two right
ones, and together these beat it even if it alone fits better than either of them.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import kernel

# As good as certain, and so small that a sum of odds still has those of a doubtful
# match in its digits.
MAX_LOG_ODDS = 30.0
# Messages settle in as many rounds as a chain of rivals is long, mostly two or three.
MAX_MATCHING_ROUNDS = 30
SETTLED = 1e-4


@kernel
def odds_among_rivals(log_odds, keypoints):
    """Return the odds (N,) that each match is right, given its rivals.

    Parameters
    ----------
    log_odds : (N,) array
        That a match is right, if it had no rivals.
    keypoints : (N, 2) array of int
        Of the two images.
    """
    num = log_odds.shape[0]
    odds = np.empty(num)
    for i in range(num):
        odds[i] = math.exp(min(log_odds[i], MAX_LOG_ODDS))
    free = np.ones((2, num))
    for _ in range(MAX_MATCHING_ROUNDS):
        change = 0.0
        for image in range(2):
            one_round = _free(odds * free[1 - image], keypoints[:, image])
            for i in range(num):
                change = max(change, abs(one_round[i] - free[image, i]))
                free[image, i] = one_round[i]
        if change < SETTLED:
            break
    return odds * free[0] * free[1]


@kernel
def _free(odds, keypoints):
    """Return how likely (N,) the keypoint of each match is free of all others."""
    total = np.zeros(_num_keypoints(keypoints))
    count = np.zeros(total.shape[0], dtype=np.int64)
    for i in range(odds.shape[0]):
        total[keypoints[i]] += odds[i]
        count[keypoints[i]] += 1
    free = np.ones(odds.shape[0])
    for i in range(odds.shape[0]):
        # One match alone would otherwise leave rounding errors.
        if count[keypoints[i]] > 1:
            free[i] = 1.0 / (1.0 + max(total[keypoints[i]] - odds[i], 0.0))
    return free


@kernel
def _num_keypoints(keypoints):
    """Return one more than the largest number of a keypoint (N,)."""
    num = 0
    for keypoint in keypoints:
        num = max(num, keypoint + 1)
    return num


@kernel
def likeliest_of_keypoints(odds, keypoints):
    """Return which matches (N,) are the likeliest of both their keypoints.

    Of equals, as keypoints at the same place have them, it is the first.
    """
    num = odds.shape[0]
    is_likeliest = np.ones(num, dtype=np.bool_)
    for image in range(2):
        best = np.full(_num_keypoints(keypoints[:, image]), -1)
        for i in range(num):
            rival = best[keypoints[i, image]]
            if rival < 0 or odds[i] > odds[rival]:
                best[keypoints[i, image]] = i
        for i in range(num):
            is_likeliest[i] &= best[keypoints[i, image]] == i
    return is_likeliest
