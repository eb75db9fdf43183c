"""The pose behind a homography of two calibrated cameras.

``H = R + t n'`` between rays, with ``n`` the plane's normal over its distance, leaves
lengths alone in the plane of those vectors that it only turns: ``v2``, the middle
singular vector, and either of two others.  Each of these planes gives R as the turn
that carries it, its image and their normals into each other, and ``t n' = H - R``; t
and n may both change their sign.
"""

from __future__ import annotations

import numpy as np

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
    ray1 = np.linalg.solve(K1, np.append(points[:2].mean(axis=1), 1.0))
    ray2 = np.linalg.solve(K2, np.append(points[2:].mean(axis=1), 1.0))
    between_rays: Array = np.linalg.inv(K2) @ H @ K1
    candidates = decompose_homography(between_rays)
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
    H = H / np.linalg.svd(H, compute_uv=False)[1]
    sq_values, vectors = np.linalg.eigh(H.T @ H)
    smallest, _, largest = sq_values
    v3, v2, v1 = vectors.T
    gap = largest - smallest
    if not gap > np.finfo(np.float64).eps:
        return [(Pose(H, np.zeros(3)), np.array([0.0, 0.0, 1.0]))]
    # Unit vectors whose length H keeps, beside v2.
    part1 = np.sqrt(max(1.0 - smallest, 0.0) / gap) * v1
    part3 = np.sqrt(max(largest - 1.0, 0.0) / gap) * v3
    found = []
    for u in (part1 + part3, part1 - part3):
        before = np.stack([v2, u, np.cross(v2, u)], axis=1)
        after = np.stack([H @ v2, H @ u, np.cross(H @ v2, H @ u)], axis=1)
        R = after @ before.T
        normal = before[:, 2]
        t = (H - R) @ normal
        t = t / np.linalg.norm(t)
        found += [(Pose(R, t), normal), (Pose(R, -t), -normal)]
    return found


def essential_of_pose(pose: Pose) -> Array:
    """Return ``E = [t]x R``."""
    return np.cross(pose.t, pose.R, axisb=0, axisc=0)


def _frontality(normal: Array, R: Array, ray1: Array, ray2: Array) -> float:
    """Cosine between a plane's normal and the more oblique of two lines of sight."""
    cosine1 = abs(normal @ ray1) / np.linalg.norm(ray1)
    cosine2 = abs(R @ normal @ ray2) / np.linalg.norm(ray2)
    return float(min(cosine1, cosine2))
