"""Where a camera of COLMAP is, in the shape of pycolmap's own function."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cvscore.colmap.cameras import pinhole_view
from cvscore.colmap.pycolmap_module import import_pycolmap
from cvscore.data.validation import as_quality, as_weights
from cvscore.estimators import estimate_absolute_pose
from cvscore.scores.calibration import Calibration
from cvscore.types import RansacOptions, Score

# Refinements that only COLMAP does.
OF_COLMAP = ("refine_focal_length", "refine_extra_params", "use_position_prior")


def absolute_pose(
    points2D: ArrayLike,
    points3D: ArrayLike,
    camera: Any,
    estimation_options: Any = None,
    refinement_options: Any = None,
    return_covariance: bool = False,  # noqa: FBT001 as pycolmap has it
    *,
    score: Score | None = None,
    calibration: Calibration | None = None,
    quality: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> dict[str, Any] | None:
    """Estimate a pose, called as ``pycolmap.estimate_and_refine_absolute_pose`` is.

    Parameters
    ----------
    points2D : (N, 2) array
        Pixels in COLMAP's convention (`colmap_from_opencv`).
    points3D : (N, 3) array
        The points they are matched to, of which many may be wrong.
    camera : pycolmap.Camera
        Of any model.
    estimation_options : pycolmap.AbsolutePoseEstimationOptions or dict, optional
        Of these the number of trials, the confidence and the seed matter; max_error
        has no effect.  With ``estimate_focal_length`` pycolmap answers.
    refinement_options : pycolmap.AbsolutePoseRefinementOptions or dict, optional
        The pose is refined already.  Where these ask for more, for focal length, extra
        parameters or a prior position, pycolmap refines it on the inliers.
    return_covariance : bool
        Whether to return pycolmap's covariance of the pose too.
    score, calibration, quality, weights
        As for `cvscore.estimate_absolute_pose`.

    Returns
    -------
    dict or None
        ``cam_from_world`` (pycolmap.Rigid3d), ``num_inliers``, ``inlier_mask`` (N,)
        bool, and the ``covariance`` if it was asked for; None without a pose.
    """
    pycolmap = import_pycolmap()
    how = _options_of(pycolmap.AbsolutePoseEstimationOptions, estimation_options)
    refinement = _options_of(pycolmap.AbsolutePoseRefinementOptions, refinement_options)
    if how.estimate_focal_length:
        given = points2D, points3D, camera, how, refinement, return_covariance
        answer: dict[str, Any] | None = pycolmap.estimate_and_refine_absolute_pose(
            *given
        )
        return answer
    view = pinhole_view(camera, points2D)
    scene = np.asarray(points3D, dtype=np.float64).reshape(-1, 3)
    seen = np.isfinite(view.points).all(axis=1)  # by a ray of the camera
    qualities = as_quality(quality, len(scene))
    of_points = as_weights(weights, len(scene))
    found = estimate_absolute_pose(
        view.points[seen],
        scene[seen],
        view.K,
        score=score,
        calibration=calibration,
        options=RansacOptions(
            max_iterations=how.ransac.max_num_trials,
            confidence=how.ransac.confidence,
            # pycolmap 3.11 has none.
            seed=max(getattr(how.ransac, "random_seed", 0), 0),
        ),
        quality=None if qualities is None else qualities[seen],
        weights=None if of_points is None else of_points[seen],
    )
    if found.model is None:
        return None
    inliers = np.zeros(len(scene), dtype=np.bool_)
    inliers[seen] = found.inliers
    pose = pycolmap.Rigid3d(found.model)
    answer = {
        "cam_from_world": pose,
        "num_inliers": found.num_inliers,
        "inlier_mask": inliers,
    }
    if return_covariance or any(getattr(refinement, name, False) for name in OF_COLMAP):
        refined = pycolmap.refine_absolute_pose(
            pose, points2D, scene, inliers, camera, refinement, return_covariance
        )
        if refined is None:
            return None
        answer.update(refined)
    return answer


def _options_of(make: Any, given: Any) -> Any:
    """Return options of pycolmap, from a dictionary as it takes them too."""
    if given is None:
        return make()
    return make(given) if isinstance(given, dict) else given
