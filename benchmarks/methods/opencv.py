"""cv2's robust functions under several flags."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import cv2
import numpy as np

from benchmarks.data.pair import Fit, Pair
from benchmarks.methods.method import Method, Settings, fit_of
from benchmarks.protocols.relative_pose import normalised

TWO_VIEW = {"H": 3.0, "F": 3.0, "E": 1.0}  # the functions' own defaults
PNP_THRESHOLD = 8.0  # of solvePnPRansac
PNP_FLAGS = ("AP3P", "SQPNP")  # beside the default, which is ITERATIVE
# cv2.RANSAC's F stops its own way below 8 points; every other flag raises.
FLAGS = ("RANSAC", "USAC_DEFAULT", "USAC_ACCURATE", "USAC_MAGSAC", "USAC_FAST")


def run(pair: Pair, settings: Settings, flag: int) -> Fit | None:
    """Call the function of the pair's problem; an exception is no model."""
    cv2.setRNGSeed(settings.seed)  # used by RANSAC; USAC carries its own state
    try:
        return _FUNCTIONS[pair.problem](pair, settings, flag)
    except cv2.error:
        return None


def _homography(pair: Pair, s: Settings, flag: int) -> Fit | None:
    return fit_of(
        *cv2.findHomography(
            pair.x1,
            pair.x2,
            flag,
            s.threshold,
            maxIters=s.max_iterations,
            confidence=s.confidence,
        )
    )


def _fundamental(pair: Pair, s: Settings, flag: int) -> Fit | None:
    return fit_of(
        *cv2.findFundamentalMat(
            pair.x1, pair.x2, flag, s.threshold, s.confidence, s.max_iterations
        )
    )


def _essential(pair: Pair, s: Settings, flag: int) -> Fit | None:
    # One threshold in pixels needs one camera: both views are brought to a virtual
    # one with the mean focal length.
    focal = np.mean([pair.K1[0, 0], pair.K1[1, 1], pair.K2[0, 0], pair.K2[1, 1]])
    return fit_of(
        *cv2.findEssentialMat(
            focal * normalised(pair.x1, pair.K1),
            focal * normalised(pair.x2, pair.K2),
            np.diag([focal, focal, 1.0]),
            flag,
            s.confidence,
            s.threshold,
            s.max_iterations,
        )
    )


def _map_2d(pair: Pair, s: Settings, flag: int) -> Fit | None:
    function = {
        "affine2d": cv2.estimateAffine2D,
        "similarity2d": cv2.estimateAffinePartial2D,
        "translation2d": getattr(cv2, "estimateTranslation2D", None),
    }[pair.problem]
    if function is None:  # before OpenCV 4.13
        return None
    model, inliers = function(
        pair.x1,
        pair.x2,
        method=flag,
        ransacReprojThreshold=s.threshold,
        maxIters=s.max_iterations,
        confidence=s.confidence,
    )
    if pair.problem == "translation2d" and model is not None:
        model = np.column_stack([np.eye(2), np.ravel(model)])
    return fit_of(model, inliers, (2, 3))


def _map_3d(pair: Pair, s: Settings, flag: int) -> Fit | None:
    function = {
        "affine3d": cv2.estimateAffine3D,
        "translation3d": cv2.estimateTranslation3D,
    }[pair.problem]
    _, model, inliers = function(
        pair.x1, pair.x2, ransacThreshold=s.threshold, confidence=s.confidence
    )
    if pair.problem == "translation3d" and model is not None:
        model = np.column_stack([np.eye(3), np.ravel(model)])
    return fit_of(model, inliers, (3, 4))


def _pnp(pair: Pair, s: Settings, flag: int) -> Fit | None:
    if flag == cv2.RANSAC:
        return _pnp_with(pair, s, cv2.SOLVEPNP_ITERATIVE)
    params = cv2.UsacParams()
    params.threshold, params.confidence = s.threshold, s.confidence
    params.maxIterations, params.randomGeneratorState = s.max_iterations, s.seed
    if flag == cv2.USAC_MAGSAC:
        params.score, params.loMethod = cv2.SCORE_METHOD_MAGSAC, cv2.LOCAL_OPTIM_SIGMA
    ok, _, rvec, tvec, inliers = cv2.solvePnPRansac(
        pair.x2, pair.x1, pair.K1.copy(), None, params=params
    )
    return _pose_fit(pair, ok, rvec, tvec, inliers)


def _pnp_with(pair: Pair, s: Settings, flag: int) -> Fit | None:
    answer = cv2.solvePnPRansac(
        pair.x2,
        pair.x1,
        pair.K1,
        None,
        iterationsCount=s.max_iterations,
        reprojectionError=s.threshold,
        confidence=s.confidence,
        flags=flag,
    )
    return _pose_fit(pair, *answer)


def _pose_fit(pair: Pair, ok: Any, rvec: Any, tvec: Any, inliers: Any) -> Fit | None:
    if not ok or inliers is None:
        return None
    mask = np.zeros(len(pair.x1), dtype=bool)
    mask[inliers[:, 0]] = True
    return fit_of(np.column_stack([cv2.Rodrigues(rvec)[0], tvec]), mask, (3, 4))


def run_pnp(pair: Pair, settings: Settings, flag: int) -> Fit | None:
    """Call solvePnPRansac with a flag of its own; an exception is no model."""
    cv2.setRNGSeed(settings.seed)
    try:
        return _pnp_with(pair, settings, flag)
    except cv2.error:
        return None


def run_affine(pair: Pair, settings: Settings, flag: int) -> Fit | None:
    """Call estimateAffine2D, whichever map is asked for; an exception is no model."""
    return run(replace(pair, problem="affine2d"), settings, flag)


_FUNCTIONS = {
    "PnP": _pnp,
    "H": _homography,
    "F": _fundamental,
    "E": _essential,
    "affine2d": _map_2d,
    "similarity2d": _map_2d,
    "translation2d": _map_2d,
    "affine3d": _map_3d,
    "translation3d": _map_3d,
}


def thresholds_of(flag: str) -> dict[str, float]:
    """Return the default thresholds of what a flag can do.

    Affine maps of images have all flags, the other maps RANSAC alone.  Those of space
    are told the noise, and have no number of iterations.
    """
    thresholds = {**TWO_VIEW, "affine2d": 3.0}
    if flag in ("RANSAC", "USAC_DEFAULT", "USAC_MAGSAC"):
        thresholds["PnP"] = PNP_THRESHOLD
    if flag == "RANSAC":
        thresholds |= {name: 3.0 for name in _FUNCTIONS if name not in thresholds}
    return thresholds


METHODS = [
    Method(
        name=f"cv2 {flag}",
        package="opencv-python",
        module="cv2",
        run=partial(run, flag=getattr(cv2, flag)),
        thresholds=thresholds_of(flag),
    )
    for flag in FLAGS
]
METHODS += [
    Method(
        name=f"cv2 {name}",
        package="opencv-python",
        module="cv2",
        run=partial(run_pnp, flag=getattr(cv2, f"SOLVEPNP_{name}")),
        thresholds={"PnP": PNP_THRESHOLD},
    )
    for name in PNP_FLAGS
]
METHODS += [
    Method(
        name="cv2 LMEDS",
        package="opencv-python",
        module="cv2",
        run=partial(run, flag=cv2.LMEDS),
        thresholds={"affine2d": 0.0, "similarity2d": 0.0, "translation2d": 0.0},
        has_threshold=False,
    ),
    # The other maps have no USAC: who wants it takes an affine map.
    Method(
        name="cv2 USAC_DEFAULT affine",
        package="opencv-python",
        module="cv2",
        run=partial(run_affine, flag=cv2.USAC_DEFAULT),
        thresholds=dict.fromkeys(("similarity2d", "rigid2d", "translation2d"), 3.0),
    ),
]
