"""The cure for a dominant plane, which two pairs of cameras see alike.

A homography between calibrated cameras stands for two poses, and matches on a plane fit
the essential matrices of both.  Only what lies off the plane tells them apart, and
no climb leads from one to the other, nor does a search that the many inliers end early.
But each can be had from the plane at no cost: fit it, take its homography apart, climb
from both, and ask the matches that the plane leaves unexplained.
"""

from __future__ import annotations

import numpy as np

from cvscore.models._matrix3 import inverse_of, product_of
from cvscore.objective import Candidate, Objective
from cvscore.plane_pose import decompose_homography, essential_of_pose
from cvscore.planes import better_beside_plane, dominant_plane
from cvscore.types import Array, Pose, RansacOptions


def look_from_both_places(
    cameras: tuple[Array, Array],
    objective: Objective,
    best: Candidate,
    options: RansacOptions,
) -> Candidate:
    """Return the best of a candidate and the two that its inliers' plane allows.

    Parameters
    ----------
    cameras : two (3, 3) arrays
        Camera matrices of the objective's points.
    objective : Objective
        Of an essential matrix.
    best : Candidate
        What the search has found.
    options : RansacOptions
        Its limits.
    """
    plane = dominant_plane(objective, best, options)
    if plane is None:
        return best
    candidates = [best]
    for essential in _essentials_of(plane.homography, *cameras):
        start = objective.best_of(essential[None])
        if start is not None:
            candidates.append(objective.climb(start))
    return better_beside_plane(objective, plane, candidates)


def _essentials_of(homography: Array, K1: Array, K2: Array) -> list[Array]:
    """Essential matrices of a plane's homography, none if the camera only turned."""
    between_rays = product_of(inverse_of(K2), product_of(homography, K1))
    # Of both signs, that of a plane which both cameras see from the same side.
    if np.linalg.det(between_rays) < 0.0:
        between_rays = -between_rays
    poses, normals = np.empty((2, 3, 4)), np.empty((2, 3))
    if not decompose_homography(between_rays, poses, normals):
        return []
    return [essential_of_pose(Pose(pose[:, :3], pose[:, 3])) for pose in poses]
