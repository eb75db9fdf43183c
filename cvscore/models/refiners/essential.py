"""Levenberg-Marquardt on the weighted Sampson error of an essential matrix.

The cost is that of ``F = K2^-T E K1^-1``, in the units of the image points, so that two
different focal lengths are weighted right.  The parameters are those of a pose: a
rotation multiplied from the left, and a direction moved in its tangent plane.  With
``w`` the small rotation and ``d`` the change of t,

    dE = [t]x [w]x R + [d]x R,      [t]x [w]x = w t' - (t . w) I.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.models.relative_pose import (
    essential_matrices,
    move_pose,
    pose_of_matrix,
    tangent_of_direction,
)
from cvscore.models.sampson import sampson_normal_matrix
from cvscore.numerics.least_squares import (
    DAMPING_FACTOR,
    INITIAL_DAMPING,
    MAX_DAMPING,
    MAX_REFIT_STEPS,
    ROUNDING,
    damped_step,
    drop_unweighted,
)

NUM_PARAMS = 5


@kernel
def refit_essential(model, points, weights, inverses, converged):
    """Minimise the weighted sum of squared Sampson residuals, starting at ``model``.

    Parameters
    ----------
    model : (3, 3) array
        Essential matrix, of any scale.
    points : (4, N) array
        Image points, of order one.
    weights : (N,) array
        Not negative.
    inverses : (2, 3, 3) array
        Inverse intrinsics of both cameras: from image points to normalised ones.
    converged : float
        It ends at a step that promises less than this fraction of the cost.

    Returns
    -------
    (3, 3) array
        ``[t]x R`` with ``|t| = 1``; ``model`` itself if it cannot be improved.
    """
    points, weights = drop_unweighted(points, weights)
    poses = np.empty((1, 3, 4))
    if weights.shape[0] < NUM_PARAMS or not pose_of_matrix(model, poses[0]):
        return model
    poses = _minimise(poses, points, weights, inverses, converged)
    return essential_matrices(poses)[0]


@kernel
def _minimise(poses, points, weights, inverses, converged):
    """Levenberg-Marquardt from a pose, (1, 3, 4), to another."""
    trial = poses
    normal = np.zeros((NUM_PARAMS + 1, NUM_PARAMS + 1))
    tangent, step = np.empty((2, 3)), np.empty(NUM_PARAMS)
    no_gauge = np.zeros(NUM_PARAMS)
    floor = ROUNDING * weights.sum()
    cost = np.inf
    # The start is the first trial; accepting it lowers the damping once.
    damping = INITIAL_DAMPING * DAMPING_FACTOR
    for _ in range(MAX_REFIT_STEPS):
        trial_tangent = np.empty((2, 3))
        trial_normal = pose_normal_matrix(
            trial, trial_tangent, points, weights, inverses
        )
        if trial_normal[NUM_PARAMS, NUM_PARAMS] < cost:
            poses, tangent, normal = trial, trial_tangent, trial_normal
            cost = normal[NUM_PARAMS, NUM_PARAMS]
            damping /= DAMPING_FACTOR
        else:
            damping *= DAMPING_FACTOR
        promise = damped_step(normal, no_gauge, damping, step)
        if damping > MAX_DAMPING or not promise > converged * cost + floor:
            break
        trial = poses.copy()
        move_pose(trial[0], tangent, step)
    return poses


@kernel
def pose_normal_matrix(poses, tangent, points, weights, inverses):
    """Gauss-Newton matrix, half the gradient and the cost in local coordinates.

    Parameters
    ----------
    poses : (1, 3, 4) array
    tangent : (2, 3) array
        Written: the directions of the last two of the five coordinates.
    points : (4, N) array
    weights : (N,) array
    inverses : (2, 3, 3) array
        Inverse intrinsics.

    Returns
    -------
    (6, 6) array
        Symmetric, as `sampson_normal_matrix` with five parameters for nine.
    """
    tangent_of_direction(poses[0], tangent)
    fundamental = np.empty((3, 3))
    _to_image(essential_matrices(poses)[0], inverses, fundamental)
    by_entry = sampson_normal_matrix(fundamental, points, weights)
    # The residual follows the derivatives as tenth row: it maps to itself.
    chain = np.zeros((10, NUM_PARAMS + 1))
    chain[9, NUM_PARAMS] = 1.0
    change, image_change = np.empty((3, 3)), np.empty((3, 3))
    for k in range(NUM_PARAMS):
        _derivative(poses[0], tangent, k, change)
        _to_image(change, inverses, image_change)
        for i in range(3):
            for j in range(3):
                chain[3 * i + j, k] = image_change[i, j]
    half = np.zeros((10, NUM_PARAMS + 1))
    normal = np.zeros((NUM_PARAMS + 1, NUM_PARAMS + 1))
    for i in range(10):
        for j in range(10):
            for b in range(NUM_PARAMS + 1):
                half[i, b] += by_entry[i, j] * chain[j, b]
        for a in range(NUM_PARAMS + 1):
            for b in range(NUM_PARAMS + 1):
                normal[a, b] += chain[i, a] * half[i, b]
    return normal


@kernel
def _to_image(essential, inverses, fundamental):
    """Write ``K2^-T E K1^-1``."""
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(3):
                for m in range(3):
                    total += inverses[1, k, i] * essential[k, m] * inverses[0, m, j]
            fundamental[i, j] = total


@kernel
def _derivative(pose, tangent, k, change):
    """Write the derivative (3, 3) of E by local coordinate ``k``."""
    for j in range(3):
        x, y, z = pose[0, j], pose[1, j], pose[2, j]
        if k < 3:
            t = pose[k, 3]
            change[0, j], change[1, j], change[2, j] = -t * x, -t * y, -t * z
            change[k, j] += pose[0, 3] * x + pose[1, 3] * y + pose[2, 3] * z
        else:
            dx, dy, dz = tangent[k - 3, 0], tangent[k - 3, 1], tangent[k - 3, 2]
            change[0, j] = dy * z - dz * y
            change[1, j] = dz * x - dx * z
            change[2, j] = dx * y - dy * x
