"""The record that every part of the benchmark passes on: a pair with its truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


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
class Corners:
    """Where the true map sends ``points1`` (M, D): to ``points2``; errors in units."""

    points1: Array
    points2: Array
    unit: float


@dataclass(frozen=True)
class Placement:
    """The true ``cam_from_world``, x ~ K (R X + t), and the depth of what it sees."""

    R: Array
    t: Array
    depth: float


@dataclass(frozen=True)
class Pair:
    """Tentative matches of two images, and the truth to judge an answer by.

    Attributes
    ----------
    id : str
        Unique within its (problem, regime).
    problem : str
        What is to be estimated, by its name in `benchmarks.problems.PROBLEMS`.
    x1, x2 : (N, D)
        Matched points; pixels have OpenCV's pixel centres.
    truth : Pose, Transfer or another record
        What the error is measured by (`benchmarks.protocols.error_of`).
    K1, K2 : (3, 3) or None
        Intrinsics, where the points are pixels of cameras.
    size1, size2 : (width, height) or None
        Image sizes in pixels.
    quality : (N,) or None
        Match quality, larger is better: informative and noisy, as a matcher's is.
    is_inlier : (N,) bool or None
        True matches, where they are known.
    model : array or None
        The true model, where it is known.
    unit : float
        What default thresholds are multiples of: a pixel, or, where points have no
        such unit, the true noise.
    """

    id: str
    problem: str
    x1: Array
    x2: Array
    truth: Any
    K1: Array | None = None
    K2: Array | None = None
    size1: tuple[float, float] | None = None
    size2: tuple[float, float] | None = None
    quality: Array | None = None
    is_inlier: Mask | None = None
    model: Array | None = None
    unit: float = 1.0


@dataclass(frozen=True)
class Fit:
    """What a method answered: a model and its inliers (N,) bool."""

    model: Array
    inliers: Mask
