"""cv2's robust maps of the plane, called as they are and without a threshold.

`cvscore.opencv` says what is accepted beyond cv2, and what is left to it.  Points are
never homogeneous here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, overload

import cv2
import numpy as np

from cvscore.estimators import (
    estimate_affine,
    estimate_similarity,
    estimate_translation,
)
from cvscore.opencv.answer import (
    USAC_METHODS,
    NativeEstimator,
    Target,
    find,
)
from cvscore.opencv.arrays import read_points_of_map
from cvscore.opencv.call_forms import Call, Form
from cvscore.opencv.extras import take_extras
from cvscore.opencv.typed import (
    Answer,
    FoundMask,
    MaskBuffer,
    Points,
    SharedArguments,
    called_as,
    shows_form,
)
from cvscore.types import Array, Estimate

if TYPE_CHECKING:
    from typing_extensions import Unpack

# What all of cv2's maps have; affine ones of the plane have those of USAC too.
PLAIN_METHODS = frozenset({cv2.RANSAC, cv2.LMEDS})
HAS_TRANSLATION = hasattr(cv2, "estimateTranslation2D")  # from OpenCV 4.13 on


def always(estimator: NativeEstimator) -> Callable[[Call], NativeEstimator]:
    """Return what chooses an estimator of maps, which serves every call."""

    def estimate(*sets: Array, solver: str, **choices: Any) -> Estimate:
        return estimator(*sets, **choices)  # of solvers there is one

    return lambda call: estimate


def reads(dim: int) -> Callable[..., Array | None]:
    """Return the reader of points with so many coordinates."""

    def read(value: Any, *, any_columns: bool) -> Array | None:
        return read_points_of_map(value, dim)

    return read


def whole(model: Array) -> Array:
    """Return a model that cv2 has in the same form."""
    return model


_REFINED = Form.parse(
    "from_, to[, inliers[, method[, ransacReprojThreshold[, maxIters[, "
    "confidence[, refineIters]]]]]]"
)
_map_2d = partial(
    Target,
    mask_name="inliers",
    read=reads(2),
    robust_methods=PLAIN_METHODS,
    max_iters=2000,
    confidence=0.99,
    fills_any_vector=True,
)
_AFFINE_2D = _map_2d(
    function=cv2.estimateAffine2D,
    forms=(_REFINED, Form.parse("pts1, pts2, params[, inliers]")),
    estimator=always(estimate_affine),
    rescaled=whole,
    shape=(2, 3),
    sample_size=3,
    robust_methods=PLAIN_METHODS | USAC_METHODS,
)
_SIMILARITY_2D = _map_2d(
    function=cv2.estimateAffinePartial2D,
    forms=(_REFINED,),
    estimator=always(estimate_similarity),
    rescaled=whole,
    shape=(2, 3),
    sample_size=2,
)


@overload
def estimateAffine2D(
    from_: Points,
    to: Points,
    inliers: MaskBuffer = None,
    method: int | None = None,
    ransacReprojThreshold: float | None = None,
    maxIters: int | None = None,
    confidence: float | None = None,
    refineIters: int | None = None,
    **extras: Unpack[SharedArguments],
) -> Answer: ...


@overload
def estimateAffine2D(
    pts1: Points,
    pts2: Points,
    params: cv2.UsacParams | None,
    inliers: MaskBuffer = None,
    *,
    maxIters: int | None = None,
    **extras: Unpack[SharedArguments],
) -> Answer: ...


@shows_form(_REFINED, with_solver=False)
def estimateAffine2D(*args: Any, **kwargs: Any) -> Answer:
    """Find the affine map ``to = A from + t``, called as cv2.estimateAffine2D is.

    ::

        estimateAffine2D(from_, to[, inliers[, method[, ransacReprojThreshold[,
            maxIters[, confidence[, refineIters]]]]]]) -> retval, inliers
        estimateAffine2D(pts1, pts2, params[, inliers]) -> retval, inliers

    Every robust method means the estimator of this package; ``ransacReprojThreshold``
    and ``refineIters`` are accepted and have no effect.  All else is as for
    `findHomography`, without a ``solver`` to choose.  ``retval`` is [A | t] (2, 3), or
    None.
    """
    return find(_AFFINE_2D, args, *take_extras(kwargs, with_solver=False))


def _refined(
    from_: Points,
    to: Points,
    inliers: MaskBuffer = None,
    method: int | None = None,
    ransacReprojThreshold: float | None = None,
    maxIters: int | None = None,
    confidence: float | None = None,
    refineIters: int | None = None,
    **extras: Unpack[SharedArguments],
) -> Any:
    """Stand for the form of functions that have no other."""


@called_as(_refined)
@shows_form(_REFINED, with_solver=False)
def estimateAffinePartial2D(*args: Any, **kwargs: Any) -> Answer:
    """Find the similarity ``to = s R from + t``, as cv2.estimateAffinePartial2D.

    ::

        estimateAffinePartial2D(from_, to[, inliers[, method[,
            ransacReprojThreshold[, maxIters[, confidence[, refineIters]]]]]])
            -> retval, inliers

    All else is as for `estimateAffine2D`; cv2 has no USAC methods here.
    """
    return find(_SIMILARITY_2D, args, *take_extras(kwargs, with_solver=False))


if HAS_TRANSLATION:

    def _tuple_and_mask(call: Call, model: Array | None, mask: Any) -> tuple[Any, ...]:
        found = np.full(2, np.nan) if model is None else model
        return tuple(found.tolist()), mask

    _TRANSLATION_2D = _map_2d(
        function=cv2.estimateTranslation2D,
        forms=(_REFINED,),
        estimator=always(estimate_translation),
        rescaled=lambda model: model[:, 2],
        written=_tuple_and_mask,
        shape=(2,),
        sample_size=1,
    )

    @called_as(_refined)
    @shows_form(_REFINED, with_solver=False)
    def estimateTranslation2D(
        *args: Any, **kwargs: Any
    ) -> tuple[tuple[float, float], FoundMask]:
        """Find the translation ``to = from + t``, as cv2.estimateTranslation2D.

        ::

            estimateTranslation2D(from_, to[, inliers[, method[,
                ransacReprojThreshold[, maxIters[, confidence[, refineIters]]]]]])
                -> retval, inliers

        ``retval`` is the tuple (tx, ty), of NaN where there is none.  All else is as
        for `estimateAffinePartial2D`.
        """
        return find(_TRANSLATION_2D, args, *take_extras(kwargs, with_solver=False))
