"""Poses of minimal samples: Newton's method on them, and which have a scene in front.

A solver's roots carry the rounding of everything before them.  Moving the pose itself,
until the five epipolar equations of the sample hold, removes it and keeps the matrix
exactly essential.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.models.relative_pose import (
    depth_signs,
    move_pose,
    pose_of_matrix,
    tangent_of_direction,
    twist,
)
from cvscore.numerics.linalg import solve_linear

SAMPLE_SIZE = 5

# Newton's method stops when all equations (of unit rays) hold to this ...
MAX_EQUATION = 1e-12
# ... and gives a root up when they don't after so many checks.  Nine in ten hold at the
# first, others after a step or two; from a root that needs more it may have gone to the
# neighbouring solution.
MAX_CHECKS = 4


@kernel
def polish_poses(rays, matrices, samples, in_front):
    """Find poses near nearly essential matrices that solve their samples exactly.

    Parameters
    ----------
    rays : (B, 5, 6) array
        Unit vectors along the rays of each match of each sample.
    matrices : (M, 3, 3) array
    samples : (M,) array of int
        The sample of each matrix.
    in_front : bool
        Whether to leave out matrices none of whose poses has its sample in front of
        both cameras.

    Returns
    -------
    poses : (K, 3, 4) array
        One of the four poses of each matrix from where Newton's method converges.
    samples : (K,) array of int
        Their samples.
    is_lost : (B,) bool array
        Which samples have a matrix from where it does not.
    """
    poses = np.empty((matrices.shape[0], 3, 4))
    solved = np.empty(matrices.shape[0], dtype=np.int64)
    is_lost = np.zeros(rays.shape[0], dtype=np.bool_)
    tangent = np.empty((2, 3))
    system = np.empty((SAMPLE_SIZE, SAMPLE_SIZE + 1))
    step = np.empty(SAMPLE_SIZE)
    twisted = np.empty((3, 4))
    count = 0
    for k in range(matrices.shape[0]):
        pose, sample = poses[count], samples[k]
        if not pose_of_matrix(matrices[k], pose):
            is_lost[sample] = True
            continue
        if in_front and not _is_in_front(rays[sample], pose):
            twist(pose, twisted)
            if not _is_in_front(rays[sample], twisted):
                continue
        if _move_to_solution(rays[sample], pose, tangent, system, step):
            solved[count] = sample
            count += 1
        else:
            is_lost[sample] = True
    return poses[:count], solved[:count], is_lost


@kernel
def _move_to_solution(rays, pose, tangent, system, step):
    """Newton's method from ``pose``, in place; return whether it converged."""
    for _ in range(MAX_CHECKS):
        tangent_of_direction(pose, tangent)
        if _linearise(rays, pose, tangent, system):
            return True
        if not solve_linear(system, step):
            return False
        move_pose(pose, tangent, step)
    return False


@kernel
def _linearise(rays, pose, tangent, system):
    """Write Newton's equations (5, 6) at a pose; return whether it solves the sample.

    With ``a = R x1``, the epipolar equation and its derivatives by the rotation and by
    the direction are ``t . n``, ``a x (x2 x t)`` and ``n = a x x2`` along the tangent.
    """
    tx, ty, tz = pose[0, 3], pose[1, 3], pose[2, 3]
    largest = 0.0
    for i in range(SAMPLE_SIZE):
        x1, y1, z1 = rays[i, 0], rays[i, 1], rays[i, 2]
        x2, y2, z2 = rays[i, 3], rays[i, 4], rays[i, 5]
        ax = pose[0, 0] * x1 + pose[0, 1] * y1 + pose[0, 2] * z1
        ay = pose[1, 0] * x1 + pose[1, 1] * y1 + pose[1, 2] * z1
        az = pose[2, 0] * x1 + pose[2, 1] * y1 + pose[2, 2] * z1
        nx, ny, nz = ay * z2 - az * y2, az * x2 - ax * z2, ax * y2 - ay * x2
        cx, cy, cz = y2 * tz - z2 * ty, z2 * tx - x2 * tz, x2 * ty - y2 * tx
        system[i, 0] = ay * cz - az * cy
        system[i, 1] = az * cx - ax * cz
        system[i, 2] = ax * cy - ay * cx
        system[i, 3] = tangent[0, 0] * nx + tangent[0, 1] * ny + tangent[0, 2] * nz
        system[i, 4] = tangent[1, 0] * nx + tangent[1, 1] * ny + tangent[1, 2] * nz
        equation = tx * nx + ty * ny + tz * nz
        system[i, 5] = -equation
        largest = max(largest, abs(equation))
    return largest < MAX_EQUATION


@kernel
def _is_in_front(rays, pose):
    """Whether all five points are in front of both cameras, for t or for -t."""
    all_front = all_behind = True
    for i in range(SAMPLE_SIZE):
        first, second = depth_signs(
            pose,
            rays[i, 0],
            rays[i, 1],
            rays[i, 2],
            rays[i, 3],
            rays[i, 4],
            rays[i, 5],
        )
        all_front = all_front and first > 0.0 and second > 0.0
        # With -t for t, behind becomes in front.
        all_behind = all_behind and first < 0.0 and second < 0.0
        if not (all_front or all_behind):
            return False
    return True
