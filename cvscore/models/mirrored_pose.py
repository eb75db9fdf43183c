"""The other pose from which a camera sees a plane nearly alike.

From far away only the parts of a plane's directions across the line of sight are seen,
and not whether it turns away to the one side or to the other: a plane and its mirror
image across the line of sight look the same (Schweighofer and Pinz 2006, Collins and
Bartoli 2014).  From closer they do not quite, and then the other pose is near to this
one, or fits worse, or is no optimum at all.
"""

from __future__ import annotations

import numpy as np

from cvscore.types import Array


def mirrored_pose(pose: Array, scene: Array) -> Array:
    """Return the pose (3, 4) that shows the plane of scene points from its other side.

    Parameters
    ----------
    pose : (3, 4) array
        ``[R | t]``.
    scene : (3, M) array
        Points of a plane, or about one.
    """
    R, t = pose[:, :3], pose[:, 3]
    middle = scene.mean(axis=1)
    axes, _, _ = np.linalg.svd(scene - middle[:, None], full_matrices=False)
    seen = R @ middle + t
    # Of what is on the plane only depth is mirrored; to mirror what is across the plane
    # as well makes a rotation of it.
    mirrored = _mirror(seen) @ R @ _mirror(axes[:, 2])
    return np.column_stack([mirrored, seen - mirrored @ middle])


def _mirror(direction: Array) -> Array:
    """Return the reflection (3, 3) that turns a direction round."""
    mirror: Array = np.eye(3) - 2.0 * np.outer(direction, direction) / (
        direction @ direction
    )
    return mirror
