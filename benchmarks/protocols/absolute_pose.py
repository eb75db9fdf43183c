"""Error of an absolute pose: the larger of degrees and per cent of the depth."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.data.pair import Fit, Pair, Placement
from benchmarks.protocols.relative_pose import rotation_angle


def placement_error(pair: Pair, fit: Fit) -> float:
    """Larger of the angle of rotation in degrees and the shift in per cent of depth."""
    truth = pair.truth
    assert isinstance(truth, Placement)
    R, t = fit.model[:, :3], fit.model[:, 3]
    shift = np.linalg.norm(R.T @ t - truth.R.T @ truth.t)
    error = max(rotation_angle(R @ truth.R.T), 100.0 * float(shift) / truth.depth)
    return error if math.isfinite(error) else math.inf
