"""The record that every part of the benchmark passes on: a pair with its truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

PROBLEMS = ("E", "F", "H")


@dataclass(frozen=True)
class Pose:
    """The true ``cam2_from_cam1``: X2 = R X1 + t, with t known up to its length."""

    R: Array
    t: Array


def cross_matrix(t: Array) -> Array:
    """Return [t]x, the matrix of the cross product with t (3,)."""
    return np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0.0]])


@dataclass(frozen=True)
class Transfer:
    """Where the true homography sends ``points1`` (M, 2): to ``points2``, pixels."""

    points1: Array
    points2: Array


@dataclass(frozen=True)
class Pair:
    """Tentative matches of two images, and the truth to judge an answer by.

    Attributes
    ----------
    id : str
        Unique within its (problem, regime).
    problem : {"E", "F", "H"}
        What is to be estimated.
    x1, x2 : (N, 2)
        Matched pixels, OpenCV's pixel centres.
    K1, K2 : (3, 3)
        Intrinsics; given to the estimators for E only.
    size1, size2 : (width, height)
        Image sizes in pixels.
    truth : Pose or Transfer
        For E and F, and for H.
    quality : (N,) or None
        Match quality, larger is better: informative and noisy, as a matcher's is.
    is_inlier : (N,) bool or None
        True matches, where they are known.
    model : (3, 3) or None
        The true E, F or H, where it is known.
    """

    id: str
    problem: str
    x1: Array
    x2: Array
    K1: Array
    K2: Array
    size1: tuple[float, float]
    size2: tuple[float, float]
    truth: Pose | Transfer
    quality: Array | None = None
    is_inlier: Mask | None = None
    model: Array | None = None


@dataclass(frozen=True)
class Fit:
    """What a method answered: a model (3, 3) and its inliers (N,) bool."""

    model: Array
    inliers: Mask
