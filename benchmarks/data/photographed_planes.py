"""Planes of photographs: real pairs without the matches that are off their plane.

What is left of a pair are the inliers of its best homography and all that is wrong, so
that noise, places and outliers are those of detectors and matchers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.data.pair import Array, Pair, Pose, cross_matrix
from benchmarks.data.splits import load_pair, pair_ids, regimes_of
from cvscore import estimate_homography
from cvscore.models.sampson import sampson_residuals

MIN_ON_PLANE = 50
WRONG = 8.0  # pixels from the true epipolar geometry


def planes_of_photographs(num: int) -> Iterator[Pair]:
    """Yield the planes of ``num`` pairs of each set of photographs that is here."""
    for regime in regimes_of("E", "real"):
        for pair_id in pair_ids("E", regime, "real", num):
            pair = load_pair("E", regime, "real", pair_id)
            found = estimate_homography(pair.x1, pair.x2)
            if found.num_inliers < MIN_ON_PLANE:
                continue
            rows = found.inliers | (_distances(pair) > WRONG)
            x1, x2 = pair.x1[rows], pair.x2[rows]
            yield replace(pair, x1=x1, x2=x2, is_inlier=found.inliers[rows])


def _distances(pair: Pair) -> Array:
    """Return Sampson distances (N,) from the true epipolar lines, pixels."""
    assert isinstance(pair.truth, Pose)
    E = cross_matrix(pair.truth.t) @ pair.truth.R
    F = np.linalg.inv(pair.K2).T @ E @ np.linalg.inv(pair.K1)
    points = np.ascontiguousarray(np.hstack([pair.x1, pair.x2]).T)
    return np.sqrt(sampson_residuals(F[None], points)[0])
