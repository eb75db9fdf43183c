"""kornia's RANSAC on one CPU thread; E on normalised points."""

from __future__ import annotations

import numpy as np

from benchmarks.data.pair import Fit, Pair
from benchmarks.methods.method import Method, Settings, fit_of
from benchmarks.protocols.relative_pose import normalised

THRESHOLDS = {"H": 2.0, "F": 2.0, "E": 2.0}  # inl_th
MODELS = {"H": "homography", "F": "fundamental", "E": "essential"}


def run(pair: Pair, settings: Settings) -> Fit | None:
    """Estimate with ``kornia.geometry.ransac.RANSAC``."""
    import torch
    from kornia.geometry.ransac import RANSAC

    torch.set_num_threads(1)
    x1, x2, threshold = pair.x1, pair.x2, settings.threshold
    if pair.problem == "E":
        x1, x2 = normalised(x1, pair.K1), normalised(x2, pair.K2)
        threshold /= np.mean([pair.K1[0, 0], pair.K2[0, 0]])
    estimator = RANSAC(
        MODELS[pair.problem],
        inl_th=threshold,
        confidence=settings.confidence,
        max_samples=settings.max_iterations,
        seed=settings.seed,
    )
    try:
        with torch.inference_mode():
            model, inliers = estimator(torch.from_numpy(x1), torch.from_numpy(x2))
    except (RuntimeError, ValueError):  # too few matches, or a singular system
        return None
    return fit_of(model.numpy(), inliers.numpy())


METHODS = [Method("kornia", "kornia", "kornia", run, THRESHOLDS)]
