"""cv2's robust maps of space, called as they are and without a threshold.

`cvscore.opencv` says what is accepted beyond cv2, and what is left to it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import cv2

from cvscore.estimators import estimate_affine, estimate_translation
from cvscore.opencv.answer import Target, find
from cvscore.opencv.arrays import write_output
from cvscore.opencv.call_forms import Call, Form, bind
from cvscore.opencv.extras import take_extras
from cvscore.opencv.maps_2d import PLAIN_METHODS, always, reads, whole
from cvscore.opencv.typed import (
    FoundMask,
    FoundModel,
    MaskBuffer,
    Matrix,
    Points,
    SharedArguments,
    called_as,
    shows_form,
)
from cvscore.types import Array

if TYPE_CHECKING:
    from typing_extensions import Unpack

# What says whether there is a model is a bool from OpenCV 5 on.
RETURNS_BOOL = int(cv2.__version__.split(".")[0]) >= 5
FoundAndModel: TypeAlias = tuple[bool, FoundModel, FoundMask]


def _found_and_model(call: Call, model: Array | None, mask: Any) -> tuple[Any, ...]:
    """Return whether there is a model, the model in ``out``, and the mask."""
    out = write_output(model, call.get("out"), as_umat=call.uses_umat)
    is_found = model is not None
    return is_found if RETURNS_BOOL else int(is_found), out, mask


_ROBUST_3D = Form.parse("src, dst[, out[, inliers[, ransacThreshold[, confidence]]]]")
_LEAST_SQUARES_3D = Form.parse("src, dst[, force_rotation]")
_map_3d = partial(
    Target,
    dim=3,
    mask_name="inliers",
    read=reads(3),
    written=_found_and_model,
    robust_methods=PLAIN_METHODS,
    max_iters=1000,
    confidence=0.99,
    fills_any_vector=True,
    sample_size=4,  # of cv2's translation too
)
_AFFINE_3D = _map_3d(
    function=cv2.estimateAffine3D,
    forms=(_ROBUST_3D, _LEAST_SQUARES_3D),
    estimator=always(estimate_affine),
    rescaled=whole,
    shape=(3, 4),
)
_TRANSLATION_3D = _map_3d(
    function=cv2.estimateTranslation3D,
    forms=(_ROBUST_3D,),
    estimator=always(estimate_translation),
    rescaled=lambda model: model[:, 3][None],
    shape=(1, 3),
)


@overload
def estimateAffine3D(
    src: Points,
    dst: Points,
    out: Matrix | None = None,
    inliers: MaskBuffer = None,
    ransacThreshold: float | None = None,
    confidence: float | None = None,
    *,
    maxIters: int | None = None,
    **extras: Unpack[SharedArguments],
) -> FoundAndModel: ...


@overload
def estimateAffine3D(
    src: Points,
    dst: Points,
    force_rotation: bool | None = None,  # noqa: FBT001 (cv2's)
) -> tuple[FoundModel, float]: ...


@shows_form(_ROBUST_3D, with_solver=False)
def estimateAffine3D(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Find the affine map ``dst = A src + t`` of space, as cv2.estimateAffine3D.

    ::

        estimateAffine3D(src, dst[, out[, inliers[, ransacThreshold[,
            confidence]]]]) -> retval, out, inliers
        estimateAffine3D(src, dst[, force_rotation]) -> retval, scale

    ``ransacThreshold`` is accepted and has no effect; ``out`` is [A | t] (3, 4), or
    None where ``retval`` is false.  The second form is least squares, and cv2's.  All
    else is as for `findHomography`, without a ``solver`` to choose.
    """
    given, extras = take_extras(kwargs, with_solver=False)
    call = bind(cv2.estimateAffine3D, _AFFINE_3D.forms, args, given)
    if call is not None and call.form is _LEAST_SQUARES_3D:
        # By name, so that a None still means this form.
        answer: tuple[Any, ...] = call.function(**call.values)
        return answer
    return find(_AFFINE_3D, args, given, extras)


def _robust(
    src: Points,
    dst: Points,
    out: Matrix | None = None,
    inliers: MaskBuffer = None,
    ransacThreshold: float | None = None,
    confidence: float | None = None,
    *,
    maxIters: int | None = None,
    **extras: Unpack[SharedArguments],
) -> Any:
    """Stand for the form of a function that has no other."""


@called_as(_robust)
@shows_form(_ROBUST_3D, with_solver=False)
def estimateTranslation3D(*args: Any, **kwargs: Any) -> FoundAndModel:
    """Find the translation ``dst = src + t`` of space, as cv2.estimateTranslation3D.

    ::

        estimateTranslation3D(src, dst[, out[, inliers[, ransacThreshold[,
            confidence]]]]) -> retval, out, inliers

    ``out`` is t (1, 3).  All else is as for `estimateAffine3D`.
    """
    return find(_TRANSLATION_3D, args, *take_extras(kwargs, with_solver=False))
