"""The door: every argument becomes what the kernels expect, or a ValueError."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore.types import (
    LARGEST,
    MAX_SIZE_RATIO,
    SMALLEST,
    Array,
    SizeError,
    shown,
)

# What OpenCV accepts: radial-tangential with 4 or 5 coefficients, rational with 8,
# thin prism with 12, tilted sensor with 14.
DISTORTION_LENGTHS = (4, 5, 8, 12, 14)


def as_real_array(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return an array of real numbers, of whatever shape."""
    try:
        array = np.asarray(values)
    except Exception as error:  # ragged, or made of what has no array
        raise ValueError(f"{name} must be an array of real numbers") from error
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold real numbers, got dtype {array.dtype}")
    return without_long_doubles(array)


def without_long_doubles(array: NDArray[Any]) -> NDArray[Any]:
    """Return real numbers that float64 holds; what is too large for it is infinite."""
    if array.dtype.itemsize <= np.dtype(np.float64).itemsize:
        return array
    with np.errstate(over="ignore"):
        return array.astype(np.float64)


def as_coordinates(x: ArrayLike, dim: int, name: str) -> Array:
    """Return points as an array (N, dim) of real numbers."""
    array = as_real_array(x, name)
    if array.ndim != 2 or array.shape[1] != dim:
        raise ValueError(f"{name} must have shape (N, {dim}), got {array.shape}")
    return array


def check_finite(points: Array, name: str) -> None:
    """Refuse points (dim, N) that have NaN or infinite coordinates."""
    num_bad = int((~np.isfinite(points)).any(axis=0).sum())
    if num_bad:
        raise ValueError(
            f"{name} has NaN or infinite coordinates in {num_bad} of "
            f"{points.shape[1]} rows"
        )


def as_intrinsics(K: ArrayLike, name: str) -> Array:
    """Return a camera matrix as float64 (3, 3), its last row (0, 0, 1)."""
    matrix = as_real_array(K, name)
    if matrix.shape != (3, 3):
        raise ValueError(f"{name} must have shape (3, 3), got {matrix.shape}")
    matrix = matrix.astype(np.float64)
    # Python's numbers: nine of them are checked faster than NumPy is called.
    entries = matrix.ravel().tolist()
    fx, _, _, corner1, fy, _, corner2, corner3, scale = entries
    if not all(map(math.isfinite, entries)):
        raise ValueError(f"{name} has NaN or infinite entries")
    if scale == 0.0 or corner1 or corner2 or corner3:
        raise ValueError(f"{name} must be upper triangular, got {matrix.tolist()}")
    if fx / scale <= 0.0 or fy / scale <= 0.0:
        raise ValueError(
            f"{name} must have positive focal lengths, got {fx / scale:g} and "
            f"{fy / scale:g}"
        )
    largest, focals = max(map(abs, entries)), (fx / scale, fy / scale)
    if not (
        abs(scale) >= SMALLEST
        and largest <= min(1.0, abs(scale)) * LARGEST
        and min(focals) >= max(SMALLEST, max(focals) / MAX_SIZE_RATIO)
    ):
        raise SizeError(
            f"{name} must have entries below {LARGEST:g}, and focal lengths above "
            f"{SMALLEST:g} and not {MAX_SIZE_RATIO:g} times each other, got "
            f"{shown(matrix.tolist())}"
        )
    scaled: Array = matrix / scale
    return scaled


def as_distortion(dist: ArrayLike | None, name: str) -> Array | None:
    """Return OpenCV's distortion coefficients as (14,), None where all are 0."""
    if dist is None:
        return None
    coefficients = as_real_array(dist, name).astype(np.float64).ravel()
    if coefficients.size == 0:
        return None
    if coefficients.size not in DISTORTION_LENGTHS:
        raise ValueError(
            f"{name} must have one of {DISTORTION_LENGTHS} coefficients, "
            f"got {coefficients.size}"
        )
    if not np.isfinite(coefficients).all():
        raise ValueError(f"{name} has NaN or infinite coefficients")
    if not coefficients.any():
        return None
    return np.concatenate([coefficients, np.zeros(14 - coefficients.size)])


def as_quality(quality: ArrayLike | None, num_points: int) -> Array | None:
    """Return match qualities as (N,) float64, larger is better."""
    if quality is None:
        return None
    array = as_real_array(quality, "quality").astype(np.float64).ravel()
    if array.size != num_points:
        raise ValueError(f"quality must have {num_points} entries, got {array.size}")
    if np.isnan(array).any():
        raise ValueError(f"quality has {int(np.isnan(array).sum())} NaN entries")
    return array


def as_weights(weights: ArrayLike | None, num_points: int) -> Array | None:
    """Return the weights of matches as (N,) float64 of geometric mean one.

    None where all are equal, for then they say nothing.
    """
    if weights is None:
        return None
    array = as_real_array(weights, "weights").astype(np.float64)
    if array.shape != (num_points,):
        raise ValueError(f"weights must have shape ({num_points},), got {array.shape}")
    num_bad = int(num_points - np.count_nonzero((array > 0.0) & (array < np.inf)))
    if num_bad:
        raise ValueError(
            f"weights must be positive and finite, and {num_bad} of {num_points} are "
            f"not"
        )
    if num_points == 0 or array.min() == array.max():
        return None
    smallest, largest = array.min(), array.max()
    if smallest < largest / MAX_SIZE_RATIO:
        raise SizeError(
            f"weights must not be more than {MAX_SIZE_RATIO:g} times each other, got "
            f"{smallest:g} and {largest:g}"
        )
    relative = array / largest
    scaled: Array = relative / np.exp(np.log(relative).mean())
    return scaled
