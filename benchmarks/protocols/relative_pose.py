"""Relative pose error: the larger of the rotation and the direction error, degrees.

The four poses of an essential matrix are told apart by the same code for every
method: OpenCV's cheirality vote over the method's own inliers.
"""

from __future__ import annotations

import math

import cv2
import numpy as np

from benchmarks.data.pair import Array, Fit, Pair, Pose

# In baselines.  OpenCV's default of 50 would drop the far points of a short baseline.
FAR = 1e9
# A pose with fewer inliers than its degrees of freedom is an accident.
MIN_INLIERS = 5


def normalised(x: Array, K: Array) -> Array:
    """Pixels (N, 2) to the image plane at depth one."""
    return (x - K[:2, 2]) @ np.linalg.inv(K[:2, :2]).T


def essential_of(pair: Pair, model: Array) -> Array:
    """Return the model as an essential matrix: itself, or K2' F K1."""
    return model if pair.problem == "E" else pair.K2.T @ model @ pair.K1


def decompose(E: Array, n1: Array, n2: Array) -> Pose | None:
    """Pose with most of the normalised points (M, 2) in front of both cameras."""
    try:
        # By its name: a fifth argument without one is taken for the output R.
        n1, n2 = np.ascontiguousarray(n1), np.ascontiguousarray(n2)
        front, R, t, *_ = cv2.recoverPose(E, n1, n2, np.eye(3), distanceThresh=FAR)
    except cv2.error:
        return None
    return Pose(R, t[:, 0]) if front > 0 else None


def rotation_angle(R: Array) -> float:
    """Angle of a rotation in degrees, accurate near zero."""
    sine = np.linalg.norm([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return math.degrees(math.atan2(sine, np.trace(R) - 1.0))


def direction_angle(a: Array, b: Array) -> float:
    """Angle between two vectors in degrees: 180 when they are opposite."""
    return math.degrees(math.atan2(np.linalg.norm(np.cross(a, b)), np.dot(a, b)))


def pose_error(pair: Pair, fit: Fit) -> float:
    """Larger of rotation and direction error in degrees; ``inf`` without a pose."""
    assert isinstance(pair.truth, Pose)
    inliers = fit.inliers
    if inliers.sum() < MIN_INLIERS or not np.isfinite(fit.model).all():
        return math.inf
    pose = decompose(
        essential_of(pair, fit.model),
        normalised(pair.x1[inliers], pair.K1),
        normalised(pair.x2[inliers], pair.K2),
    )
    if pose is None:
        return math.inf
    return max(
        rotation_angle(pose.R @ pair.truth.R.T),
        direction_angle(pose.t, pair.truth.t),
    )
