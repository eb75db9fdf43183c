"""The cure for a dominant plane, which two pairs of cameras see alike.

A homography between calibrated cameras stands for two poses, and matches on a plane fit
the essential matrices of both.  Only what lies off the plane tells them apart, and
no climb leads from one to the other, nor does a search that the many inliers end early.
But the other can be had from the plane: fit it, take its homography apart, climb from
there, and ask the matches that the plane leaves unexplained.
"""

from __future__ import annotations

import numpy as np

from cvscore._kernel import brief_kernel
from cvscore.models._matrix3 import inverse_of, product_of, write_cofactors
from cvscore.objective import Candidate, Objective
from cvscore.plane_pose import decompose_homography, write_essential
from cvscore.planes import better_beside_plane, dominant_plane
from cvscore.ransac import climb_from
from cvscore.types import Array, RansacOptions


def look_from_both_places(
    cameras: tuple[Array, Array],
    objective: Objective,
    best: Candidate,
    options: RansacOptions,
) -> Candidate:
    """Return a candidate, or the other one that its inliers' plane allows.

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
    essentials = np.empty((2, 3, 3))
    if plane is None or not write_essentials(plane.homography, *cameras, essentials):
        return best
    other = climb_from(objective, _farther(essentials, best.model))
    if other is None:
        return best
    chosen = better_beside_plane(objective, plane, best, other)
    return best if chosen is best else objective.climb(other)


def _farther(essentials: Array, model: Array) -> Array:
    """Return that of two matrices of unit vectors which is less like a third one."""
    likeness = np.abs(np.sum(essentials * model, axis=(1, 2)))
    farther: Array = essentials[int(np.argmin(likeness))]
    return farther


@brief_kernel
def write_essentials(homography, K1, K2, essentials):
    """Write the essential matrices (2, 3, 3) of a plane's homography.

    False where the camera only turned.
    """
    between_rays = product_of(inverse_of(K2), product_of(homography, K1))
    cofactors = np.empty((3, 3))
    write_cofactors(between_rays, cofactors)
    # Of both signs, that of a plane which both cameras see from the same side.
    if (between_rays[0] * cofactors[0]).sum() < 0.0:
        between_rays = -between_rays
    poses, normals = np.empty((2, 3, 4)), np.empty((2, 3))
    if not decompose_homography(between_rays, poses, normals):
        return False
    for k in range(2):
        write_essential(poses[k], essentials[k])
    return True
