"""Drop-in replacements of cv2's robust 2-D and 3-D maps, without a threshold.

`cvscore.opencv` says what is accepted beyond cv2, and what is left to it.
Points are never homogeneous here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike

from cvscore.estimators import (
    estimate_affine,
    estimate_similarity,
    estimate_translation,
)
from cvscore.opencv.answer import (
    USAC_METHODS,
    Extras,
    NativeEstimator,
    Target,
    find,
)
from cvscore.opencv.arrays import read_points_of_map, write_output
from cvscore.opencv.call_forms import Call, Form, bind
from cvscore.scores.calibration import Calibration
from cvscore.scores.priors import InverseGamma
from cvscore.types import Array

PLAIN_METHODS = frozenset({cv2.RANSAC, cv2.LMEDS})
# What says whether there is a model is a bool from OpenCV 5 on.
RETURNS_BOOL = int(cv2.__version__.split(".")[0]) >= 5


def estimateAffine2D(
    *args: Any,
    mask_threshold: float | None = None,
    seed: int | None = None,
    prior: InverseGamma | None = None,
    half_width: float | None = None,
    calibration: Calibration | None = None,
    quality: ArrayLike | None = None,
    **kwargs: Any,
) -> tuple[Any, ...]:
    """Find the affine map ``to = A from + t``, called as cv2.estimateAffine2D is.

    ::

        estimateAffine2D(from_, to[, inliers[, method[, ransacReprojThreshold[,
            maxIters[, confidence[, refineIters]]]]]]) -> retval, inliers
        estimateAffine2D(pts1, pts2, params[, inliers]) -> retval, inliers

    Every robust method means the estimator of this package; ``ransacReprojThreshold``
    and ``refineIters`` are accepted and have no effect.  All else is as for
    `findHomography`.  ``retval`` is [A | t] (2, 3), or None.
    """
    extras = Extras(
        mask_threshold, seed, prior, half_width, quality, "native", calibration
    )
    return find(_AFFINE_2D, args, kwargs, extras)


def estimateAffinePartial2D(
    *args: Any,
    mask_threshold: float | None = None,
    seed: int | None = None,
    prior: InverseGamma | None = None,
    half_width: float | None = None,
    calibration: Calibration | None = None,
    quality: ArrayLike | None = None,
    **kwargs: Any,
) -> tuple[Any, ...]:
    """Find the similarity ``to = s R from + t``, as cv2.estimateAffinePartial2D.

    ::

        estimateAffinePartial2D(from_, to[, inliers[, method[,
            ransacReprojThreshold[, maxIters[, confidence[, refineIters]]]]]])
            -> retval, inliers

    All else is as for `estimateAffine2D`; cv2 has no USAC methods here.
    """
    extras = Extras(
        mask_threshold, seed, prior, half_width, quality, "native", calibration
    )
    return find(_SIMILARITY_2D, args, kwargs, extras)


def estimateAffine3D(
    *args: Any,
    mask_threshold: float | None = None,
    seed: int | None = None,
    prior: InverseGamma | None = None,
    half_width: float | None = None,
    calibration: Calibration | None = None,
    quality: ArrayLike | None = None,
    **kwargs: Any,
) -> tuple[Any, ...]:
    """Find the affine map ``dst = A src + t`` of space, as cv2.estimateAffine3D.

    ::

        estimateAffine3D(src, dst[, out[, inliers[, ransacThreshold[,
            confidence]]]]) -> retval, out, inliers
        estimateAffine3D(src, dst[, force_rotation]) -> retval, scale

    ``ransacThreshold`` is accepted and has no effect; ``out`` is [A | t] (3, 4), or
    None where ``retval`` is false.  The second form is least squares, and cv2's.  All
    else is as for `findHomography`.
    """
    extras = Extras(
        mask_threshold, seed, prior, half_width, quality, "native", calibration
    )
    call = bind(cv2.estimateAffine3D, _FORMS_3D, args, kwargs)
    if call is not None and call.form is _LEAST_SQUARES_3D:
        # By name, so that a None still means this form.
        answer: tuple[Any, ...] = call.function(**call.values)
        return answer
    return find(_AFFINE_3D, args, kwargs, extras)


def estimateTranslation3D(
    *args: Any,
    mask_threshold: float | None = None,
    seed: int | None = None,
    prior: InverseGamma | None = None,
    half_width: float | None = None,
    calibration: Calibration | None = None,
    quality: ArrayLike | None = None,
    **kwargs: Any,
) -> tuple[Any, ...]:
    """Find the translation ``dst = src + t`` of space, as cv2.estimateTranslation3D.

    ::

        estimateTranslation3D(src, dst[, out[, inliers[, ransacThreshold[,
            confidence]]]]) -> retval, out, inliers

    ``out`` is t (1, 3).  All else is as for `estimateAffine3D`.
    """
    extras = Extras(
        mask_threshold, seed, prior, half_width, quality, "native", calibration
    )
    return find(_TRANSLATION_3D, args, kwargs, extras)


def _always(estimator: NativeEstimator) -> Callable[[Call], NativeEstimator]:
    return lambda call: estimator


def _read(dim: int) -> Callable[..., Array | None]:
    def read(value: Any, *, any_columns: bool) -> Array | None:
        return read_points_of_map(value, dim)

    return read


def _whole(model: Array) -> Array:
    return model


def _found_and_model(call: Call, model: Array | None, mask: Any) -> tuple[Any, ...]:
    """Return whether there is a model, the model in ``out``, and the mask."""
    out = write_output(model, call.get("out"), as_umat=call.uses_umat)
    is_found = model is not None
    return is_found if RETURNS_BOOL else int(is_found), out, mask


_REFINED = Form.parse(
    "from_, to[, inliers[, method[, ransacReprojThreshold[, maxIters[, "
    "confidence[, refineIters]]]]]]"
)
_ROBUST_3D = Form.parse("src, dst[, out[, inliers[, ransacThreshold[, confidence]]]]")
_LEAST_SQUARES_3D = Form.parse("src, dst[, force_rotation]")
_FORMS_3D = (_ROBUST_3D, _LEAST_SQUARES_3D)

_map_2d = partial(
    Target,
    mask_name="inliers",
    read=_read(2),
    robust_methods=PLAIN_METHODS,
    max_iters=2000,
    confidence=0.99,
    fills_any_vector=True,
)
_map_3d = partial(
    Target,
    dim=3,
    mask_name="inliers",
    read=_read(3),
    written=_found_and_model,
    robust_methods=PLAIN_METHODS,
    max_iters=1000,
    confidence=0.99,
    fills_any_vector=True,
    sample_size=4,
)
_AFFINE_2D = _map_2d(
    function=cv2.estimateAffine2D,
    forms=(_REFINED, Form.parse("pts1, pts2, params[, inliers]")),
    estimator=_always(estimate_affine),
    rescaled=_whole,
    shape=(2, 3),
    sample_size=3,
    robust_methods=PLAIN_METHODS | USAC_METHODS,
)
_SIMILARITY_2D = _map_2d(
    function=cv2.estimateAffinePartial2D,
    forms=(_REFINED,),
    estimator=_always(estimate_similarity),
    rescaled=_whole,
    shape=(2, 3),
    sample_size=2,
)
_AFFINE_3D = _map_3d(
    function=cv2.estimateAffine3D,
    forms=_FORMS_3D,
    estimator=_always(estimate_affine),
    rescaled=_whole,
    shape=(3, 4),
)
_TRANSLATION_3D = _map_3d(
    function=cv2.estimateTranslation3D,
    forms=(_ROBUST_3D,),
    estimator=_always(estimate_translation),
    rescaled=lambda model: model[:, 3][None],
    shape=(1, 3),
)

if hasattr(cv2, "estimateTranslation2D"):  # from OpenCV 4.13 on

    def estimateTranslation2D(
        *args: Any,
        mask_threshold: float | None = None,
        seed: int | None = None,
        prior: InverseGamma | None = None,
        half_width: float | None = None,
        calibration: Calibration | None = None,
        quality: ArrayLike | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Find the translation ``to = from + t``, as cv2.estimateTranslation2D.

        ::

            estimateTranslation2D(from_, to[, inliers[, method[,
                ransacReprojThreshold[, maxIters[, confidence[, refineIters]]]]]])
                -> retval, inliers

        ``retval`` is the tuple (tx, ty), of NaN where there is none.  All else is as
        for `estimateAffinePartial2D`.
        """
        extras = Extras(
            mask_threshold, seed, prior, half_width, quality, "native", calibration
        )
        return find(_TRANSLATION_2D, args, kwargs, extras)

    def _tuple_and_mask(call: Call, model: Array | None, mask: Any) -> tuple[Any, ...]:
        found = np.full(2, np.nan) if model is None else model
        return tuple(found.tolist()), mask

    _TRANSLATION_2D = _map_2d(
        function=cv2.estimateTranslation2D,
        forms=(_REFINED,),
        estimator=_always(estimate_translation),
        rescaled=lambda model: model[:, 2],
        written=_tuple_and_mask,
        shape=(2,),
        sample_size=1,
    )
