"""Drop-in replacement of cv2.recoverPose, where that estimates an essential matrix.

Of its forms the one with two cameras does; the others, which are given one, are cv2's.
The essential matrix is that of `findEssentialMat`, but for matches on a plane: of its
two poses that fit, the likelier one (`cvscore.estimators.likeliest_pose`).  The pose is
the one that cv2 takes from the matrix.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

import cv2
import numpy as np

from cvscore.opencv.answer import ROBUST_METHODS, find
from cvscore.opencv.arrays import (
    is_plain_output,
    make_umat,
    read_points,
    write_output,
)
from cvscore.opencv.call_forms import Form, bind
from cvscore.opencv.cameras import Camera, read_cameras
from cvscore.opencv.essential import ESSENTIAL, pose_estimator
from cvscore.opencv.extras import take_extras
from cvscore.opencv.typed import (
    ExtraArguments,
    FoundMask,
    FoundModel,
    MaskBuffer,
    Matrix,
    Pair,
    Points,
    shows_form,
)
from cvscore.types import Array

if TYPE_CHECKING:
    from typing_extensions import Unpack

FORM = Form.parse(
    "points1, points2, cameraMatrix1, distCoeffs1, cameraMatrix2, distCoeffs2[, E[, "
    "R[, t[, method[, prob[, threshold[, mask]]]]]]]"
)
POSE = replace(ESSENTIAL, estimator=pose_estimator)
_recover: Any = cv2.recoverPose  # Any, as the stubs of cv2 know no stars
# With no more points cv2 finds several essential matrices, or none.
MINIMAL_FOR_ESSENTIAL = 5


@overload
def recoverPose(
    points1: Points,
    points2: Points,
    cameraMatrix1: Matrix,
    distCoeffs1: Matrix | None,
    cameraMatrix2: Matrix,
    distCoeffs2: Matrix | None,
    E: Matrix | None = None,
    R: Matrix | None = None,
    t: Matrix | None = None,
    method: int | None = None,
    prob: float | None = None,
    threshold: float | None = None,
    mask: MaskBuffer = None,
    **extras: Unpack[ExtraArguments],
) -> tuple[int, FoundModel, FoundModel, FoundModel, FoundMask]: ...


@overload
def recoverPose(
    E: Matrix,
    points1: Matrix,
    points2: Matrix,
    cameraMatrix: Matrix,
    R: Matrix | None = None,
    t: Matrix | None = None,
    mask: MaskBuffer = None,
) -> tuple[int, FoundModel, FoundModel, FoundMask]: ...


@overload
def recoverPose(
    E: Matrix,
    points1: Matrix,
    points2: Matrix,
    R: Matrix | None = None,
    t: Matrix | None = None,
    focal: float | None = None,
    pp: Pair | None = None,
    mask: MaskBuffer = None,
) -> tuple[int, FoundModel, FoundModel, FoundMask]: ...


@overload
def recoverPose(
    E: Matrix,
    points1: Matrix,
    points2: Matrix,
    cameraMatrix: Matrix,
    distanceThresh: float,
    R: Matrix | None = None,
    t: Matrix | None = None,
    mask: MaskBuffer = None,
    triangulatedPoints: Matrix | None = None,
) -> tuple[int, FoundModel, FoundModel, FoundMask, FoundModel]: ...


@shows_form(FORM)
def recoverPose(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Find the pose of the second of two cameras, called as cv2.recoverPose is.

    ::

        recoverPose(points1, points2, cameraMatrix1, distCoeffs1, cameraMatrix2,
            distCoeffs2[, E[, R[, t[, method[, prob[, threshold[, mask]]]]]]])
            -> retval, E, R, t, mask

    Every robust method means the estimator of this package, and ``threshold`` has no
    effect.  Where the matches are on a plane, two poses fit; the one from which both
    cameras see it less aslant is taken, which is right more often than the better fit.
    The forms that are given E go to cv2.  Further keyword arguments, as
    ``seed``, ``quality`` and ``weights``, are those of `findEssentialMat`.

    Returns
    -------
    retval : int
        How many inliers are in front of both cameras.
    E, R, t : (3, 3), (3, 3) and (3, 1) float64 arrays
        ``x_cam2 = R x_cam1 + t`` with ``|t| = 1``.
    mask : (N, 1) uint8 array
        1 for these inliers.

    Raises
    ------
    cv2.error
        For arguments that cv2 rejects too.
    """
    given, extras = take_extras(kwargs)
    call = bind(cv2.recoverPose, (FORM,), args, given)
    if call is None or "maxIters" in given:
        return tuple(cv2.recoverPose(*args, **given))
    method = call.get("method")
    names, as_umat = FORM.required[:2], call.uses_umat
    x1, x2 = (read_points(call.values[name], any_columns=False) for name in names)
    # Copies, where they can be read: cv2 transposes some points in place.
    made = {
        name: make_umat(points) if as_umat else points.copy()
        for name, points in zip(names, (x1, x2), strict=True)
        if points is not None
    }
    cameras, plain = read_cameras(call), call.with_values(**made)
    if x1 is None or x2 is None:
        return tuple(plain.hand_over())
    is_robust = method is None or int(method) in ROBUST_METHODS
    is_more_than_minimal = len(x1) == len(x2) > MINIMAL_FOR_ESSENTIAL
    if cameras is None or not (is_robust and is_more_than_minimal):
        return tuple(plain.hand_over())
    prob = call.get("prob")
    outputs = {name: call.get(name) for name in ("E", "R", "t", "mask")}
    is_sound = prob is None or 0.0 < prob < 1.0
    if not (is_sound and all(is_plain_output(value) for value in outputs.values())):
        plain.hand_over()  # raises where cv2 does; its answer is of no use
    as_given = [call.values[name] for name in FORM.required[2:]]
    search = {"method": method, "prob": prob}
    E, inliers = find(POSE, (x1, x2, *as_given), search, extras)
    if isinstance(E, cv2.UMat):  # as a camera was
        E, inliers = E.get(), inliers.get()
    if E is None or E.shape != (3, 3):
        return tuple(plain.hand_over())
    rays = [_normalised(x, camera) for x, camera in zip((x1, x2), cameras, strict=True)]
    num, R, t, mask = _recover(E, *rays, np.eye(3), mask=inliers)
    found = {"E": E, "R": R, "t": t, "mask": mask}
    written = [
        write_output(np.asarray(value), outputs[name], as_umat=as_umat)
        for name, value in found.items()
    ]
    return num, *written


def _normalised(x: Array, camera: Camera) -> Array:
    """Return pixels (N, 2) as ideal points at depth one."""
    seen = cv2.undistortPoints(x * camera.mirror, camera.K, camera.dist)
    return np.ascontiguousarray(seen[:, 0], dtype=np.float64)
