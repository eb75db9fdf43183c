"""Which matches are kept: those that may be right, and only one for each keypoint."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.models.triangulation import are_behind, median_angle, parallax_of
from cvscore.two_view.labelling.depth_evidence import depth_log_ratios
from cvscore.two_view.labelling.one_to_one import (
    likeliest_of_keypoints,
    odds_among_rivals,
)
from cvscore.two_view.model_selection import Matches
from cvscore.types import Array, Mask, Pose

# A match that chance may have made is kept unless the odds are so much against it: the
# mapper sees every point from more than two sides, and finds out.
MAX_ODDS_AGAINST = 20.0


def label_matches(
    log_odds: Array,
    keypoints: NDArray[np.int64],
    points: Array,
    cameras: tuple[Array, Array],
    pose: Pose,
) -> tuple[Mask, float]:
    """Choose matches of a plane or of a rotation.

    Parameters
    ----------
    log_odds : (N,) array
        That a match is right, by itself, against chance.
    keypoints : (N, 2) array
        Of the two images.
    points : (4, N) array
        Pixels.
    cameras, pose
        Camera matrices, and camera 2 from camera 1.

    Returns
    -------
    inliers : (N,) bool array
    tri_angle : float
        Their median triangulation angle, radians; -1 without inliers.
    """
    return _label(log_odds, keypoints, points, *cameras, pose.R, pose.t)


def label_matches_in_depth(
    log_odds: Array,
    keypoints: NDArray[np.int64],
    matches: Matches,
    cameras: tuple[Array, Array],
    pose: Pose,
    F: Array,
    tolerance: float,
) -> tuple[Mask, float]:
    """Choose matches of a general scene, which has points where they are visible.

    Parameters and result are those of `label_matches`; ``F`` is the fundamental matrix,
    and ``tolerance`` how many pixels noise may put a match behind a camera.
    """
    among = keypoints, matches.points, matches.redrawn
    return _label_in_depth(log_odds, *among, *cameras, pose.R, pose.t, F, tolerance)


@brief_kernel
def _label(log_odds, keypoints, points, K1, K2, R, t):
    inliers = may_be_right(log_odds, keypoints)
    angles = parallax_of(points, K1, K2, R, t).angles
    return inliers, median_angle(angles, inliers)


@kernel
def _label_in_depth(log_odds, keypoints, points, redrawn, K1, K2, R, t, F, tolerance):
    parallax = parallax_of(points, K1, K2, R, t)
    behind = are_behind(parallax, tolerance)
    possible = np.empty(log_odds.shape[0])
    for i in range(log_odds.shape[0]):
        possible[i] = -np.inf if behind[i] else log_odds[i]
    right = beliefs(possible, keypoints)
    place = redrawn, F, K1, K2, R, t, parallax.turns
    inliers = may_be_right(possible + depth_log_ratios(*place, right), keypoints)
    return inliers, median_angle(parallax.angles, inliers)


@brief_kernel
def may_be_right(log_odds, keypoints):
    """Return which matches to keep (N,), of every keypoint at most one.

    Two matches of a keypoint would join two points to one track, which has then two
    places in an image and is of no use to a mapper.  So the likelier has to win.
    """
    odds = odds_among_rivals(log_odds, keypoints)
    is_likeliest = likeliest_of_keypoints(odds, keypoints)
    return (MAX_ODDS_AGAINST * odds > 1.0) & is_likeliest


@kernel
def beliefs(log_odds, keypoints):
    """Return the probability (N,) that each match is right, if a keypoint has one."""
    odds = odds_among_rivals(log_odds, keypoints)
    return odds / (1.0 + odds)
