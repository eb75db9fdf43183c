"""Which matches are kept: those that may be right, and few that rival each other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cvscore._kernel import kernel
from cvscore.types import Array, Mask

# A match that chance may have made is kept unless the odds are so much against it: the
# mapper sees every point from more than two sides, and finds out.
MAX_ODDS_AGAINST = 10.0
# So are matches that chance, or a rival, has made likelier by more, while this share of
# all that are kept is believed to be wrong (a third of it is, where it was measured).
# Rivals join two points to one track, which has then two places in an image and is of
# no use to a mapper: few do not matter to it, but many leave it without tracks.
MAX_BELIEVED_WRONG = 0.06
MAX_ODDS_OF_CHANCE = 100.0
MAX_ODDS_OF_RIVALS = 10.0
# As good as certain, and small enough to be added up.
MAX_LOG_ODDS = 50.0


def may_be_right(log_odds: Array, keypoints: NDArray[np.int64]) -> Mask:
    """Return which matches to keep.

    Of every keypoint the likeliest, and others as long as few are wrong.

    Parameters
    ----------
    log_odds : (N,) array
        That a match is right, by itself, against chance.
    keypoints : (N, 2) array
        Of the two images.
    """
    odds, rivals = _odds_and_rivals(log_odds, keypoints)
    kept: Mask = (MAX_ODDS_AGAINST * odds > 1.0) & (odds > rivals)
    may_follow = MAX_ODDS_OF_CHANCE * odds > 1.0
    may_follow &= (MAX_ODDS_OF_RIVALS * odds > rivals) & ~kept
    doubts = (1.0 + rivals) / (1.0 + odds + rivals)
    followers = np.flatnonzero(may_follow)
    followers = followers[np.argsort(doubts[followers])]
    num_wrong = doubts[kept].sum() + np.cumsum(doubts[followers])
    num_kept = np.count_nonzero(kept) + np.arange(1, len(followers) + 1)
    kept[followers[num_wrong <= MAX_BELIEVED_WRONG * num_kept]] = True
    return kept


def beliefs(log_odds: Array, keypoints: NDArray[np.int64]) -> Array:
    """Return the probability (N,) that each match is right, if a keypoint has one."""
    odds, rivals = _odds_and_rivals(log_odds, keypoints)
    shares: Array = odds / (1.0 + odds + rivals)
    return shares


@kernel
def _odds_and_rivals(log_odds, keypoints):
    """Odds (N,) of matches, and the sum of those of others of their keypoints."""
    num = log_odds.shape[0]
    odds, rivals = np.empty(num), np.zeros(num)
    for i in range(num):
        odds[i] = math.exp(min(log_odds[i], MAX_LOG_ODDS))
    for image in range(2):
        total = np.zeros(keypoints[:, image].max() + 1)
        count = np.zeros(total.shape[0], dtype=np.int64)
        for i in range(num):
            total[keypoints[i, image]] += odds[i]
            count[keypoints[i, image]] += 1
        for i in range(num):
            if count[keypoints[i, image]] > 1:
                rivals[i] += max(total[keypoints[i, image]] - odds[i], 0.0)
    return odds, rivals
