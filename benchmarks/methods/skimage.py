"""scikit-image's `ransac` with its geometric transforms."""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks.data.pair import Fit, Pair
from benchmarks.methods.method import Method, Settings, fit_of

# It has no default; its gallery takes 2 pixels.  Of space three times the noise.
THRESHOLDS = {
    "affine2d": 2.0,
    "similarity2d": 2.0,
    "rigid2d": 2.0,
    "affine3d": 3.0,
    "similarity3d": 3.0,
    "rigid3d": 3.0,
}
TRANSFORMS = {
    "affine": "AffineTransform",
    "similarity": "SimilarityTransform",
    "rigid": "EuclideanTransform",
}
SAMPLE_SIZES = {"affine2d": 3, "similarity2d": 2, "rigid2d": 2, "affine3d": 4}


def run(pair: Pair, settings: Settings) -> Fit | None:
    """Estimate with ``skimage.measure.ransac``."""
    from skimage import transform
    from skimage.measure import ransac

    kind, dim = pair.problem[:-2], pair.x1.shape[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about samples that are degenerate
        model, inliers = ransac(
            (pair.x1, pair.x2),
            getattr(transform, TRANSFORMS[kind]),
            min_samples=SAMPLE_SIZES.get(pair.problem, 3),
            residual_threshold=settings.threshold,
            max_trials=settings.max_iterations,
            stop_probability=settings.confidence,
            rng=np.random.default_rng(settings.seed),
        )
    if not model:
        return None
    return fit_of(np.asarray(model.params)[:dim], inliers, (dim, dim + 1))


METHODS = [Method("skimage", "scikit-image", "skimage", run, THRESHOLDS)]
