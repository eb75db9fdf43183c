"""Reading the cameras of a call; for findEssentialMat in all ways to give them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from cvscore.opencv.arrays import as_numeric
from cvscore.opencv.call_forms import Call
from cvscore.types import Array

ACCEPTED_LENGTHS = (0, 4, 5, 8, 12, 14)


@dataclass(frozen=True)
class Camera:
    """A pinhole camera as cv2 reads it.

    Attributes
    ----------
    K : (3, 3) array
        Camera matrix for the mirrored points, with positive focal lengths.
    mirror : (2,) array
        -1 for an axis along which the given focal length is negative, else 1.  Points
        times ``mirror`` before ``K`` give the same rays as points before the given K.
    dist : (D,) array
        Distortion coefficients, maybe none.
    """

    K: Array
    mirror: Array
    dist: Array


def read_cameras(call: Call) -> tuple[Camera, Camera] | None:
    """Return both cameras; None where one of them is none that can be used."""
    parameters = call.form.parameters
    if "cameraMatrix1" in parameters:
        dists = ("distCoeffs1", "dist_coeff1"), ("distCoeffs2", "dist_coeff2")
        first = read_camera(call.values["cameraMatrix1"], call.get(*dists[0]))
        second = read_camera(call.values["cameraMatrix2"], call.get(*dists[1]))
    elif "cameraMatrix" in parameters:
        first = second = read_camera(call.values["cameraMatrix"], None)
    else:
        focal, pp = call.get("focal"), call.get("pp")
        focal = 1.0 if focal is None else focal
        x, y = (0.0, 0.0) if pp is None else pp
        matrix = np.array([[focal, 0.0, x], [0.0, focal, y], [0.0, 0.0, 1.0]])
        first = second = read_camera(matrix, None)
    return None if first is None or second is None else (first, second)


def with_plain_cameras(call: Call) -> Call:
    """Return the call with its camera arrays as cv2 reads them without fault.

    cv2 misreads other byte orders and wants both camera matrices of one type.
    """
    if not call.form.has_cameras:
        return call
    plain: dict[str, Any] = {}
    for name, value in call.values.items():
        if isinstance(value, np.ndarray) and name.startswith("cameraMatrix"):
            plain[name] = _read_matrix(value)
        elif isinstance(value, np.ndarray) and name.startswith("dist"):
            plain[name] = _read_distortion(value)
    return call.with_values(**{n: v for n, v in plain.items() if v is not None})


def read_camera(matrix: Any, distortion: Any) -> Camera | None:
    """Return one camera; None where it is none that can be used."""
    K, dist = _read_matrix(matrix), _read_distortion(distortion)
    if K is None or dist is None:
        return None
    # cv2 reads the upper triangle and takes the last row for granted.
    (fx, skew, cx), (_, fy, cy), _ = K.tolist()
    x, y = math.copysign(1.0, fx), math.copysign(1.0, fy)
    K = np.array([[x * fx, x * skew, x * cx], [0.0, y * fy, y * cy], [0.0, 0.0, 1.0]])
    is_finite = math.isfinite(fx + skew + cx + fy + cy) and np.isfinite(dist).all()
    usable = is_finite and fx * fy * x * y > 0
    return Camera(K, np.array([x, y]), dist) if usable else None


def _read_matrix(value: Any) -> Array | None:
    array = as_numeric(value) if isinstance(value, (np.ndarray, cv2.UMat)) else None
    if array is None or array.shape[:2] != (3, 3) or array.size != 9:
        return None
    return array.reshape(3, 3).astype(np.float64)


def _read_distortion(value: Any) -> Array | None:
    """Read the coefficients as a flat array, empty for None; None for anything else."""
    if value is None:
        return np.empty(0)
    if isinstance(value, (int, float)):  # cv2 makes four of one number
        value = np.array([value, 0.0, 0.0, 0.0])
    array = as_numeric(value)
    if array is None or array.size not in ACCEPTED_LENGTHS:
        return None
    if isinstance(value, tuple) and array.ndim > 1:  # cv2 takes no nested tuples
        return None
    return array.ravel().astype(np.float64)
