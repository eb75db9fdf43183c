"""The last fit of an essential matrix, without matches that cheirality rules out.

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

from cvscore._numba.bound import brief_bound_kernel, call_inliers
from cvscore._numba.compile import kernel
from cvscore.models.relative_pose import choose_pose, depth_signs, normalise
from cvscore.ransac.irls import core_variance, polish
from cvscore.ransac.local_optimization import optimise_from
from cvscore.ransac.objective import Candidate, Objective
from cvscore.two_view.refinement.isolated_inliers import without_isolated
from cvscore.types import Mask

# How far beyond an end of its half-line a match may be, in noise scales.
MAX_SCALES_BEYOND = 2.5
# Of the inliers: more than this share cannot be wrong matches on the other halves.
MAX_SHARE_BEYOND = 0.2


def polish_in_front(
    objective: Objective, candidate: Candidate
) -> tuple[Objective, Candidate]:
    """Polish among matches that a point in front may have made (a step).

    The model is an essential matrix, which is first optimised among these matches.
    """
    possible = possible_matches(objective, candidate)
    if possible.all():
        return objective, polish_consistent(objective, candidate)
    among_possible = objective.among(possible)
    start = optimise_from(among_possible, candidate.model)
    if start is None:
        return objective, polish_consistent(objective, candidate)
    polished = polish_consistent(among_possible, start)
    return objective, objective.best_of(polished.model[None]) or candidate


def polish_consistent(objective: Objective, candidate: Candidate) -> Candidate:
    """Polish without isolated inliers, where these can be told."""
    chosen = without_isolated(
        objective.points, candidate.sq_residuals, objective.inliers(candidate)
    )
    if chosen.all():
        return polish(objective, candidate)[1]
    start = candidate._replace(sq_residuals=candidate.sq_residuals[chosen])
    _, polished = polish(objective.among(chosen), start)
    return objective.best_of(polished.model[None]) or candidate


def possible_matches(objective: Objective, candidate: Candidate) -> Mask:
    """Return which matches (N,) a point in front may have made.

    All of them where that makes no difference to the inliers, or too much of one.
    How far noise may put a match beyond is that of one of mean weight.
    """
    possible: Mask = objective.run(
        _possible_matches, candidate, *objective.model.cameras
    )
    return possible


@brief_bound_kernel
def _possible_matches(objective, candidate, K1, K2):
    points, sq_residuals = objective.points, candidate.sq_residuals
    dim, num_params = objective.model.residual_dim, objective.model.num_params
    every = np.ones(points.shape[1], dtype=np.bool_)
    inliers = call_inliers(objective.score, sq_residuals)
    rays = normalise(points, K1, K2)
    pose, _ = choose_pose(candidate.model, rays, inliers)
    variance = core_variance(sq_residuals[inliers], dim, num_params)
    if not (pose.any() and variance > 0.0):
        return every
    are_possible = may_be_in_front(pose, rays, variance, K1, K2)
    num_beyond = (inliers & ~are_possible).sum()
    if 0 < num_beyond <= MAX_SHARE_BEYOND * inliers.sum():
        return are_possible
    return every


@kernel
def may_be_in_front(pose, rays, variance, K1, K2):
    """Whether matches (N,) are of points in front, for all that noise lets one tell.

    ``variance`` is that of the noise, in the squared unit of the cameras.
    """
    # Both images add to the angle between two rays.
    sq_angle = variance * (1.0 / K1[0, 0] ** 2 + 1.0 / K2[0, 0] ** 2)
    return on_half_lines(pose, rays, MAX_SCALES_BEYOND**2 * sq_angle)


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
