"""Frames of image pairs, and what cameras and matrices are in them.

Each image has its own shift and both share one scale, see
`cvscore.data.normalization`.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import brief_kernel
from cvscore.data.normalization import Frame, power_of_two
from cvscore.types import MAX_SIZE_RATIO, Array, SizeError


def frame_of_cameras(K1: Array, K2: Array) -> Frame:
    """Return the frame at the principal points with the mean focal length as unit."""
    first, second = mean_focal(K1, K1), mean_focal(K2, K2)
    if not 1.0 / MAX_SIZE_RATIO <= first / second <= MAX_SIZE_RATIO:
        raise SizeError(
            "K1 and K2 must have focal lengths that are not more than "
            f"{MAX_SIZE_RATIO:g} times each other, got {first:g} and {second:g}"
        )
    shift = np.concatenate([K1[:2, 2], K2[:2, 2]])
    return Frame(shift, power_of_two(mean_focal(K1, K2)))


def mean_focal(K1: Array, K2: Array) -> float:
    """Return the geometric mean of the focal lengths of two cameras."""
    focals = [float(f) for f in (K1[0, 0], K1[1, 1], K2[0, 0], K2[1, 1])]
    return math.exp(sum(math.log(focal) for focal in focals) / len(focals))


def camera_inside(frame: Frame, K: Array, image: int) -> Array:
    """Return the camera matrix of image 0 or 1 for points inside the frame."""
    inside: Array = K / frame.unit
    inside[:2, 2] -= frame.shift[2 * image : 2 * image + 2] / frame.unit
    inside[2, 2] = 1.0
    return inside


def matrix_into(frame: Frame, image: int) -> Array:
    """Return the (3, 3) matrix that brings points of image 0 or 1 inside."""
    dx, dy = frame.shift[2 * image : 2 * image + 2]
    return np.array([[1.0, 0.0, -dx], [0.0, 1.0, -dy], [0.0, 0.0, frame.unit]])


@brief_kernel
def homography_outside(frame, inside):
    """Return the homography (3, 3) of the points that is ``inside`` in the frame."""
    shift, unit = frame.shift, frame.unit
    outside = np.empty((3, 3))
    for i in range(3):
        outside[i, 0], outside[i, 1] = inside[i, 0], inside[i, 1]
        outside[i, 2] = (
            unit * inside[i, 2] - inside[i, 0] * shift[0] - inside[i, 1] * shift[1]
        )
    for j in range(3):
        outside[2, j] /= unit
        outside[0, j] += shift[2] * outside[2, j]
        outside[1, j] += shift[3] * outside[2, j]
    return outside


@brief_kernel
def fundamental_outside(frame, inside):
    """Return the fundamental matrix of the points that is ``inside`` in the frame."""
    shift, unit = frame.shift, frame.unit
    outside = inside.copy()
    for i in range(3):
        outside[i, 2] = (
            unit * inside[i, 2] - inside[i, 0] * shift[0] - inside[i, 1] * shift[1]
        )
    for j in range(3):
        outside[2, j] = (
            unit * outside[2, j] - shift[2] * outside[0, j] - shift[3] * outside[1, j]
        )
    return outside
