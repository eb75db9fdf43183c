"""COLMAP's cameras as pinhole cameras: where the geometry of two views is exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cvscore.types import Array

# In COLMAP the centre of the first pixel is (0.5, 0.5), in OpenCV it is (0, 0).
COLMAP_FROM_OPENCV = 0.5  # pixels


@dataclass(frozen=True)
class PinholeView:
    """Keypoints as a pinhole camera without distortion would have seen them.

    Attributes
    ----------
    points : (N, 2) array
        Pixels of the pinhole camera, those of the image where the lens has no
        distortion; NaN where no ray belongs to a keypoint.
    K : (3, 3) array
        Its camera matrix.
    calibrated : bool
        Whether the focal length is known, and not only guessed.
    has_image_plane : bool
        False for a spherical camera, whose pixels are no plane's: F and H of them
        mean nothing to anybody else.
    """

    points: Array
    K: Array
    calibrated: bool
    has_image_plane: bool = True


def colmap_from_opencv(points: ArrayLike) -> Array:
    """Bring keypoints (N, 2) of OpenCV, and most feature networks, to COLMAP's pixels.

    Keypoints that pycolmap extracted and those in a database need nothing.
    """
    return np.asarray(points, dtype=np.float64) + COLMAP_FROM_OPENCV


def pinhole_view(camera: Any, keypoints: ArrayLike) -> PinholeView:
    """Undistort keypoints (N, 2) of a ``pycolmap.Camera`` of any model.

    COLMAP estimates F and H on distorted pixels, for which they don't hold exactly, and
    recovers poses from them as if they did.  In the frame of the pinhole camera they
    do; without distortion the two frames are one.
    """
    pixels = np.ascontiguousarray(keypoints, dtype=np.float64).reshape(-1, 2)
    rays = np.asarray(camera.cam_from_img(pixels), dtype=np.float64).reshape(-1, 2)
    planar = not getattr(camera, "is_spherical", lambda: False)()
    K = camera.calibration_matrix() if planar else _central_pinhole(camera)
    K = np.ascontiguousarray(K)  # pycolmap's columns come first: kernels know one order
    with np.errstate(over="ignore", invalid="ignore"):  # no ray, then, where it is so
        points = rays @ K[:2, :2].T + K[:2, 2]
    return PinholeView(
        points=points,
        K=K,
        # A spherical camera has no focal length that could be wrong.
        calibrated=not planar or bool(camera.has_prior_focal_length),
        has_image_plane=planar,
    )


def _central_pinhole(camera: Any) -> Array:
    """Return the pinhole camera that has a spherical one's resolution at its centre."""
    focal = camera.width / (2.0 * math.pi)
    return np.diag([focal, focal, 1.0])
