"""Error of a map: mean distance at the corners of what it maps."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.data.pair import Corners, Fit, Pair


def corner_error(pair: Pair, fit: Fit) -> float:
    """Mean distance between A x1 + t and the true x2, in the unit of the truth."""
    assert isinstance(pair.truth, Corners)
    mapped = pair.truth.points1 @ fit.model[:, :-1].T + fit.model[:, -1]
    distances = np.linalg.norm(mapped - pair.truth.points2, axis=1)
    error = float(np.mean(distances)) / pair.truth.unit
    return error if math.isfinite(error) else math.inf
