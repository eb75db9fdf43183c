"""`findEssentialMat`, called as cv2's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import cv2

from cvscore.estimators import estimate_essential
from cvscore.estimators.likeliest_pose import likeliest_pose
from cvscore.opencv.answer import (
    ROBUST_METHODS,
    NativeEstimator,
    Target,
    find,
)
from cvscore.opencv.call_forms import Call, Form
from cvscore.opencv.cameras import read_cameras
from cvscore.opencv.extras import take_extras
from cvscore.opencv.scaling import unit_norm
from cvscore.opencv.typed import (
    Answer,
    ExtraArguments,
    MaskBuffer,
    Matrix,
    Pair,
    Points,
    shows_form,
)
from cvscore.types import Array, Estimate

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _essential_estimator(call: Call) -> NativeEstimator | None:
    cameras = read_cameras(call)
    if cameras is None:
        return None
    first, second = cameras

    def estimator(x1: Array, x2: Array, **choices: Any) -> Estimate:
        return estimate_essential(
            x1 * first.mirror,
            x2 * second.mirror,
            first.K,
            second.K,
            dist1=first.dist,
            dist2=second.dist,
            **choices,
        )

    return estimator


def pose_estimator(call: Call) -> NativeEstimator | None:
    """Return the estimator of a call that asks for the likeliest pose."""
    estimator = _essential_estimator(call)
    if estimator is None:
        return None

    def of_likeliest_pose(x1: Array, x2: Array, **choices: Any) -> Estimate:
        return likeliest_pose(estimator(x1, x2, **choices))

    return of_likeliest_pose


ESSENTIAL = Target(
    function=cv2.findEssentialMat,
    forms=(
        Form.parse(
            "points1, points2, cameraMatrix[, method[, prob[, threshold[, maxIters[, "
            "mask]]]]]"
        ),
        Form.parse(
            "points1, points2[, focal[, pp[, method[, prob[, threshold[, maxIters[, "
            "mask]]]]]]]"
        ),
        Form.parse(
            "points1, points2, cameraMatrix1, distCoeffs1, cameraMatrix2, "
            "distCoeffs2[, method[, prob[, threshold[, mask]]]]"
        ),
        Form.parse(
            "points1, points2, cameraMatrix1, cameraMatrix2, dist_coeff1, dist_coeff2, "
            "params[, mask]"
        ),
    ),
    estimator=_essential_estimator,
    rescaled=unit_norm,
    sample_size=5,
    robust_methods=ROBUST_METHODS,
    max_iters=1000,
    confidence=0.999,
    fills_any_vector=True,
)


@overload
def findEssentialMat(
    points1: Points,
    points2: Points,
    cameraMatrix: Matrix | None,
    method: int | None = None,
    prob: float | None = None,
    threshold: float | None = None,
    maxIters: int | None = None,
    mask: MaskBuffer = None,
    **extras: Unpack[ExtraArguments],
) -> Answer: ...


@overload
def findEssentialMat(
    points1: Points,
    points2: Points,
    focal: float | None = None,
    pp: Pair | None = None,
    method: int | None = None,
    prob: float | None = None,
    threshold: float | None = None,
    maxIters: int | None = None,
    mask: MaskBuffer = None,
    **extras: Unpack[ExtraArguments],
) -> Answer: ...


@overload
def findEssentialMat(
    points1: Points,
    points2: Points,
    cameraMatrix1: Matrix | None,
    distCoeffs1: Matrix | None,
    cameraMatrix2: Matrix | None,
    distCoeffs2: Matrix | None,
    method: int | None = None,
    prob: float | None = None,
    threshold: float | None = None,
    mask: MaskBuffer = None,
    *,
    maxIters: int | None = None,
    **extras: Unpack[ExtraArguments],
) -> Answer: ...


@overload
def findEssentialMat(
    points1: Points,
    points2: Points,
    cameraMatrix1: Matrix | None,
    cameraMatrix2: Matrix | None,
    dist_coeff1: Matrix | None,
    dist_coeff2: Matrix | None,
    params: cv2.UsacParams | None,
    mask: MaskBuffer = None,
    *,
    maxIters: int | None = None,
    **extras: Unpack[ExtraArguments],
) -> Answer: ...


@shows_form(ESSENTIAL.forms[0])
def findEssentialMat(*args: Any, **kwargs: Any) -> Answer:
    """Find the essential matrix, called as cv2.findEssentialMat is.

    ::

        findEssentialMat(points1, points2, cameraMatrix[, method[, prob[, threshold[,
            maxIters[, mask]]]]]) -> retval, mask
        findEssentialMat(points1, points2[, focal[, pp[, method[, prob[, threshold[,
            maxIters[, mask]]]]]]]) -> retval, mask
        findEssentialMat(points1, points2, cameraMatrix1, distCoeffs1, cameraMatrix2,
            distCoeffs2[, method[, prob[, threshold[, mask]]]]) -> retval, mask
        findEssentialMat(points1, points2, cameraMatrix1, cameraMatrix2, dist_coeff1,
            dist_coeff2, params[, mask]) -> retval, mask

    ``threshold`` is accepted and has no effect, so that pixels with a camera matrix and
    normalised points with the identity give the same inliers; ``maxIters`` may be
    given by name in every form.  All else is as for `findHomography`.  ``retval`` is E
    (3, 3) of unit norm, its singular values equal, equal and zero, or up to ten of them
    stacked as (30, 3) for exactly five points.
    """
    return find(ESSENTIAL, args, *take_extras(kwargs))
