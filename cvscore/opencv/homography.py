"""`findHomography`, called as cv2's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import cv2

from cvscore.estimators import estimate_homography
from cvscore.opencv.answer import (
    ROBUST_METHODS,
    NativeEstimator,
    Target,
    find,
)
from cvscore.opencv.call_forms import Call, Form
from cvscore.opencv.extras import take_extras
from cvscore.opencv.scaling import last_entry_one
from cvscore.opencv.typed import Answer, ExtraArguments, MaskBuffer, Points, shows_form

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _homography_estimator(call: Call) -> NativeEstimator:
    return estimate_homography


_HOMOGRAPHY = Target(
    function=cv2.findHomography,
    forms=(
        Form.parse(
            "srcPoints, dstPoints[, method[, ransacReprojThreshold[, mask[, maxIters[, "
            "confidence]]]]]"
        ),
        Form.parse("srcPoints, dstPoints, params[, mask]"),
    ),
    estimator=_homography_estimator,
    rescaled=last_entry_one,
    sample_size=4,
    robust_methods=ROBUST_METHODS,
    max_iters=2000,
    confidence=0.995,
    fills_any_vector=False,
)


@overload
def findHomography(
    srcPoints: Points,
    dstPoints: Points,
    method: int | None = None,
    ransacReprojThreshold: float | None = None,
    mask: MaskBuffer = None,
    maxIters: int | None = None,
    confidence: float | None = None,
    **extras: Unpack[ExtraArguments],
) -> Answer: ...


@overload
def findHomography(
    srcPoints: Points,
    dstPoints: Points,
    params: cv2.UsacParams | None,
    mask: MaskBuffer = None,
    *,
    maxIters: int | None = None,
    **extras: Unpack[ExtraArguments],
) -> Answer: ...


@shows_form(_HOMOGRAPHY.forms[0])
def findHomography(*args: Any, **kwargs: Any) -> Answer:
    """Find H with ``dst ~ H src``, called as cv2.findHomography is.

    ::

        findHomography(srcPoints, dstPoints[, method[, ransacReprojThreshold[,
            mask[, maxIters[, confidence]]]]]) -> retval, mask
        findHomography(srcPoints, dstPoints, params[, mask]) -> retval, mask

    **Without a method this is robust**, where cv2 takes least squares over all points;
    give ``method=0`` for that.  Every robust method (RANSAC, LMEDS, RHO, USAC_*) means
    the one estimator of this package.
    ``ransacReprojThreshold`` is accepted and has no effect.  USAC_PROSAC takes the rows
    for sorted, best match first, as in cv2.  Of ``params`` the confidence, the number
    of iterations, the random state and PROSAC sampling matter.

    Parameters
    ----------
    *args, **kwargs
        As for cv2.findHomography.  Points may also be lists, tuples and lists of
        cv2.KeyPoint; rows with NaN or infinity are outliers.
    mask_threshold : float, optional
        Clear the mask also where the Sampson distance (pixels) is larger than this.
    seed : int, optional
        Of the random generator: same input and seed, same bits.
    prior : InverseGamma, optional
        Belief about the noise variance, with its unit; the default assumes nothing.
    half_width : float, optional
        Half-width of the outliers' residuals, in the unit of the points; by default
        from the points.
    calibration : Calibration, optional
        Both of them, learned from labelled pairs by `cvscore.calibrate`.
    quality : (N,) array, optional
        Larger for matches that are likelier to be right; they are sampled first.
    weights : (N,) array, optional
        Inverse variances of the matches' noise, where it differs from match to match;
        only ratios count.
    solver : {"native", "opencv"}
        Minimal solver.

    Returns
    -------
    retval : (3, 3) float64 array or None
        H with ``H[2, 2] = 1``; None where neither this package nor cv2 has one.
    mask : (N, 1) uint8 array
        1 for inliers; all 0 where ``retval`` is None.

    Raises
    ------
    cv2.error
        For arguments that cv2 rejects too.
    ValueError
        For a keyword-only argument that makes no sense.
    """
    return find(_HOMOGRAPHY, args, *take_extras(kwargs))
