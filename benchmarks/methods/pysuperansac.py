"""SupeRANSAC as it comes, but for uniform samples: the matches have no order here."""

from __future__ import annotations

import numpy as np

from benchmarks.data.pair import Fit, Pair
from benchmarks.methods.method import Method, Settings, fit_of

THRESHOLDS = {"H": 1.5, "F": 1.5, "E": 1.5}  # RANSACSettings.inlier_threshold


def run(pair: Pair, settings: Settings) -> Fit | None:
    """Estimate with ``estimate*`` of the pair's problem on rows of four coordinates."""
    import pysuperansac

    # Made afresh for each call: the library rescales the one it is given.
    config = pysuperansac.RANSACSettings()
    config.inlier_threshold = settings.threshold
    config.confidence = settings.confidence
    config.max_iterations = settings.max_iterations
    config.min_iterations = min(config.min_iterations, settings.max_iterations)
    config.sampler = pysuperansac.SamplerType.Uniform
    functions = {
        "H": pysuperansac.estimateHomography,
        "F": pysuperansac.estimateFundamentalMatrix,
        "E": pysuperansac.estimateEssentialMatrix,
    }
    intrinsics = (pair.K1, pair.K2) if pair.problem == "E" else ()
    try:
        model, indices, *_ = functions[pair.problem](
            np.ascontiguousarray(np.hstack([pair.x1, pair.x2])),
            *intrinsics,
            [*pair.size1, *pair.size2],
            config=config,
        )
    except (RuntimeError, ValueError):  # a point outside of the image, too few rows
        return None
    inliers = np.zeros(len(pair.x1), dtype=bool)
    inliers[np.asarray(indices, dtype=int)] = True
    return fit_of(model, inliers)


METHODS = [Method("pysuperansac", "pysuperansac", "pysuperansac", run, THRESHOLDS)]
