"""Essential matrices ``(K2^-1 x2)' E (K1^-1 x1) = 0``, and their poses."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cvscore.data.distortion import undistort
from cvscore.data.normalization import Frame
from cvscore.data.validation import as_distortion, as_intrinsics
from cvscore.estimators.open_directions import essential_open
from cvscore.estimators.pipeline import SOLVERS, Estimator
from cvscore.estimators.posterior import Posterior
from cvscore.estimators.registry import Form, register
from cvscore.inference.outlier_width import widen_outlier_width
from cvscore.models.essential import COUNTS, essential_model
from cvscore.models.relative_pose import normalise, pose_from_essential
from cvscore.ransac.stopping import ENOUGH_CLEAN, SearchStyle
from cvscore.scores.calibration import Calibration, score_of
from cvscore.two_view.degeneracy.planar_pose_ambiguity import other_poses_of_plane
from cvscore.two_view.image_frames import camera_inside, frame_of_cameras, mean_focal
from cvscore.two_view.image_pairs import SCENE_MATCHES
from cvscore.two_view.refinement.cheirality import polish_in_front
from cvscore.types import (
    Array,
    Estimate,
    GeometricModel,
    Pose,
    RansacOptions,
    Score,
    one_of,
)

# Known cameras leave less open than F does, and a sample costs ten times as much.
MIN_SAMPLES_5PT = 48


def pose_in_front(posterior: Posterior) -> Pose:
    """Return the pose that puts most inliers in front of both cameras."""
    rays = normalise(posterior.points, *posterior.cameras)
    R, t, _ = pose_from_essential(posterior.model, rays, posterior.inliers)
    return Pose(R, t)


ESTIMATOR = Estimator(
    data=SCENE_MATCHES,
    steps=(widen_outlier_width, polish_in_front),
    find_open=essential_open,
    find_pose=pose_in_front,
    find_rivals=other_poses_of_plane,
    style=SearchStyle(
        optimises_every_batch=True,
        min_samples=MIN_SAMPLES_5PT,
        clean_share=ENOUGH_CLEAN,
    ),
)


@register(Form(COUNTS, ESTIMATOR.data, essential_model), needs_cameras=True)
def estimate_essential(
    x1: ArrayLike,
    x2: ArrayLike,
    K1: ArrayLike,
    K2: ArrayLike | None = None,
    *,
    dist1: ArrayLike | None = None,
    dist2: ArrayLike | None = None,
    score: Score | None = None,
    calibration: Calibration | None = None,
    options: RansacOptions | None = None,
    quality: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    solver: str = "native",
) -> Estimate:
    """Estimate E with ``(K2^-1 x2)' E (K1^-1 x1) = 0``, and the pose it stands for.

    Parameters
    ----------
    x1, x2 : (N, 2) array
        Matching points in pixels (or normalised, with identity camera matrices).
    K1, K2 : (3, 3) array
        Camera matrices; ``K2`` is ``K1`` where it is not given.
    dist1, dist2 : array, optional
        Distortion coefficients in OpenCV's order (4, 5, 8, 12 or 14 of them).
    score, calibration, options, quality, weights, solver
        As for `estimate_homography`.

    Returns
    -------
    Estimate
        ``model`` is E (3, 3) with singular values 1, 1, 0; ``pose`` the rotation and
        the direction of translation that put the inliers before both cameras.
        ``scale`` and ``threshold`` are in (undistorted) pixels.
    """
    K1 = as_intrinsics(K1, "K1")
    K2 = K1 if K2 is None else as_intrinsics(K2, "K2")
    points = ESTIMATOR.data.pack(x1, x2)
    points = _undistorted(points, K1, K2, dist1, dist2)
    one_of(solver, "solver", SOLVERS)  # before it is looked up
    calibrated = _calibrated(K1.tobytes(), K2.tobytes(), solver)
    return ESTIMATOR.run(
        calibrated.model,
        points,
        score=score_of(calibration, score, "essential"),
        options=options,
        quality=quality,
        weights=weights,
        frame=calibrated.frame,
        focal=calibrated.focal,
    )


class Calibrated(NamedTuple):
    """What two cameras tell before any match: frame, model in it, mean focal length."""

    frame: Frame
    model: GeometricModel
    focal: float


@lru_cache(maxsize=16)  # the frames of a video have the same cameras
def _calibrated(K1: bytes, K2: bytes, solver: str) -> Calibrated:
    first, second = (np.frombuffer(K).reshape(3, 3) for K in (K1, K2))
    frame = frame_of_cameras(first, second)
    cameras = camera_inside(frame, first, 0), camera_inside(frame, second, 1)
    model = essential_model(*cameras, solver)
    return Calibrated(frame, model, mean_focal(first, second))


def _undistorted(
    points: Array,
    K1: Array,
    K2: Array,
    dist1: ArrayLike | None,
    dist2: ArrayLike | None,
) -> Array:
    if dist1 is None and dist2 is None:
        return points
    points = points.copy()
    for rows, K, dist, name in (
        (slice(0, 2), K1, dist1, "dist1"),
        (slice(2, 4), K2, dist2, "dist2"),
    ):
        coefficients = as_distortion(dist, name)
        if coefficients is not None:
            points[rows] = undistort(points[rows].T, K, coefficients).T
    return points
