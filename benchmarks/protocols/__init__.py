"""How far an answer is from the truth: one number per fit, infinite on failure."""

from __future__ import annotations

import math

from benchmarks.data.pair import Fit, Pair, Pose
from benchmarks.protocols.homography import transfer_error
from benchmarks.protocols.relative_pose import pose_error


def error_of(pair: Pair, fit: Fit | None) -> float:
    """Degrees for E and F, pixels for H; ``inf`` when there is no answer."""
    if fit is None:
        return math.inf
    if isinstance(pair.truth, Pose):
        return pose_error(pair, fit)
    return transfer_error(pair, fit)
