"""Drop-in replacement of cv2.solvePnPRansac, without a threshold.

As the others it is an adapter: what cv2 rejects is rejected by cv2 itself, and inputs
of minimal size, a camera matrix that is to be estimated too, and points that fix no
pose are answered by it.  ``inliers`` are those of the pose that is returned.

Accepted here and not, or not everywhere, by cv2: points in lists and tuples, of any
real type and byte order, and with a row for each coordinate; any threshold, as it has
no effect; for the extrinsic guess vectors of any shape and type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, overload

import cv2
import numpy as np
from numpy.typing import NDArray

from cvscore.data.validation import as_quality, as_weights
from cvscore.estimators import estimate_absolute_pose
from cvscore.opencv.answer import is_implemented
from cvscore.opencv.arrays import (
    as_numeric,
    is_plain_output,
    make_umat,
    write_output,
)
from cvscore.opencv.call_forms import Call, Form, bind
from cvscore.opencv.cameras import Camera, read_camera
from cvscore.opencv.extras import Extras, take_extras
from cvscore.opencv.typed import (
    FoundModel,
    Matrix,
    Points,
    SharedArguments,
    shows_form,
)
from cvscore.types import Array, Estimate, Mask, RansacOptions, SizeError

if TYPE_CHECKING:
    from typing_extensions import Unpack

FoundRows: TypeAlias = NDArray[np.int32] | Any
FORMS = (
    Form.parse(
        "objectPoints, imagePoints, cameraMatrix, distCoeffs[, rvec[, tvec[, "
        "useExtrinsicGuess[, iterationsCount[, reprojectionError[, confidence[, "
        "inliers[, flags]]]]]]]]"
    ),
    Form.parse(
        "objectPoints, imagePoints, cameraMatrix, distCoeffs[, rvec[, tvec[, inliers[, "
        "params]]]]"
    ),
)
# With no more points cv2 solves for the pose of just these.
MINIMAL_FOR_PNP = 4
PNP_CONFIDENCE = 0.99  # the default of cv2
PNP_ITERATIONS = 1000
# Flags that cv2 takes for any number of points, by the names they have had.
FLAGS = frozenset(
    getattr(cv2, f"SOLVEPNP_{name}")
    for name in ("ITERATIVE", "EPNP", "P3P", "AP3P", "SQPNP", "IPPE", "DLS", "UPNP")
    if hasattr(cv2, f"SOLVEPNP_{name}")
)


@overload
def solvePnPRansac(
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
    **extras: Unpack[SharedArguments],
) -> tuple[bool, FoundModel, FoundModel, FoundRows]: ...


@overload
def solvePnPRansac(
    objectPoints: Points,
    imagePoints: Points,
    cameraMatrix: Matrix | None,
    distCoeffs: Matrix | None,
    rvec: Matrix | None = None,
    tvec: Matrix | None = None,
    inliers: Matrix | None = None,
    params: cv2.UsacParams | None = None,
    **extras: Unpack[SharedArguments],
) -> tuple[bool, FoundModel, FoundModel, FoundModel, FoundRows]: ...


@shows_form(FORMS[0], with_solver=False)
def solvePnPRansac(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Find the pose of a camera before known points, called as cv2.solvePnPRansac is.

    ::

        solvePnPRansac(objectPoints, imagePoints, cameraMatrix, distCoeffs[, rvec[,
            tvec[, useExtrinsicGuess[, iterationsCount[, reprojectionError[,
            confidence[, inliers[, flags]]]]]]]]) -> retval, rvec, tvec, inliers
        solvePnPRansac(objectPoints, imagePoints, cameraMatrix, distCoeffs[, rvec[,
            tvec[, inliers[, params]]]]) -> retval, cameraMatrix, rvec, tvec, inliers

    All ``flags`` mean the estimator of this package, and ``reprojectionError`` has no
    effect.  With ``useExtrinsicGuess`` the pose given is tried beside those of samples.
    An ``iterationsCount`` that is left out is 1,000, where cv2 draws 100 samples.  Of
    ``params`` the confidence, the number of iterations, the random state and PROSAC
    sampling matter; without a camera matrix cv2 answers, which estimates one.

    Parameters
    ----------
    *args, **kwargs
        As for cv2.solvePnPRansac.  Rows with NaN or infinity are outliers.
    mask_threshold : float, optional
        Leave out inliers whose reprojection error (pixels) is larger than this.
    seed, prior, half_width, calibration, quality, weights
        As for `findHomography`.

    Returns
    -------
    retval : bool
        Whether there is a pose.
    cameraMatrix
        In the form with ``params``: as it was given.
    rvec, tvec : (3, 1) float64 arrays
        ``x ~ K (Rodrigues(rvec) X + tvec)``.
    inliers : (K, 1) int32 array or None
        Rows of the points that belong to this pose.

    Raises
    ------
    cv2.error
        For arguments that cv2 rejects too.
    ValueError
        For a keyword-only argument that makes no sense.
    """
    given, extras = take_extras(kwargs, with_solver=False)
    call = bind(cv2.solvePnPRansac, FORMS, args, given)
    if call is None or "maxIters" in given:
        return tuple(cv2.solvePnPRansac(*args, **given))
    has_params = "params" in call.form.parameters
    X = read_points(call.values["objectPoints"], 3, any_columns=has_params)
    x = read_points(call.values["imagePoints"], 2, any_columns=has_params)
    camera = read_camera(call.values["cameraMatrix"], call.get("distCoeffs"))
    if X is None or x is None or camera is None or len(X) != len(x):
        return _answered_by_cv2(call)
    plain = call.with_values(objectPoints=X, imagePoints=x)
    if call.uses_umat:
        plain = call.with_values(objectPoints=make_umat(X), imagePoints=make_umat(x))
    if len(X) <= MINIMAL_FOR_PNP:
        return _answered_by_cv2(plain)
    if _may_be_rejected(call):
        plain.hand_over()  # raises where cv2 does; its answer is of no use
    try:
        found, inliers = _estimate(call, X, x, camera, extras)
    except SizeError:  # cv2 knows no such error
        return _undetermined(plain)
    if found is None or found.pose is None:
        return _undetermined(plain)
    rvec = np.asarray(cv2.Rodrigues(found.pose.R)[0], dtype=np.float64)
    return _answer(call, rvec, found.pose.t[:, None].copy(), inliers)


def _estimate(
    call: Call, X: Array, x: Array, camera: Camera, extras: Extras
) -> tuple[Estimate | None, Mask]:
    """Return the estimate, and the inliers (N,) among all rows."""
    params = call.get("params") or cv2.UsacParams()
    has_params = "params" in call.form.parameters
    given = call.get("iterationsCount"), call.get("confidence")
    if has_params:
        given = params.maxIterations, params.confidence
    max_iterations = PNP_ITERATIONS if given[0] is None else int(given[0])
    confidence = PNP_CONFIDENCE if given[1] is None else float(given[1])
    seed = params.randomGeneratorState % 2**32 if extras.seed is None else extras.seed
    inliers = np.zeros(len(X), dtype=np.bool_)
    # With a budget of nothing cv2's RANSAC draws one sample and its USAC none.
    if has_params and max_iterations <= 0:
        return None, inliers
    quality = as_quality(extras.quality, len(X))
    weights = as_weights(extras.weights, len(X))
    if quality is None and has_params and params.sampler == cv2.SAMPLING_PROSAC:
        quality = np.arange(len(X), 0.0, -1.0)
    usable = np.isfinite(X).all(axis=1) & np.isfinite(x).all(axis=1)
    found = estimate_absolute_pose(
        x[usable] * camera.mirror,
        X[usable],
        camera.K,
        dist=camera.dist,
        score=extras.score,
        calibration=extras.calibration,
        options=RansacOptions(
            max_iterations=max(max_iterations, 1),
            confidence=confidence if 0.0 < confidence < 1.0 else PNP_CONFIDENCE,
            seed=seed,
        ),
        quality=None if quality is None else quality[usable],
        weights=None if weights is None else weights[usable],
        start=_read_guess(call),
    )
    inliers[usable] = found.inliers
    if extras.mask_threshold is not None:
        inliers[usable] &= found.residuals <= extras.mask_threshold
    return found, inliers


def _answer(call: Call, rvec: Array, tvec: Array, inliers: Mask) -> tuple[Any, ...]:
    """Write the result as cv2 does: in place, where it would."""
    as_umat = call.uses_umat
    has_params = "params" in call.form.parameters
    into = has_params or bool(call.get("useExtrinsicGuess"))
    written = [
        write_output(vector, call.get(name) if into else None, as_umat=as_umat)
        for name, vector in (("rvec", rvec), ("tvec", tvec))
    ]
    indices = np.flatnonzero(inliers).astype(np.int32)[:, None]
    listed = write_output(indices, call.get("inliers"), as_umat=as_umat)
    if not has_params:
        return True, *written, listed
    return True, _camera_of(call), *written, listed


def _camera_of(call: Call) -> Any:
    """Return the camera matrix that was given, as an output."""
    K = call.values["cameraMatrix"]
    return make_umat(K) if call.uses_umat and not isinstance(K, cv2.UMat) else K


def _undetermined(call: Call) -> tuple[Any, ...]:
    """Return cv2's answer where the points fix no pose, or one without a pose."""
    try:
        return _answered_by_cv2(call)
    except cv2.error:  # about rows that are outliers here
        return _without_pose(call)


def _answered_by_cv2(call: Call) -> tuple[Any, ...]:
    """Return cv2's answer if it is a pose: some of its poses are not finite."""
    found, *others = call.hand_over()
    vectors = [as_numeric(vector) for vector in others[-3:-1]]
    if found and all(v is not None and np.isfinite(v).all() for v in vectors):
        return found, *others
    return _without_pose(call)


def _without_pose(call: Call) -> tuple[Any, ...]:
    """Say that there is no pose, as cv2 does.

    Vectors that cv2 makes itself are left uninitialised then; here they are zeros.
    """
    as_umat = call.uses_umat
    nothing = write_output(None, None, as_umat=as_umat)
    if "params" in call.form.parameters:
        return False, _camera_of(call), nothing, nothing, nothing
    guesses = [call.get(name) for name in ("rvec", "tvec")]
    if not call.get("useExtrinsicGuess"):
        guesses = [None, None]
    vectors = [
        write_output(np.zeros((3, 1)), None, as_umat=as_umat)
        if guess is None
        else guess
        for guess in guesses
    ]
    return False, *vectors, nothing


def _may_be_rejected(call: Call) -> bool:
    """Whether some version of cv2 may raise an error for a call that can be read."""
    confidence, flags, params = (
        call.get(name) for name in ("confidence", "flags", "params")
    )
    names = ["rvec", "tvec", "inliers"]
    if "params" in call.form.parameters:
        names.append("cameraMatrix")  # which is an output here
    return (
        not all(is_plain_output(call.get(name)) for name in names)
        or not (confidence is None or 0.0 < confidence < 1.0)
        or not (flags is None or int(flags) in FLAGS)
        or not (params is None or _is_implemented(params))
    )


def _is_implemented(params: Any) -> bool:
    """Whether cv2 has all that is chosen, for these points too."""
    samplers = cv2.SAMPLING_UNIFORM, cv2.SAMPLING_PROSAC
    return is_implemented(params) and params.sampler in samplers


def _read_guess(call: Call) -> Array | None:
    """Return the pose (3, 4) of an extrinsic guess, None without one."""
    if not call.get("useExtrinsicGuess"):
        return None
    rvec, tvec = (as_numeric(call.get(name)) for name in ("rvec", "tvec"))
    if rvec is None or tvec is None or rvec.size != 3 or tvec.size != 3:
        return None
    pose = np.empty((3, 4))
    pose[:, :3] = cv2.Rodrigues(rvec.ravel().astype(np.float64))[0]
    pose[:, 3] = tvec.ravel()
    return pose if np.isfinite(pose).all() else None


def read_points(value: Any, dim: int, *, any_columns: bool) -> Array | None:
    """Read points in any container as (N, dim) float64; None where they are not points.

    ``any_columns`` says whether more columns are ignored, as cv2's USAC does.
    """
    array: NDArray[Any] | None = as_numeric(value)
    if array is None:
        return None
    if array.ndim == 3 and 1 in array.shape[:2]:
        array = array.reshape(-1, array.shape[2])
    if array.ndim != 2:
        return None
    if array.shape[0] == dim < array.shape[1]:  # one row per coordinate
        array = array.T
    if array.shape[1] < dim or (array.shape[1] > dim and not any_columns):
        return None
    return np.ascontiguousarray(array[:, :dim], dtype=np.float64)
