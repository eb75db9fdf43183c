"""How far an answer is from the truth: one number per fit, infinite on failure."""

from __future__ import annotations

import math
from collections.abc import Callable

from benchmarks.data.pair import Corners, Fit, Pair, Placement, Pose, Transfer
from benchmarks.protocols.absolute_pose import placement_error
from benchmarks.protocols.homography import transfer_error
from benchmarks.protocols.point_map import corner_error
from benchmarks.protocols.relative_pose import pose_error

# By what is known of the truth.
ERRORS: dict[type, Callable[[Pair, Fit], float]] = {
    Pose: pose_error,
    Transfer: transfer_error,
    Corners: corner_error,
    Placement: placement_error,
}


def error_of(pair: Pair, fit: Fit | None) -> float:
    """In the unit of the pair's problem; ``inf`` when there is no answer."""
    return math.inf if fit is None else ERRORS[type(pair.truth)](pair, fit)
