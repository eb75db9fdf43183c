"""Which matches are kept: those that may be right, beside their rivals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cvscore._kernel import kernel
from cvscore.types import Array, Mask

# A match is dropped where the odds are so much against it.  Mappers do without wrong
# matches that are left over, since they see every point from more than two sides, but
# they can't do without right ones.
MAX_ODDS_AGAINST = 100.0
# As good as certain, and small enough to be added up.
MAX_LOG_ODDS = 50.0


def may_be_right(log_odds: Array, keypoints: NDArray[np.int64]) -> Mask:
    """Return which matches are not to be ruled out, if a keypoint has one right match.

    Parameters
    ----------
    log_odds : (N,) array
        That a match is right, by itself, against chance.
    keypoints : (N, 2) array
        Of the two images.  Of all matches of a keypoint at most one is right, so that
        the odds of a match are lowered by those of its rivals.
    """
    mask: Mask = _label(log_odds, keypoints)
    return mask


@kernel
def _label(log_odds, keypoints):
    num = log_odds.shape[0]
    odds, rivals = np.empty(num), np.zeros(num)
    for i in range(num):
        odds[i] = math.exp(min(log_odds[i], MAX_LOG_ODDS))
    for image in range(2):
        total = np.zeros(keypoints[:, image].max() + 1)
        for i in range(num):
            total[keypoints[i, image]] += odds[i]
        for i in range(num):
            rivals[i] += total[keypoints[i, image]] - odds[i]
    return MAX_ODDS_AGAINST * odds > 1.0 + rivals
