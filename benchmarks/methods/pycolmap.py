"""COLMAP's LO-RANSAC through pycolmap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.data.pair import Array, Fit, Pair
from benchmarks.methods.method import Method, Settings, fit_of

# RANSACOptions.max_error; of space three times the noise.
THRESHOLDS = {
    "H": 4.0,
    "F": 4.0,
    "E": 4.0,
    "PnP": 12.0,
    "affine2d": 4.0,
    "rigid3d": 3.0,
    "similarity3d": 3.0,
}
MAPS = {
    "affine2d": "estimate_affine2d_robust",
    "rigid3d": "estimate_rigid3d_robust",
    "similarity3d": "estimate_sim3d_robust",
}


def run(pair: Pair, settings: Settings) -> Fit | None:
    """Estimate with ``estimate_*_matrix`` of the pair's problem."""
    import pycolmap

    options = pycolmap.RANSACOptions()
    options.max_error = settings.threshold
    options.confidence = settings.confidence
    options.max_num_trials = settings.max_iterations
    options.min_num_trials = min(options.min_num_trials, settings.max_iterations)
    options.random_seed = settings.seed
    if pair.problem == "PnP":
        return _absolute_pose(pair, options)
    if pair.problem in MAPS:
        return _map(pair, getattr(pycolmap, MAPS[pair.problem]), options)
    if pair.problem == "H":
        answer = pycolmap.estimate_homography_matrix(pair.x1, pair.x2, options)
    elif pair.problem == "F":
        answer = pycolmap.estimate_fundamental_matrix(pair.x1, pair.x2, options)
    else:
        answer = pycolmap.estimate_essential_matrix(
            pair.x1,
            pair.x2,
            _camera(pair.K1, pair.size1),
            _camera(pair.K2, pair.size2),
            options,
        )
    if answer is None:
        return None
    return fit_of(answer[pair.problem], answer["inlier_mask"])


def _map(pair: Pair, function: Callable[..., Any], options: Any) -> Fit | None:
    answer = function(pair.x1, pair.x2, options)
    if answer is None:
        return None
    found = answer["tgt_from_src"]
    model = found if pair.problem == "affine2d" else found.matrix()
    return fit_of(model, answer["inlier_mask"], pair.model.shape)


def _absolute_pose(pair: Pair, options: Any) -> Fit | None:
    import pycolmap

    estimation = pycolmap.AbsolutePoseEstimationOptions()
    estimation.ransac = options
    answer = pycolmap.estimate_and_refine_absolute_pose(
        pair.x1, pair.x2, _camera(pair.K1, pair.size1), estimation
    )
    if answer is None:
        return None
    model = answer["cam_from_world"].matrix()
    return fit_of(model, answer["inlier_mask"], (3, 4))


def _camera(K: Array, size: tuple[float, float]) -> object:
    import pycolmap

    return pycolmap.Camera(
        model="PINHOLE",
        width=round(size[0]),
        height=round(size[1]),
        params=[K[0, 0], K[1, 1], K[0, 2], K[1, 2]],
    )


METHODS = [Method("pycolmap", "pycolmap", "pycolmap", run, THRESHOLDS)]
