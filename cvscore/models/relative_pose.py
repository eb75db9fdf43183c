"""The relative pose behind an essential matrix: factors, local coordinates, cheirality.

``E = [t]x R`` with ``X2 = R X1 + t`` (cam2_from_cam1) and ``|t| = 1``; a pose is the
(3, 4) array ``[R | t]``.  Up to its sign, E is shared by four poses: (R, t), (R, -t)
and the same with R turned by half a turn about t.  Only one of them puts the matched
points in front of both cameras.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.types import Array, Mask, Pose


@kernel
def pose_of_matrix(matrix, pose):
    """Write one pose with ``[t]x R`` proportional to ``matrix`` (3, 3).

    For ``E = [t]x R`` with ``|t| = 1`` the cofactor matrix of E is ``t t' R`` and
    ``[t]x E = (t t' - I) R``, so R is the difference of the two: no SVD.  A matrix that
    is only nearly essential gives a nearby pose.  Returns False if its rank is below 2.
    """
    sq_norm, longest = 0.0, 0.0
    for j in range(3):
        p, q = (j + 1) % 3, (j + 2) % 3
        x = matrix[1, p] * matrix[2, q] - matrix[1, q] * matrix[2, p]
        y = matrix[2, p] * matrix[0, q] - matrix[2, q] * matrix[0, p]
        z = matrix[0, p] * matrix[1, q] - matrix[0, q] * matrix[1, p]
        pose[0, j], pose[1, j], pose[2, j] = x, y, z
        # Every column of t t' R is a multiple of t; the longest is the most accurate.
        sq_length = x * x + y * y + z * z
        if sq_length > longest:
            longest = sq_length
            pose[0, 3], pose[1, 3], pose[2, 3] = x, y, z
        sq_norm += matrix[0, j] ** 2 + matrix[1, j] ** 2 + matrix[2, j] ** 2
    if not longest > 0.0:
        return False
    inverse = 1.0 / np.sqrt(longest)
    tx, ty, tz = pose[0, 3] * inverse, pose[1, 3] * inverse, pose[2, 3] * inverse
    pose[0, 3], pose[1, 3], pose[2, 3] = tx, ty, tz
    # An essential matrix with |t| = 1 has squared norm 2.
    scale = np.sqrt(2.0 / sq_norm)
    for j in range(3):
        x, y, z = scale * matrix[0, j], scale * matrix[1, j], scale * matrix[2, j]
        pose[0, j] = scale * scale * pose[0, j] - (ty * z - tz * y)
        pose[1, j] = scale * scale * pose[1, j] - (tz * x - tx * z)
        pose[2, j] = scale * scale * pose[2, j] - (tx * y - ty * x)
    _orthonormalise(pose)
    return True


@kernel
def _orthonormalise(pose):
    """Make a near-rotation a rotation: two rows by Gram-Schmidt, the third by cross."""
    ax, ay, az = pose[0, 0], pose[0, 1], pose[0, 2]
    inverse = 1.0 / np.sqrt(ax * ax + ay * ay + az * az)
    ax, ay, az = ax * inverse, ay * inverse, az * inverse
    bx, by, bz = pose[1, 0], pose[1, 1], pose[1, 2]
    dot = ax * bx + ay * by + az * bz
    bx, by, bz = bx - dot * ax, by - dot * ay, bz - dot * az
    inverse = 1.0 / np.sqrt(bx * bx + by * by + bz * bz)
    bx, by, bz = bx * inverse, by * inverse, bz * inverse
    pose[0, 0], pose[0, 1], pose[0, 2] = ax, ay, az
    pose[1, 0], pose[1, 1], pose[1, 2] = bx, by, bz
    pose[2, 0], pose[2, 1], pose[2, 2] = (
        ay * bz - az * by,
        az * bx - ax * bz,
        ax * by - ay * bx,
    )


@kernel
def essential_matrices(poses):
    """``[t]x R`` of each pose.  (K, 3, 4) -> (K, 3, 3)."""
    matrices = np.empty((poses.shape[0], 3, 3))
    for k in range(poses.shape[0]):
        tx, ty, tz = poses[k, 0, 3], poses[k, 1, 3], poses[k, 2, 3]
        for j in range(3):
            x, y, z = poses[k, 0, j], poses[k, 1, j], poses[k, 2, j]
            matrices[k, 0, j] = ty * z - tz * y
            matrices[k, 1, j] = tz * x - tx * z
            matrices[k, 2, j] = tx * y - ty * x
    return matrices


@kernel
def tangent_of_direction(pose, tangent):
    """Write two unit vectors orthogonal to t and to each other, as (2, 3) rows."""
    x, y, z = pose[0, 3], pose[1, 3], pose[2, 3]
    # Against the axis that t is least parallel to, so that the product is never short.
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        bx, by, bz = 0.0, z, -y
    elif abs(y) <= abs(z):
        bx, by, bz = -z, 0.0, x
    else:
        bx, by, bz = y, -x, 0.0
    inverse = 1.0 / np.sqrt(bx * bx + by * by + bz * bz)
    bx, by, bz = bx * inverse, by * inverse, bz * inverse
    tangent[0, 0], tangent[0, 1], tangent[0, 2] = bx, by, bz
    tangent[1, 0] = y * bz - z * by
    tangent[1, 1] = z * bx - x * bz
    tangent[1, 2] = x * by - y * bx


@kernel
def move_pose(pose, tangent, step):
    """Apply a step (5,) in local coordinates: three of the rotation, two of t."""
    turn_columns(pose, step, 3)
    tx = pose[0, 3] + step[3] * tangent[0, 0] + step[4] * tangent[1, 0]
    ty = pose[1, 3] + step[3] * tangent[0, 1] + step[4] * tangent[1, 1]
    tz = pose[2, 3] + step[3] * tangent[0, 2] + step[4] * tangent[1, 2]
    inverse = 1.0 / np.sqrt(tx * tx + ty * ty + tz * tz)
    pose[0, 3], pose[1, 3], pose[2, 3] = tx * inverse, ty * inverse, tz * inverse


@kernel
def turn_columns(matrix, turn, num_columns):
    """Turn columns (3,) by the Cayley transform of the first three of ``turn``.

    It agrees with the exponential map to second order, is a rotation for every
    argument, and needs no trigonometry.
    """
    x, y, z = 0.5 * turn[0], 0.5 * turn[1], 0.5 * turn[2]
    scale = 2.0 / (1.0 + x * x + y * y + z * z)
    for j in range(num_columns):
        a, b, c = matrix[0, j], matrix[1, j], matrix[2, j]
        # v + u x v, then the cross product of u with it: u the half step, v a column.
        p, q, r = a + y * c - z * b, b + z * a - x * c, c + x * b - y * a
        matrix[0, j] = a + scale * (y * r - z * q)
        matrix[1, j] = b + scale * (z * p - x * r)
        matrix[2, j] = c + scale * (x * q - y * p)


@kernel
def twist(pose, twisted):
    """Write the pose with R turned by half a turn about t, ``[(2 t t' - I) R | t]``."""
    tx, ty, tz = pose[0, 3], pose[1, 3], pose[2, 3]
    for j in range(3):
        double = 2.0 * (tx * pose[0, j] + ty * pose[1, j] + tz * pose[2, j])
        twisted[0, j] = double * tx - pose[0, j]
        twisted[1, j] = double * ty - pose[1, j]
        twisted[2, j] = double * tz - pose[2, j]
    twisted[0, 3], twisted[1, 3], twisted[2, 3] = tx, ty, tz


@kernel
def depth_signs(pose, x1, y1, z1, x2, y2, z2):
    """Two numbers with the signs of the depths along the rays of a match.

    The rays ``a = R (x1, y1, z1)`` and ``b = (x2, y2, z2)`` meet, or are closest, where
    ``d1 a + t = d2 b``; the cross products of this with b and with a give
    ``d1 |n|^2 = t . (n x b)`` and ``d2 |n|^2 = t . (n x a)``, for ``n = a x b``.  So
    nothing is triangulated; with -t both change sign.
    """
    ax = pose[0, 0] * x1 + pose[0, 1] * y1 + pose[0, 2] * z1
    ay = pose[1, 0] * x1 + pose[1, 1] * y1 + pose[1, 2] * z1
    az = pose[2, 0] * x1 + pose[2, 1] * y1 + pose[2, 2] * z1
    nx, ny, nz = ay * z2 - az * y2, az * x2 - ax * z2, ax * y2 - ay * x2
    # t . (n x b) = n . (b x t), and b x t, a x t are cheaper than two products with n.
    tx, ty, tz = pose[0, 3], pose[1, 3], pose[2, 3]
    first = (
        nx * (y2 * tz - z2 * ty) + ny * (z2 * tx - x2 * tz) + nz * (x2 * ty - y2 * tx)
    )
    second = (
        nx * (ay * tz - az * ty) + ny * (az * tx - ax * tz) + nz * (ax * ty - ay * tx)
    )
    return first, second


@kernel
def count_in_front(poses, points, inliers):
    """Count the inliers in front, for each pose (K, 3, 4) and for its -t: (K, 2)."""
    x1, y1, x2, y2 = points[0], points[1], points[2], points[3]
    counts = np.zeros((poses.shape[0], 2), dtype=np.int64)
    for k in range(poses.shape[0]):
        num_front, num_behind = 0, 0
        for i in range(points.shape[1]):
            first, second = depth_signs(poses[k], x1[i], y1[i], 1.0, x2[i], y2[i], 1.0)
            num_front += inliers[i] & (first > 0.0) & (second > 0.0)
            num_behind += inliers[i] & (first < 0.0) & (second < 0.0)
        counts[k, 0], counts[k, 1] = num_front, num_behind
    return counts


@kernel
def _in_front(pose, points):
    """Whether each point is in front of both cameras: (N,) bool."""
    x1, y1, x2, y2 = points[0], points[1], points[2], points[3]
    in_front = np.empty(points.shape[1], dtype=np.bool_)
    for i in range(points.shape[1]):
        first, second = depth_signs(pose, x1[i], y1[i], 1.0, x2[i], y2[i], 1.0)
        in_front[i] = (first > 0.0) & (second > 0.0)
    return in_front


@brief_kernel
def normalise(points, K1, K2):
    """Return points (4, N) in pixels as normalised ones; cameras upper triangular."""
    rays = np.empty(points.shape)
    for row in (0, 2):
        K = K1 if row == 0 else K2
        fx, skew, cx, fy, cy = K[0, 0], K[0, 1], K[0, 2], K[1, 1], K[1, 2]
        for i in range(points.shape[1]):
            y = (points[row + 1, i] - cy) / fy
            rays[row + 1, i] = y
            rays[row, i] = (points[row, i] - cx - skew * y) / fx
    return rays


def pose_from_essential(
    matrix: Array, points: Array, inliers: Mask | None = None
) -> tuple[Array, Array, Mask]:
    """Of the four poses of an essential matrix, the one with most inliers in front.

    Unlike ``cv2.recoverPose`` there is no limit on the distance of a point.

    Parameters
    ----------
    matrix : (3, 3) array
        Essential matrix of any scale and sign.
    points : (4, N) array
        Rows ``x1, y1, x2, y2`` in normalised coordinates.
    inliers : (N,) bool array, optional
        The matches that decide; all of them by default.

    Returns
    -------
    R : (3, 3) array
        Rotation of ``X2 = R X1 + t``.
    t : (3,) array
        Unit direction of translation.
    in_front : (N,) bool array
        Which of all matches lie in front of both cameras.
    """
    if inliers is None:
        inliers = np.ones(points.shape[1], dtype=np.bool_)
    matrix, points = np.ascontiguousarray(matrix), np.ascontiguousarray(points)
    pose, in_front = choose_pose(matrix, points, inliers)
    if not pose.any():
        raise ValueError("an essential matrix has rank 2; this one has a lower rank")
    return pose[:, :3].copy(), pose[:, 3].copy(), in_front


def angle_between(pose: Pose, other: Pose) -> float:
    """Return the larger angle between two poses' rotations or directions, radians."""
    turn = 0.5 * (np.trace(pose.R.T @ other.R) - 1.0)
    ahead = pose.t @ other.t
    return float(np.arccos(np.clip(min(turn, ahead), -1.0, 1.0)))


@brief_kernel
def choose_pose(matrix, points, inliers):
    """Pose (3, 4) with most inliers in front, and which points (N,) are in front of it.

    The pose is zero where the matrix has none.
    """
    poses = np.empty((2, 3, 4))
    if not pose_of_matrix(matrix, poses[0]):
        return np.zeros((3, 4)), np.zeros(points.shape[1], dtype=np.bool_)
    twist(poses[0], poses[1])
    counts = count_in_front(poses, points, inliers)
    best, is_reversed = 0, 0
    for k in range(2):
        for j in range(2):
            if counts[k, j] > counts[best, is_reversed]:
                best, is_reversed = k, j
    pose = poses[best].copy()
    if is_reversed == 1:
        for i in range(3):
            pose[i, 3] *= -1.0
    return pose, _in_front(pose, points)
