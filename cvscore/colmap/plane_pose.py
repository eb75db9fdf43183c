"""The pose behind a homography of two calibrated cameras."""

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
        The homography, in pixels.
    points : (4, N) array
        Its inliers.
    K1, K2 : (3, 3) arrays
        Camera matrices.
    """
    import cv2

    between_rays = np.linalg.solve(K2, H @ K1)
    _, rotations, translations, normals = cv2.decomposeHomographyMat(
        between_rays, np.eye(3)
    )
    ray1 = np.linalg.solve(K1, np.append(points[:2].mean(axis=1), 1.0))
    ray2 = np.linalg.solve(K2, np.append(points[2:].mean(axis=1), 1.0))
    best, best_rank = None, (-1, 0.0)
    for R, t, normal in zip(rotations, translations, normals, strict=True):
        length = np.linalg.norm(t)
        direction = t.ravel() / length if length > 0.0 else np.zeros(3)
        pose = Pose(np.asarray(R, dtype=np.float64), direction)
        across = np.asarray(normal, dtype=np.float64).ravel()
        num_front = np.count_nonzero(parallax_of(points, K1, K2, pose).in_front)
        rank = int(num_front), _frontality(across, pose.R, ray1, ray2)
        if rank > best_rank:
            best, best_rank = pose, rank
    assert best is not None
    return best


def _frontality(normal: Array, R: Array, ray1: Array, ray2: Array) -> float:
    """Cosine between a plane's normal and the more oblique of two lines of sight."""
    cosine1 = abs(normal @ ray1) / np.linalg.norm(ray1)
    cosine2 = abs(R @ normal @ ray2) / np.linalg.norm(ray2)
    return float(min(cosine1, cosine2) / np.linalg.norm(normal))


def essential_of_pose(pose: Pose) -> Array:
    """Return ``E = [t]x R``."""
    return np.cross(pose.t, pose.R, axisb=0, axisc=0)
