"""The coordinate frame in which kernels work: values of order one, the metric kept.

Each image has its own shift and both share one scale, so that a residual in the frame
is a residual in the unit of the points divided by that scale.  All of it follows the
points under shifts and changes of unit, which is what makes the estimators equivariant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvscore.types import Array

# The spread of coordinates is read between this quantile and its opposite, so that a
# few wild coordinates can't move it.
LOW_QUANTILE = 0.05


@dataclass(frozen=True)
class Frame:
    """``inside = (outside - shift) / unit`` for points (4, N); the shift is (4,)."""

    shift: Array
    unit: float

    def enter(self, points: Array) -> Array:
        """Bring points (4, N) into the frame."""
        return np.ascontiguousarray((points - self.shift[:, None]) / self.unit)

    def matrix(self, image: int) -> Array:
        """Return the (3, 3) matrix that brings points of image 0 or 1 inside."""
        dx, dy = self.shift[2 * image : 2 * image + 2]
        return np.array([[1.0, 0.0, -dx], [0.0, 1.0, -dy], [0.0, 0.0, self.unit]])

    def camera(self, K: Array, image: int) -> Array:
        """Return the camera matrix of image 0 or 1 for points inside the frame."""
        inside = self.matrix(image) @ K
        return inside / inside[2, 2]


def frame_of(points: Array, spreads: Array) -> Frame:
    """Return a frame centred on the points (4, N), whose coordinates spread so far."""
    centre = np.median(points, axis=1) if points.size else np.zeros(4)
    return Frame(centre, _power_of_two(float(np.max(spreads))))


def frame_of_cameras(K1: Array, K2: Array) -> Frame:
    """Return the frame at the principal points with the mean focal length as unit."""
    shift = np.concatenate([K1[:2, 2], K2[:2, 2]])
    focals = [K1[0, 0], K1[1, 1], K2[0, 0], K2[1, 1]]
    return Frame(shift, _power_of_two(float(np.exp(np.mean(np.log(focals))))))


def extent(spreads: Array) -> float:
    """Diagonal of a region with such spreads (4,), for both images together.

    A residual can spread over an image no further than the smaller of the two lets it,
    so the two diagonals are combined by their harmonic (root mean square) mean.
    """
    diagonals = np.hypot(spreads[[0, 2]], spreads[[1, 3]])
    if not np.all(diagonals > 0.0):
        return 0.0
    return float(np.mean(diagonals**-2.0) ** -0.5)


def precision(points: Array) -> float:
    """Return the rounding error that coordinates (4, N) of this size carry."""
    return float(np.finfo(np.float64).eps * np.median(np.abs(points), axis=1).max())


def spreads_of(points: Array) -> Array:
    """Range (4,) of each coordinate of (4, N), as if uniform between two quantiles."""
    if points.size == 0:
        return np.zeros(4)
    last = points.shape[1] - 1
    low, high = int(LOW_QUANTILE * last), last - int(LOW_QUANTILE * last)
    ordered = np.sort(points, axis=1)
    spreads = (ordered[:, high] - ordered[:, low]) * (last / max(high - low, 1))
    return np.where(spreads > 0.0, spreads, ordered[:, -1] - ordered[:, 0])


def _power_of_two(unit: float) -> float:
    """Round to a power of two: dividing by it loses no digit."""
    return 2.0 ** round(np.log2(unit)) if unit > 0.0 else 1.0
