"""Poses ``[R | t]`` of a calibrated camera before known points (PnP)."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from cvscore.data.distortion import undistort
from cvscore.data.normalization import Frame, Region, power_of_two
from cvscore.data.point_sets import PointSets
from cvscore.data.validation import as_distortion, as_intrinsics, as_real_array
from cvscore.estimators.pipeline import Estimator
from cvscore.estimators.posterior import Posterior
from cvscore.estimators.registry import Form, register
from cvscore.inference.last_fit import WIDEN_AND_POLISH
from cvscore.models.absolute_pose import COUNTS, absolute_pose_model
from cvscore.models.mirrored_pose import mirrored_pose
from cvscore.models.parametrisations.turns import rotation_vector
from cvscore.ransac.irls import polish
from cvscore.ransac.local_optimization import optimise_from
from cvscore.ransac.objective import Candidate, Objective, Rival
from cvscore.scores.calibration import Calibration, score_of
from cvscore.two_view.degeneracy.planar_pose_ambiguity import MAX_DEFICIT, MIN_ANGLE
from cvscore.two_view.image_pairs import GRID_SIZE
from cvscore.two_view.spatial_prosac import SpatialProsacSampler
from cvscore.types import Array, Estimate, Pose, RansacOptions, Sampler, Score

DIMS = (2, 3)
# Of a rotation that was written with few digits.
MAX_SKEW = 1e-3


def spatial_sampler(
    points: Array, region: Region, sample_size: int, options: RansacOptions
) -> Sampler:
    """Return the sampler of coherent matches first: neighbours in image and scene."""
    return SpatialProsacSampler(
        points,
        region,
        sample_size,
        options.max_iterations // 2,
        GRID_SIZE,
        options.seed,
    )


def normalise(frame: Frame, outside: Array) -> Array:
    """Return the pose before scene points inside of the frame."""
    inside = outside.copy()
    inside[:, 3] = (outside[:, 3] + outside[:, :3] @ frame.shift[2:]) / frame.unit
    return inside


def denormalise(frame: Frame, inside: Array) -> Array:
    """Return the pose before scene points outside of the frame."""
    outside = inside.copy()
    outside[:, 3] = frame.unit * inside[:, 3] - inside[:, :3] @ frame.shift[2:]
    return outside


def pose_outside(posterior: Posterior) -> Pose:
    """Return the pose that the model is."""
    outside = denormalise(posterior.frame, posterior.model)
    return Pose(outside[:, :3], outside[:, 3])


def other_poses_of_plane(objective: Objective, candidate: Candidate) -> list[Rival]:
    """Return the other poses before a plane that fit about as well.

    Poses are compared by their score: unlike an essential matrix, a pose before known
    points sees all of their noise.  They are looked for at the half-width of the
    candidate, and at the widest that the score allows: where a plane is so small in the
    image that its noise fills the half-width, the candidate is a fit to a few of its
    points, and so is its mirror image.
    """
    found = _mirrored(objective, candidate)
    widest = objective.score.max_half_width
    if widest is not None and widest > (objective.score.half_width or widest):
        wide = objective.with_score(objective.score.with_half_width(widest))
        before = wide.best_of(candidate.model[None])
        moved = _optimum(wide, candidate.model)
        if before is not None and moved is not None:
            if _are_apart(moved, candidate):
                found.append(Rival(moved, moved.score - before.score, wide))
            found += _mirrored(wide, moved)
    rivals: list[Rival] = []
    for rival in found:
        known = candidate, *(one.candidate for one in rivals)
        is_another = all(_are_apart(rival.candidate, one) for one in known)
        if is_another and rival.difference > -MAX_DEFICIT:
            rivals.append(rival)
    return rivals


def _mirrored(objective: Objective, candidate: Candidate) -> list[Rival]:
    """Return the optimum near the mirror image of a candidate, if there is one."""
    inliers = objective.inliers(candidate)
    if np.count_nonzero(inliers) < COUNTS.sample_size:
        return []
    start = mirrored_pose(candidate.model, objective.points[2:, inliers])
    other = _optimum(objective, start)
    if other is None:
        return []
    return [Rival(other, other.score - candidate.score, objective)]


def _optimum(objective: Objective, model: Array) -> Candidate | None:
    optimum = optimise_from(objective, model)
    return None if optimum is None else polish(objective, optimum)[1]


def _are_apart(one: Candidate, other: Candidate) -> bool:
    turn = rotation_vector(one.model[:, :3] @ other.model[:, :3].T)
    return bool(np.linalg.norm(turn) > math.radians(MIN_ANGLE))


ESTIMATOR = Estimator(
    data=PointSets(
        dims=DIMS,
        make_sampler=spatial_sampler,
        names=("points2d", "points3d"),
        num_measured=1,
    ),
    denormalise=denormalise,
    change_outside=denormalise,
    find_pose=pose_outside,
    find_rivals=other_poses_of_plane,
    last_fit=WIDEN_AND_POLISH,
)


@register(Form(COUNTS, ESTIMATOR.data, absolute_pose_model), needs_cameras=True)
def estimate_absolute_pose(
    points2d: ArrayLike,
    points3d: ArrayLike,
    K: ArrayLike,
    *,
    dist: ArrayLike | None = None,
    score: Score | None = None,
    calibration: Calibration | None = None,
    options: RansacOptions | None = None,
    quality: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    start: ArrayLike | None = None,
) -> Estimate:
    """Estimate where a camera is from image points of known scene points (PnP).

    Parameters
    ----------
    points2d : (N, 2) array
        Pixels (or normalised points, with the identity as camera matrix).
    points3d : (N, 3) array
        The scene points they are matched to, in any unit; many may be wrong.  They may
        be on a plane.
    K : (3, 3) array
        Camera matrix.
    dist : array, optional
        Distortion coefficients in OpenCV's order (4, 5, 8, 12 or 14 of them).
    score, calibration, options, quality, weights
        As for `estimate_homography`.
    start : (3, 4) array, optional
        A guess at the pose, ``[R | t]``, which is tried beside those of samples.

    Returns
    -------
    Estimate
        ``model`` is ``[R | t]`` (3, 4): a scene point X is at ``R X + t`` before the
        camera; ``pose`` is the same, with t in the unit of the scene.  ``residuals``
        are reprojection errors in (undistorted) pixels, ``inf`` behind the camera.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).uniform(-1, 1, (100, 3))
    >>> K = np.array([[800.0, 0.0, 320.0], [0.0, 800.0, 240.0], [0.0, 0.0, 1.0]])
    >>> seen = (X + [0.1, 0.2, 4.0]) @ K.T  # R is the identity
    >>> x = seen[:, :2] / seen[:, 2:]
    >>> x[:40] = x[:40][::-1]  # wrong matches
    >>> found = estimate_absolute_pose(x, X, K)
    >>> np.allclose(found.pose.t, [0.1, 0.2, 4.0]), found.num_inliers
    (True, 60)
    """
    K = as_intrinsics(K, "K")
    points = ESTIMATOR.data.pack(points2d, points3d)
    coefficients = as_distortion(dist, "dist")
    if coefficients is not None:
        points[:2] = undistort(points[:2].T, K, coefficients).T
    frame = _frame_of(K)
    return ESTIMATOR.run(
        absolute_pose_model(_camera_inside(frame, K)),
        points,
        score=score_of(calibration, score, "absolute_pose"),
        options=options,
        quality=quality,
        weights=weights,
        frame=frame,
        focal=_mean_focal(K),
        start=None if start is None else partial(normalise, outside=_as_pose(start)),
    )


def _as_pose(start: ArrayLike) -> Array:
    pose = as_real_array(start, "start").astype(np.float64)
    if pose.shape != (3, 4):
        raise ValueError(f"start must have shape (3, 4), got {pose.shape}")
    if not np.isfinite(pose).all():
        raise ValueError("start has NaN or infinite entries")
    if not is_rotation(pose[:, :3]):
        raise ValueError("start must begin with a rotation matrix")
    return pose


def is_rotation(R: Array) -> bool:
    """Whether a (3, 3) array is a rotation, to few digits."""
    # Products of larger entries might overflow.
    is_small = bool(np.abs(R).max() <= 1.0 + MAX_SKEW)
    return (
        is_small
        and bool(np.abs(R @ R.T - np.eye(3)).max() <= MAX_SKEW)
        and bool(np.linalg.det(R) > 0.0)
    )


def _frame_of(K: Array) -> Frame:
    """Return the frame at the principal point and the middle of the scene.

    The unit is the focal length; that of the scene does not matter to a pose.
    """
    shift = np.array([*K[:2, 2], np.nan, np.nan, np.nan])
    return Frame(shift, power_of_two(_mean_focal(K)))


def _camera_inside(frame: Frame, K: Array) -> Array:
    inside: Array = K / frame.unit
    inside[:, 2] = 0.0, 0.0, 1.0
    return inside


def _mean_focal(K: Array) -> float:
    return float(np.sqrt(K[0, 0] * K[1, 1]))
