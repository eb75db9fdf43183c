"""Random calls of the drop-ins, held to this: what cv2 answers, they answer.

Where one of them raises, cv2 has to raise for the same arguments, unless it was one of
the arguments that cv2 does not have.  What they return is finite.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import cv2
import numpy as np

import cvscore
from benchmarks.attack.arguments import (
    K,
    draw_camera,
    draw_distortion,
    draw_number,
    draw_pose,
    draw_quality,
)
from benchmarks.attack.checks import Call
from benchmarks.attack.points import Rng, draw_sets, length_of
from cvscore.types import Array

METHODS = (0, cv2.LMEDS, cv2.RANSAC, cv2.RHO, *range(cv2.USAC_DEFAULT, 40), -1, 99)
CONFIDENCES = (0.5, 0.99, 0.9999, 0.0, 1.0, -1.0, 2.0, np.nan)
ITERATIONS = (0, 1, 10, 300, -5)
# What OpenCV answers alone, whatever it says: no more points than fix a model.
MINIMAL = 7


class DropIn(NamedTuple):
    """Coordinates of the points of a drop-in, its cameras and its other arguments."""

    dims: tuple[int, ...]
    num_cameras: int = 0
    options: tuple[str, ...] = ()


SEARCH = ("method", "ransacReprojThreshold", "maxIters", "confidence")
DROP_INS = {
    "findHomography": DropIn((2, 2), 0, (*SEARCH, "mask", "params")),
    "findFundamentalMat": DropIn((2, 2), 0, (*SEARCH, "mask", "params")),
    "findEssentialMat": DropIn(
        (2, 2), 1, ("method", "prob", "threshold", "maxIters", "mask")
    ),
    "recoverPose": DropIn((2, 2), 2, ("method", "prob", "threshold", "mask")),
    "estimateAffine2D": DropIn((2, 2), 0, (*SEARCH, "refineIters", "inliers")),
    "estimateAffinePartial2D": DropIn((2, 2), 0, (*SEARCH, "refineIters", "inliers")),
    "estimateAffine3D": DropIn((3, 3), 0, ("ransacThreshold", "confidence", "inliers")),
    "estimateTranslation3D": DropIn((3, 3), 0, ("ransacThreshold", "confidence")),
    "solvePnPRansac": DropIn(
        (3, 2),
        1,
        ("iterationsCount", "reprojectionError", "confidence", "flags", "rvec"),
    ),
    "fisheye.solvePnPRansac": DropIn(
        (3, 2),
        1,
        ("iterationsCount", "reprojectionError", "confidence", "flags", "rvec"),
    ),
}
if hasattr(cv2, "estimateTranslation2D"):
    DROP_INS["estimateTranslation2D"] = DropIn((2, 2), 0, (*SEARCH, "inliers"))


def draw_drop_in(rng: Rng) -> Call:
    """Return a random call of a drop-in."""
    name = str(rng.choice(sorted(DROP_INS)))
    drop_in = DROP_INS[name]
    sets = draw_sets(rng, drop_in.dims)
    if len(set(drop_in.dims)) == 1 and rng.random() < 0.1:
        sets[1] = sets[0]  # a repeated frame
    more = _draw_cameras(rng, name, drop_in.num_cameras)
    num = length_of(sets[0])
    given = _draw_options(rng, drop_in.options, num)
    as_umats = rng.random() < 0.03
    own = {} if as_umats or rng.random() < 0.9 else _draw_extras(rng, num)
    if as_umats:
        sets = [_as_umat(points) for points in sets]
    elif drop_in.dims == (2, 2) and rng.random() < 0.03:
        sets = [_as_keypoints(points) for points in sets]

    def run() -> None:
        arguments = *sets, *more
        try:
            answer = _function(cvscore, name)(*arguments, **given, **own)
        except Exception as error:
            if own or not _is_answered(name, arguments, given):
                raise
            what = f"{type(error).__name__}: {error}"
            raise AssertionError(f"cv2 has an answer, here {what}") from error
        _check_answer(name, answer, arguments, given)

    return Call(name, run, [*sets, *more])


def _draw_cameras(rng: Rng, name: str, num: int) -> list[Any]:
    """Return cameras as they follow the points: with their distortion, if any has."""
    if num == 2:
        pairs = [(draw_camera(rng), draw_distortion(rng)) for _ in range(2)]
        return [part for pair in pairs for part in pair]
    if name.endswith("solvePnPRansac"):
        dist = draw_distortion(rng)
        if name.startswith("fisheye") and rng.random() < 0.7:
            dist = rng.normal(size=4) * 10.0 ** rng.uniform(-4, 1)
        return [draw_camera(rng), dist]
    return [draw_camera(rng)] * num


def _draw_options(rng: Rng, names: tuple[str, ...], num: int) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name in names:
        if rng.random() < 0.85:
            continue
        if name == "rvec":
            R, t = draw_pose(rng)
            turn = cv2.Rodrigues(R)[0] if np.shape(R) == (3, 3) else R
            given |= {"rvec": turn, "tvec": t, "useExtrinsicGuess": True}
        elif name == "params":
            given = {"params": _draw_params(rng)}
        elif "params" not in given:
            given[name] = _draw_option(rng, name, num)
    return given


def _draw_option(rng: Rng, name: str, num: int) -> Any:
    if name in ("maxIters", "iterationsCount", "refineIters"):
        return int(rng.choice(ITERATIONS))
    if name in ("confidence", "prob"):
        return float(rng.choice(CONFIDENCES))
    if name == "method":
        return int(rng.choice(METHODS))
    if name == "flags":
        return int(rng.integers(-1, 10))
    if name in ("mask", "inliers"):
        masks = [
            np.full((num, 1), 7, np.uint8),
            np.full(num, 7, np.uint8),
            np.zeros((num + 3, 1), np.uint8),
            np.zeros((num, 1)),
            np.zeros(0, np.uint8),
        ]
        return masks[int(rng.integers(len(masks)))]
    return draw_number(rng)


def _draw_params(rng: Rng) -> Any:
    params = cv2.UsacParams()
    params.sampler = int(rng.integers(-1, 5))
    params.score = int(rng.integers(-1, 5))
    params.loMethod = int(rng.integers(-1, 6))
    params.maxIterations = int(rng.choice(ITERATIONS))
    params.confidence = float(rng.choice(CONFIDENCES))
    params.threshold = float(rng.choice([0.5, 3.0, 0.0, -1.0, np.nan, 1e300]))
    params.randomGeneratorState = int(rng.integers(-(2**31), 2**31))
    params.isParallel = bool(rng.random() < 0.2)
    return params


def _draw_extras(rng: Rng, num: int) -> dict[str, Any]:
    draws = {
        "seed": lambda: draw_number(rng),
        "quality": lambda: draw_quality(rng, num),
        "half_width": lambda: draw_number(rng),
        "mask_threshold": lambda: draw_number(rng),
        "prior": lambda: cvscore.InverseGamma(1.0, 10.0 ** rng.uniform(-300, 300)),
    }
    return {name: draw() for name, draw in draws.items() if rng.random() < 0.4}


def _as_umat(points: Any) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return cv2.UMat(np.ascontiguousarray(points, dtype=np.float64))
    except Exception:  # no array, or not one of numbers
        return points


def _as_keypoints(points: Any) -> Any:
    """Return points as detectors do."""
    points = np.asarray(points) if isinstance(points, np.ndarray) else points
    if getattr(points, "dtype", None) == np.complex128:
        return points
    try:
        return [cv2.KeyPoint(float(x), float(y), 1.0) for x, y in points]
    except Exception:  # no points, or not in a plane
        return points


def _function(module: Any, name: str) -> Any:
    for part in name.split("."):
        module = getattr(module, part)
    return module


def _native(part: Any) -> Any:
    if not isinstance(part, np.ndarray) or part.dtype.kind not in "fiu":
        return part
    return np.ascontiguousarray(part.astype(part.dtype.newbyteorder("=")))


def _in_one_thread(given: dict[str, Any]) -> dict[str, Any]:
    """Return options without threads, of which cv2 makes its answer depend."""
    if given.get("method") == cv2.USAC_PARALLEL:
        return {**given, "method": cv2.USAC_DEFAULT}
    if "params" in given:
        given["params"].isParallel = False
    return given


def _is_answered(name: str, arguments: tuple[Any, ...], given: dict[str, Any]) -> bool:
    """Whether cv2 takes these arguments.

    It gets copies, as it writes to some transposed arrays, in the order of bytes of
    the machine, as it misreads the other.
    """
    copies = [_native(part) for part in arguments]
    try:
        _function(cv2, name)(*copies, **_in_one_thread(given))
    except Exception:
        return False
    return True


def _check_answer(
    name: str,
    answer: tuple[Any, ...],
    arguments: tuple[Any, ...],
    given: dict[str, Any],
) -> None:
    """Hold an answer to be finite, and one without a pose to be empty."""
    if name.endswith("solvePnPRansac") and answer[0] is False:
        if "rvec" not in given:
            assert not any(_array(part).any() for part in answer[1:3]), "not zeros"
        assert _array(answer[3]).size == 0, "inliers of no pose"
        if name == "solvePnPRansac" and not given and length_of(arguments[0]) > MINIMAL:
            _check_that_there_is_no_pose(*arguments)
        return
    arrays = [_array(part) for part in answer]
    if name == "estimateTranslation2D" and not arrays[1].any():
        return  # cv2's way to say that there is none is NaN
    if not all(np.isfinite(part).all() for part in arrays):
        # Minimal samples and methods that are not robust are OpenCV's to answer.
        plain = [_plain(points) for points in arguments[:2]]
        others = _in_one_thread(given)
        theirs = _function(cv2, name)(*plain, *arguments[2:], **others)
        for one, other in zip(arrays, theirs, strict=True):
            assert np.array_equal(one, _array(other), equal_nan=True), "not finite"


def _check_that_there_is_no_pose(X: Any, x: Any, camera: Any, dist: Any) -> None:
    """Hold the native estimator to find none either."""
    if any(part is not arg for part, arg in ((camera, K), (dist, None))):
        return  # cv2's own reading of a camera
    X, x = (_array(points) for points in (X, x))
    if X.dtype.kind not in "fiu" or X.shape != (len(x), 3) or x.shape != (len(X), 2):
        return
    usable = np.isfinite(X).all(axis=1) & np.isfinite(x).all(axis=1)
    options = cvscore.RansacOptions(max_iterations=1000, confidence=0.99)
    found = cvscore.estimate_absolute_pose(x[usable], X[usable], K, options=options)
    assert not found, "there is a pose"


def _plain(points: Any) -> Array:
    is_listed = isinstance(points, list) and points
    if is_listed and isinstance(points[0], cv2.KeyPoint):
        points = cv2.KeyPoint.convert(points)
    with np.errstate(over="ignore"):  # of long doubles
        return _array(points).astype(np.float64)


def _array(part: Any) -> Array:
    if isinstance(part, cv2.UMat):
        part = part.get()
    return np.zeros(0) if part is None else np.asarray(part)
