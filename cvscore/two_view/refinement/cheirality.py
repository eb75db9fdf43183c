"""The last fit of an essential matrix, without matches that no point in front makes.

A point in front of both cameras is seen in the second image on half of an epipolar line
only: it comes from infinity, where the rotation alone puts it, and goes towards the
epipole.  With known cameras that half is known.  A wrong match near the line is on the
other half about as often as on this one, so that half of those which would pull at the
last fit can be told from right matches, whatever their residuals.

Noise moves a far point across infinity, and the direction of a line near the epipole is
anybody's guess; so what is within the noise of an end of the half-line may stay.  Where
the camera only turned, every match is.  And where many inliers are beyond, it is the
pose that is wrong: that of a plane in much noise may be, and its own matches disprove
it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import brief_kernel, kernel
from cvscore._numba.bound import call_inliers
from cvscore.models.relative_pose import choose_pose, depth_signs, normalise
from cvscore.ransac.objective import Candidate, Objective
from cvscore.ransac.loop import climb_from
from cvscore.ransac.irls import core_variance
from cvscore.two_view.refinement.epipolar_irls import polish_essential
from cvscore.types import Array

# How far beyond an end of its half-line a match may be, in noise scales.
NUM_SCALES = 2.5
# Of the inliers: more than this share cannot be wrong matches on the other halves.
MAX_BEYOND = 0.2


def polish_on_half_lines(
    cameras: tuple[Array, Array], objective: Objective, best: Candidate
) -> Candidate:
    """Climb and polish among the matches that a point in front may have made.

    Parameters
    ----------
    cameras : two (3, 3) arrays
        Camera matrices of the objective's points.
    objective : Objective
        Of an essential matrix.
    best : Candidate
        The model found.

    Returns
    -------
    Candidate
        With residuals and score of all matches.
    """
    possible = possible_matches(cameras, objective, best)
    if len(possible) == objective.points.shape[1]:
        return polish_essential(cameras, objective, best)
    points = np.ascontiguousarray(objective.points[:, possible])
    among_possible = Objective(objective.model, points, objective.score)
    climbed = climb_from(among_possible, best.model)
    if climbed is None:
        return polish_essential(cameras, objective, best)
    polished = polish_essential(cameras, among_possible, climbed)
    return objective.best_of(polished.model[None]) or best


def possible_matches(
    cameras: tuple[Array, Array], objective: Objective, best: Candidate
) -> NDArray[np.int64]:
    """Return the indices of the matches that a point in front may have made.

    All of them where that makes no difference to the inliers, or too much of one.
    """
    model = objective.model
    possible: NDArray[np.int64] = objective.run(
        _possible_matches,
        best.model,
        best.sq_residuals,
        objective.points,
        *cameras,
        model.residual_dim,
        model.num_params,
    )
    return possible


@brief_kernel
def _possible_matches(
    functions, constants, model, sq_residuals, points, K1, K2, dim, num_params
):
    everybody = np.arange(points.shape[1])
    inliers = call_inliers(functions, (sq_residuals, constants[1]))
    rays = normalise(points, K1, K2)
    pose, _ = choose_pose(model, rays, inliers)
    variance = core_variance(sq_residuals[inliers], dim, num_params)
    if not (pose.any() and variance > 0.0):
        return everybody
    # Both images add to the angle between two rays.
    sq_angle = variance * (1.0 / K1[0, 0] ** 2 + 1.0 / K2[0, 0] ** 2)
    are_possible = on_half_lines(pose, rays, NUM_SCALES**2 * sq_angle)
    num_beyond = (inliers & ~are_possible).sum()
    if 0 < num_beyond <= MAX_BEYOND * inliers.sum():
        return np.flatnonzero(are_possible)
    return everybody


@kernel
def on_half_lines(pose, rays, sq_angle):
    """Whether matches (N,) are on their half-lines, or no farther off than an angle.

    Parameters
    ----------
    pose : (3, 4) array
        R and t, of unit length.
    rays : (4, N) array
        Matches in normalised coordinates.
    sq_angle : float
        The square of a small angle, in radians.
    """
    are_on = np.empty(rays.shape[1], dtype=np.bool_)
    t = pose[0, 3], pose[1, 3], pose[2, 3]
    for i in range(rays.shape[1]):
        x1, y1, x2, y2 = rays[0, i], rays[1, i], rays[2, i], rays[3, i]
        first, second = depth_signs(pose, x1, y1, 1.0, x2, y2, 1.0)
        from_infinity = (
            pose[0, 0] * x1 + pose[0, 1] * y1 + pose[0, 2],
            pose[1, 0] * x1 + pose[1, 1] * y1 + pose[1, 2],
            pose[2, 0] * x1 + pose[2, 1] * y1 + pose[2, 2],
        )
        seen = x2, y2, 1.0
        are_on[i] = (
            (first > 0.0 and second > 0.0)
            or _are_close(seen, from_infinity, sq_angle)
            or _are_close(seen, t, sq_angle)
        )
    return are_on


@kernel
def _are_close(a, b, sq_angle):
    """Whether two directions are no farther apart than a small angle."""
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return dot > 0.0 and x * x + y * y + z * z <= sq_angle * dot * dot
