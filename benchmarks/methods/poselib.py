"""PoseLib's LO-RANSAC, as it comes and without its minimum of 1,000 iterations."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.data.pair import Array, Fit, Pair, cross_matrix
from benchmarks.methods.method import Method, Settings, fit_of

# max_reproj_error, max_epipolar_error
THRESHOLDS = {"H": 12.0, "F": 1.0, "E": 1.0, "PnP": 12.0}
DEFAULT_MIN_ITERATIONS = 1000
# Enough to leave the stopping rule in charge.
FAST_MIN_ITERATIONS = 50


def camera(K: Array, size: tuple[float, float]) -> dict:
    """Return PoseLib's dictionary of a pinhole camera."""
    return {
        "model": "PINHOLE",
        "width": round(size[0]),
        "height": round(size[1]),
        "params": [K[0, 0], K[1, 1], K[0, 2], K[1, 2]],
    }


def run(pair: Pair, settings: Settings, min_iterations: int) -> Fit | None:
    """Estimate with the ``estimate_*`` function of the pair's problem."""
    import poselib

    has_reprojections = pair.problem in ("H", "PnP")
    key = "max_reproj_error" if has_reprojections else "max_epipolar_error"
    options = {
        key: settings.threshold,
        "max_iterations": settings.max_iterations,
        "min_iterations": min(min_iterations, settings.max_iterations),
        "success_prob": settings.confidence,
        "seed": settings.seed,
    }
    if pair.problem == "PnP":
        pose, info = poselib.estimate_absolute_pose(
            pair.x1, pair.x2, camera(pair.K1, pair.size1), options, {}
        )
        return fit_of(np.column_stack([pose.R, pose.t]), info["inliers"], (3, 4))
    if pair.problem == "H":
        model, info = poselib.estimate_homography(pair.x1, pair.x2, options, {})
    elif pair.problem == "F":
        model, info = poselib.estimate_fundamental(pair.x1, pair.x2, options, {})
    else:
        pose, info = poselib.estimate_relative_pose(
            pair.x1,
            pair.x2,
            camera(pair.K1, pair.size1),
            camera(pair.K2, pair.size2),
            options,
            {},
        )
        model = cross_matrix(np.asarray(pose.t)) @ np.asarray(pose.R)
    return fit_of(model, info["inliers"])


METHODS = [
    Method(name, "poselib", "poselib", partial(run, min_iterations=least), THRESHOLDS)
    for name, least in [
        ("poselib", DEFAULT_MIN_ITERATIONS),
        ("poselib fast", FAST_MIN_ITERATIONS),
    ]
]
