"""The pose behind a homography of two calibrated cameras.

``H = R + t n'`` between rays, with ``n`` the plane's normal over its distance, leaves
lengths alone in the plane of those vectors that it only turns: ``v2``, the middle
singular vector, and either of two others.  Each of these planes gives R as the turn
that carries it, its image and their normals into each other, and ``t n' = H - R``; t
and n may both change their sign.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.models.relative_pose import count_in_front, normalise
from cvscore.numerics.linalg import EPSILON, diagonalise
from cvscore.numerics.matrix3 import inverse_of, product_of
from cvscore.numerics.shell_sort import write_order
from cvscore.types import Array, Mask, Pose


def pose_of_plane(
    H: Array, points: Array, is_inlying: Mask, K1: Array, K2: Array
) -> Pose:
    """Return the pose that has most points of a plane in front of both cameras.

    A plane is seen alike by two pairs of cameras.  From one of them some of its points
    would often be behind a camera; if not, it is the one from which both cameras see
    the plane less aslant, for such planes can be matched.  (An essential matrix of a
    plane's matches stands for either place, by chance.)

    Parameters
    ----------
    H : (3, 3) array
        The homography, in pixels; it takes its inliers to positive multiples.
    points : (4, N) array
        Matches.
    is_inlying : (N,) bool array
        Which of them are its inliers.
    K1, K2 : (3, 3) arrays
        Camera matrices.

    Returns
    -------
    Pose
        With ``|t| = 1``; t is zero where the homography is that of a rotation.
    """
    pose = _likeliest_pose(np.ascontiguousarray(H), points, is_inlying, K1, K2)
    return Pose(pose[:, :3].copy(), pose[:, 3].copy())


@brief_kernel
def _likeliest_pose(H, points, is_inlying, K1, K2):
    """Return ``[R | t]`` (3, 4), see `pose_of_plane`."""
    poses, normals = np.empty((2, 3, 4)), np.empty((2, 3))
    between_rays = product_of(inverse_of(K2), product_of(H, K1))
    if not decompose_homography(between_rays, poses, normals):
        return poses[0]
    rays = normalise(points, K1, K2)
    counts = count_in_front(poses, rays, is_inlying)
    ahead, num_inlying = np.empty(4), max(np.sum(is_inlying), 1)
    for row in range(4):
        total = 0.0
        for i in range(rays.shape[1]):
            total += rays[row, i] if is_inlying[i] else 0.0
        ahead[row] = total / num_inlying
    most, most_frontal, best = -1, 0.0, poses[0]
    for k in range(2):
        frontality = _frontality(normals[k], poses[k], ahead)
        for is_reversed in range(2):
            num = counts[k, is_reversed]
            if num > most or (num == most and frontality > most_frontal):
                most, most_frontal, best = num, frontality, poses[k].copy()
                for i in range(3):
                    best[i, 3] *= 1.0 - 2.0 * is_reversed
    return best


@brief_kernel
def essentials_of_plane(H, K1, K2):
    """Essential matrices (2, 3, 3) of the two poses behind a homography in pixels.

    None of them, (0, 3, 3), where the homography is that of a rotation.  ``H`` takes
    its inliers to positive multiples.
    """
    poses, normals = np.empty((2, 3, 4)), np.empty((2, 3))
    between_rays = product_of(inverse_of(K2), product_of(H, K1))
    matrices = np.empty((2, 3, 3))
    if not decompose_homography(between_rays, poses, normals):
        return matrices[:0]
    for k in range(2):
        write_essential(poses[k], matrices[k])
    return matrices


@kernel
def decompose_homography(H, poses, normals):
    """Write two poses of a homography between rays, and the normals of the plane.

    With t and the normal of opposite sign, each of them is another one.

    Parameters
    ----------
    H : (3, 3) array
        ``K2^-1 H K1`` of a homography in pixels, of any positive scale.
    poses : (2, 3, 4) array
        ``[R | t]``, written.
    normals : (2, 3) array
        Written.

    Returns
    -------
    bool
        False where the homography is that of a rotation, which is then the first pose,
        with ``t = 0``.
    """
    products, vectors = product_of(H.T, H), np.empty((3, 3))
    diagonalise(products, vectors)
    sq_values, order = np.empty(3), np.empty(3, dtype=np.int64)
    for i in range(3):
        sq_values[i] = products[i, i]
    write_order(sq_values, order)
    low, middle, high = order[0], order[1], order[2]
    H = H / np.sqrt(sq_values[middle])
    smallest = sq_values[low] / sq_values[middle]
    largest = sq_values[high] / sq_values[middle]
    gap = largest - smallest
    if not gap > EPSILON:
        for i in range(3):
            for j in range(3):
                poses[0, i, j] = H[i, j]
            poses[0, i, 3] = 0.0
        return False
    # Unit vectors whose length H keeps, beside the middle one.
    part1 = np.sqrt(max(1.0 - smallest, 0.0) / gap)
    part3 = np.sqrt(max(largest - 1.0, 0.0) / gap)
    before = np.empty((3, 3))  # columns
    for k in range(2):
        sign = 1.0 - 2.0 * k
        for i in range(3):
            before[i, 0] = vectors[i, middle]
            before[i, 1] = part1 * vectors[i, high] + sign * part3 * vectors[i, low]
        _write_cross(before)
        after = product_of(H, before)
        _write_cross(after)
        R = product_of(after, before.T)
        sq_length = 0.0
        for i in range(3):
            t = 0.0
            for j in range(3):
                t += (H[i, j] - R[i, j]) * before[j, 2]
                poses[k, i, j] = R[i, j]
            poses[k, i, 3] = t
            sq_length += t * t
            normals[k, i] = before[i, 2]
        for i in range(3):
            poses[k, i, 3] /= np.sqrt(sq_length)
    return True


@kernel
def _write_cross(columns):
    """Make the third column (3, 3) the cross product of the first two."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        columns[i, 2] = columns[j, 0] * columns[k, 1] - columns[k, 0] * columns[j, 1]


@kernel
def _frontality(normal, pose, ahead):
    """Cosine between a plane's normal and the more oblique of two lines of sight.

    ``ahead`` (4,) is where they go: normalised coordinates in both images.
    """
    cosine1, cosine2 = normal[2], 0.0
    for i in range(3):
        turned = 0.0
        for j in range(3):
            turned += pose[i, j] * normal[j]
        cosine2 += turned * (ahead[2 + i] if i < 2 else 1.0)
        cosine1 += normal[i] * ahead[i] if i < 2 else 0.0
    cosine1 /= np.sqrt(ahead[0] ** 2 + ahead[1] ** 2 + 1.0)
    cosine2 /= np.sqrt(ahead[2] ** 2 + ahead[3] ** 2 + 1.0)
    return min(abs(cosine1), abs(cosine2))


def essential_of_pose(pose: Pose) -> Array:
    """Return ``E = [t]x R``."""
    E: Array = np.empty((3, 3))
    write_essential(np.column_stack([pose.R, pose.t]), E)
    return E


@brief_kernel
def write_essential(pose, essential):
    """Write ``[t]x R`` (3, 3) of a pose ``[R | t]`` (3, 4)."""
    for column in range(3):
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            essential[i, column] = (
                pose[j, 3] * pose[k, column] - pose[k, 3] * pose[j, column]
            )
