"""The pose behind a homography of two calibrated cameras.

``H = R + t n'`` between rays, with ``n`` the plane's normal over its distance, leaves
lengths alone in the plane of those vectors that it only turns: ``v2``, the middle
singular vector, and either of two others.  Each of these planes gives R as the turn
that carries it, its image and their normals into each other, and ``t n' = H - R``; t
and n may both change their sign.
"""

from __future__ import annotations

import numpy as np

from cvscore.models._matrix3 import inverse_of
from cvscore.parallax import parallax_of
from cvscore.types import Array, Pose


def pose_of_plane(H: Array, points: Array, K1: Array, K2: Array) -> Pose:
    """Return the pose that has most points of a plane in front of both cameras.

    A plane is seen alike from two places.  From one of them some of its points would
    often be behind a camera; if not, it is the one from which both cameras see the
    plane less aslant, for such planes can be matched.  (An essential matrix of a
    plane's matches stands for either place, by chance.)

    Parameters
    ----------
    H : (3, 3) array
        The homography, in pixels; it takes the points to positive multiples.
    points : (4, N) array
        Its inliers.
    K1, K2 : (3, 3) arrays
        Camera matrices.

    Returns
    -------
    Pose
        With ``|t| = 1``; t is zero where the homography is that of a rotation.
    """
    inverse1, inverse2 = inverse_of(K1), inverse_of(K2)
    means = points.mean(axis=1)
    ray1 = inverse1 @ np.array([means[0], means[1], 1.0])
    ray2 = inverse2 @ np.array([means[2], means[3], 1.0])
    between_rays: Array = inverse2 @ H @ K1
    candidates = decompose_homography(between_rays)
    points = np.ascontiguousarray(points)
    ranks = [
        (
            int(np.count_nonzero(parallax_of(points, K1, K2, pose).in_front)),
            _frontality(normal, pose.R, ray1, ray2),
        )
        for pose, normal in candidates
    ]
    best, _ = candidates[max(range(len(ranks)), key=ranks.__getitem__)]
    return best


def decompose_homography(H: Array) -> list[tuple[Pose, Array]]:
    """Return the four poses of a homography between rays, with the plane's normals.

    Parameters
    ----------
    H : (3, 3) array
        ``K2^-1 H K1`` of a homography in pixels, of any positive scale.

    Returns
    -------
    list of (Pose, (3,) array)
        One pose, with ``t = 0``, where the homography is that of a rotation.
    """
    sq_values, vectors = np.linalg.eigh(H.T @ H)
    H = H / np.sqrt(sq_values[1])
    smallest, largest = sq_values[0] / sq_values[1], sq_values[2] / sq_values[1]
    v3, v2, v1 = vectors.T
    gap = largest - smallest
    if not gap > np.finfo(np.float64).eps:
        return [(Pose(H, np.zeros(3)), np.array([0.0, 0.0, 1.0]))]
    # Unit vectors whose length H keeps, beside v2.
    part1 = np.sqrt(max(1.0 - smallest, 0.0) / gap) * v1
    part3 = np.sqrt(max(largest - 1.0, 0.0) / gap) * v3
    found = []
    for u in (part1 + part3, part1 - part3):
        normal = _cross(v2, u)
        before = np.array([v2, u, normal])
        after = before @ H.T
        after[2] = _cross(after[0], after[1])
        R = after.T @ before
        t = (H - R) @ normal
        t = t / np.linalg.norm(t)
        found += [(Pose(R, t), normal), (Pose(R, -t), -normal)]
    return found


def essential_of_pose(pose: Pose) -> Array:
    """Return ``E = [t]x R``."""
    x, y, z = pose.t
    E: Array = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]) @ pose.R
    return E


def _cross(u: Array, v: Array) -> Array:
    """Return the cross product of two vectors, faster than NumPy for any number."""
    (a, b, c), (x, y, z) = u.tolist(), v.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])


def _frontality(normal: Array, R: Array, ray1: Array, ray2: Array) -> float:
    """Cosine between a plane's normal and the more oblique of two lines of sight."""
    cosine1 = abs(normal @ ray1) / np.linalg.norm(ray1)
    cosine2 = abs(R @ normal @ ray2) / np.linalg.norm(ray2)
    return float(min(cosine1, cosine2))
