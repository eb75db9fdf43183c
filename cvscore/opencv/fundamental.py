"""`findFundamentalMat`, called as cv2's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import cv2

from cvscore.estimators import estimate_fundamental
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


def _fundamental_estimator(call: Call) -> NativeEstimator:
    return estimate_fundamental


_FUNDAMENTAL = Target(
    function=cv2.findFundamentalMat,
    forms=(
        Form.parse(
            "points1, points2, method, ransacReprojThreshold, confidence, "
            "maxIters[, mask]"
        ),
        Form.parse(
            "points1, points2[, method[, ransacReprojThreshold[, confidence[, mask]]]]"
        ),
        Form.parse("points1, points2, params[, mask]"),
    ),
    estimator=_fundamental_estimator,
    rescaled=last_entry_one,
    sample_size=7,
    # cv2 ignores the two lowest bits of FM_RANSAC.
    robust_methods=ROBUST_METHODS | {cv2.FM_RANSAC + bits for bits in range(4)},
    max_iters=1000,
    confidence=0.99,
    fills_any_vector=True,
)


@overload
def findFundamentalMat(
    points1: Points,
    points2: Points,
    method: int | None,
    ransacReprojThreshold: float | None,
    confidence: float | None,
    maxIters: int | None,
    mask: MaskBuffer = None,
    **extras: Unpack[ExtraArguments],
) -> Answer: ...


@overload
def findFundamentalMat(
    points1: Points,
    points2: Points,
    method: int | None = None,
    ransacReprojThreshold: float | None = None,
    confidence: float | None = None,
    mask: MaskBuffer = None,
    *,
    maxIters: int | None = None,
    **extras: Unpack[ExtraArguments],
) -> Answer: ...


@overload
def findFundamentalMat(
    points1: Points,
    points2: Points,
    params: cv2.UsacParams | None,
    mask: MaskBuffer = None,
    *,
    maxIters: int | None = None,
    **extras: Unpack[ExtraArguments],
) -> Answer: ...


@shows_form(_FUNDAMENTAL.forms[1])
def findFundamentalMat(*args: Any, **kwargs: Any) -> Answer:
    """Find F with ``x2' F x1 = 0``, called as cv2.findFundamentalMat is.

    ::

        findFundamentalMat(points1, points2, method, ransacReprojThreshold,
            confidence, maxIters[, mask]) -> retval, mask
        findFundamentalMat(points1, points2[, method[, ransacReprojThreshold[,
            confidence[, mask]]]]) -> retval, mask
        findFundamentalMat(points1, points2, params[, mask]) -> retval, mask

    ``ransacReprojThreshold`` is accepted and has no effect; FM_7POINT and FM_8POINT are
    cv2's; ``maxIters`` may be given by name in every form.  All else is as for
    `findHomography`.  ``retval`` is F (3, 3) of rank two with ``F[2, 2] = 1``, or up to
    three of them stacked as (9, 3) for exactly seven points.
    """
    return find(_FUNDAMENTAL, args, *take_extras(kwargs))
