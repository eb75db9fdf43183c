"""Drop-in replacement of cv2.fisheye.solvePnPRansac, without a threshold.

Image points are undistorted to those of a pinhole camera with the same matrix, as by
cv2 itself, and then it is `cvscore.solvePnPRansac`: residuals are distances in the
undistorted image, which far from its middle are larger than those in the given one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from cvscore.opencv import pnp
from cvscore.opencv.arrays import make_umat
from cvscore.opencv.call_forms import Call, Form, bind
from cvscore.opencv.extras import take_extras
from cvscore.opencv.typed import (
    Matrix,
    Points,
    SharedArguments,
    called_as,
    shows_form,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["solvePnPRansac"]

FISHEYE_FORM = Form.parse(
    "objectPoints, imagePoints, cameraMatrix, distCoeffs[, rvec[, tvec[, "
    "useExtrinsicGuess[, iterationsCount[, reprojectionError[, confidence[, "
    "inliers[, flags[, criteria]]]]]]]]]"
)


def _robust(
    objectPoints: Points,
    imagePoints: Points,
    cameraMatrix: Matrix,
    distCoeffs: Matrix | None,
    rvec: Matrix | None = None,
    tvec: Matrix | None = None,
    useExtrinsicGuess: bool | None = None,  # noqa: FBT001 (cv2's)
    iterationsCount: int | None = None,
    reprojectionError: float | None = None,
    confidence: float | None = None,
    inliers: Matrix | None = None,
    flags: int | None = None,
    criteria: tuple[int, int, float] | None = None,
    **extras: Unpack[SharedArguments],
) -> Any:
    """Stand for the form of a function that has no other."""


@called_as(_robust)
@shows_form(FISHEYE_FORM, with_solver=False)
def solvePnPRansac(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Find the pose of a fisheye camera, called as cv2.fisheye.solvePnPRansac is.

    ::

        solvePnPRansac(objectPoints, imagePoints, cameraMatrix, distCoeffs[, rvec[,
            tvec[, useExtrinsicGuess[, iterationsCount[, reprojectionError[,
            confidence[, inliers[, flags[, criteria]]]]]]]]])
            -> retval, rvec, tvec, inliers

    ``distCoeffs`` are the four of cv2's fisheye model, ``criteria`` those of
    undistorting; all else, keyword-only arguments too, is as for
    `cvscore.solvePnPRansac`.
    """
    given, _ = take_extras(kwargs, with_solver=False)
    call = bind(cv2.fisheye.solvePnPRansac, (FISHEYE_FORM,), args, given)
    seen = None if call is None or "maxIters" in given else _undistorted(call)
    if call is None or seen is None:
        return tuple(cv2.fisheye.solvePnPRansac(*args, **given))
    extras = {name: value for name, value in kwargs.items() if name not in given}
    plain = {n: v for n, v in call.values.items() if n != "criteria"}
    plain |= {"imagePoints": seen, "distCoeffs": None}
    return pnp.solvePnPRansac(**plain, **extras)


def _undistorted(call: Call) -> Any:
    """Return the pixels of a pinhole camera, None where cv2 is to say what is wrong."""
    x = pnp.read_points(call.values["imagePoints"], 2, any_columns=False)
    K, dist = call.values["cameraMatrix"], call.values["distCoeffs"]
    if x is None or not len(x):
        return None
    choices = {} if call.get("criteria") is None else {"criteria": call.get("criteria")}
    x, finite = x.copy(), np.isfinite(x).all(axis=1)
    try:
        x[finite] = cv2.fisheye.undistortPoints(
            x[finite, None], K, dist, P=K, **choices
        )[:, 0]
    except (cv2.error, TypeError):
        return None
    return make_umat(x) if call.uses_umat else x
