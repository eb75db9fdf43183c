"""Drop-in replacements of cv2's three robust functions, without a threshold.

An adapter: it reads a call as the installed cv2 would, asks the native estimators, and
answers in cv2's form.  What has to be answered by cv2 itself goes to cv2: calls that it
rejects (so that the error is its own), methods that are not robust, inputs of minimal
size, for which it returns all solutions, and matches that fix no model, as those of a
repeated video frame, for which it returns one of many.

Accepted here and not, or not everywhere, by cv2:

- points as lists, tuples and lists of cv2.KeyPoint; of any real type (bool, uint32,
  long double); in any byte order, which cv2 misreads; the two images in different
  layouts; 2xN, and grids of points; homogeneous points for the essential matrix, and
  divided by w for the USAC methods too, which ignore it;
- ``maxIters`` by name in every form; as None it is the default and not zero;
- integer and strided points with two cameras; camera matrices of two types; distortion
  for one of two cameras alone;
- any threshold, as it has no effect.

Where there is no model the mask is all zeros (cv2's may be uninitialised, or None).
A mask= of N bytes is filled whatever its shape.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike

from cvscore.estimators import (
    estimate_essential,
    estimate_fundamental,
    estimate_homography,
)
from cvscore.opencv.answer import (
    ROBUST_METHODS,
    Extras,
    NativeEstimator,
    Target,
    find,
)
from cvscore.opencv.call_forms import Call, Form
from cvscore.opencv.cameras import read_cameras
from cvscore.scores.calibration import Calibration
from cvscore.scores.priors import InverseGamma
from cvscore.types import Array, Estimate


def findHomography(
    *args: Any,
    mask_threshold: float | None = None,
    seed: int | None = None,
    prior: InverseGamma | None = None,
    half_width: float | None = None,
    calibration: Calibration | None = None,
    quality: ArrayLike | None = None,
    solver: str = "native",
    **kwargs: Any,
) -> tuple[Any, Any]:
    """Find H with ``dst ~ H src``, called as cv2.findHomography is.

    ::

        findHomography(srcPoints, dstPoints[, method[, ransacReprojThreshold[,
            mask[, maxIters[, confidence]]]]]) -> retval, mask
        findHomography(srcPoints, dstPoints, params[, mask]) -> retval, mask

    Every robust method (RANSAC, LMEDS, RHO, USAC_*) means the estimator of this
    package, and so does a method that is left out; method 0 is cv2's least squares.
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
    extras = Extras(
        mask_threshold, seed, prior, half_width, quality, solver, calibration
    )
    return find(_HOMOGRAPHY, args, kwargs, extras)


def findFundamentalMat(
    *args: Any,
    mask_threshold: float | None = None,
    seed: int | None = None,
    prior: InverseGamma | None = None,
    half_width: float | None = None,
    calibration: Calibration | None = None,
    quality: ArrayLike | None = None,
    solver: str = "native",
    **kwargs: Any,
) -> tuple[Any, Any]:
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
    extras = Extras(
        mask_threshold, seed, prior, half_width, quality, solver, calibration
    )
    return find(_FUNDAMENTAL, args, kwargs, extras)


def findEssentialMat(
    *args: Any,
    mask_threshold: float | None = None,
    seed: int | None = None,
    prior: InverseGamma | None = None,
    half_width: float | None = None,
    calibration: Calibration | None = None,
    quality: ArrayLike | None = None,
    solver: str = "native",
    **kwargs: Any,
) -> tuple[Any, Any]:
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
    extras = Extras(
        mask_threshold, seed, prior, half_width, quality, solver, calibration
    )
    return find(_ESSENTIAL, args, kwargs, extras)


def _homography_estimator(call: Call) -> NativeEstimator:
    return estimate_homography


def _fundamental_estimator(call: Call) -> NativeEstimator:
    return estimate_fundamental


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


def _last_entry_one(model: Array) -> Array:
    """Divide by the last entry, unless it is zero: cv2's scale of H and F."""
    last = model[2, 2]
    return model / last if abs(last) > np.finfo(np.float64).eps else model


def _unit_norm(model: Array) -> Array:
    return model / np.linalg.norm(model)


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
    rescaled=_last_entry_one,
    sample_size=4,
    robust_methods=ROBUST_METHODS,
    max_iters=2000,
    confidence=0.995,
    fills_any_vector=False,
)

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
    rescaled=_last_entry_one,
    sample_size=7,
    # cv2 ignores the two lowest bits of FM_RANSAC.
    robust_methods=ROBUST_METHODS | {cv2.FM_RANSAC + bits for bits in range(4)},
    max_iters=1000,
    confidence=0.99,
    fills_any_vector=True,
)

_ESSENTIAL = Target(
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
    rescaled=_unit_norm,
    sample_size=5,
    robust_methods=ROBUST_METHODS,
    max_iters=1000,
    confidence=0.999,
    fills_any_vector=True,
)
