"""cv2.findHomography, findFundamentalMat and findEssentialMat under several flags."""

from __future__ import annotations

from functools import partial

import cv2
import numpy as np

from benchmarks.data.pair import Fit, Pair
from benchmarks.methods.method import Method, Settings, fit_of
from benchmarks.protocols.relative_pose import normalised

THRESHOLDS = {"H": 3.0, "F": 3.0, "E": 1.0}  # the functions' own defaults
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


_FUNCTIONS = {"H": _homography, "F": _fundamental, "E": _essential}

METHODS = [
    Method(
        name=f"cv2 {flag}",
        package="opencv-python",
        module="cv2",
        run=partial(run, flag=getattr(cv2, flag)),
        thresholds=THRESHOLDS,
    )
    for flag in FLAGS
]
