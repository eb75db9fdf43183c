"""The coordinate frame in which kernels work: values of order one, the metric kept.

Each image has its own shift and both share one scale, so that a residual in the frame
is a residual in the unit of the points divided by that scale.  All of it follows the
points under shifts and changes of unit, which is what makes the estimators equivariant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvscore.types import Array

# The spread of coordinates is read between these quantiles, so that a few wild
# coordinates can't move it.
LOW_QUANTILE, HIGH_QUANTILE = 0.05, 0.95


@dataclass(frozen=True)
class Frame:
    """``inside = (outside - shift) / unit`` for points (4, N); the shift is (4,)."""

    shift: Array
    unit: float

    def enter(self, points: Array) -> Array:
        """Bring points (4, N) into the frame."""
        return np.ascontiguousarray((points - self.shift[:, None]) / self.unit)

    def matrix(self, image: int) -> Array:
        """Return the 3x3 matrix that brings homogeneous points of image 0 or 1 inside."""
        dx, dy = self.shift[2 * image : 2 * image + 2]
        return np.array([[1.0, 0.0, -dx], [0.0, 1.0, -dy], [0.0, 0.0, self.unit]])

    def camera(self, K: Array, image: int) -> Array:
        """Return the camera matrix of image 0 or 1 for points inside the frame."""
        inside = self.matrix(image) @ K
        return inside / inside[2, 2]


def frame_of(points: Array) -> Frame:
    """Return a frame centred on the points (4, N) of each image."""
    centre = np.median(points, axis=1)
    return Frame(centre, _power_of_two(float(np.max(_spreads(points)))))


def frame_of_cameras(K1: Array, K2: Array) -> Frame:
    """Return the frame at the principal points with the mean focal length as unit."""
    shift = np.concatenate([K1[:2, 2], K2[:2, 2]])
    focals = [K1[0, 0], K1[1, 1], K2[0, 0], K2[1, 1]]
    return Frame(shift, _power_of_two(float(np.exp(np.mean(np.log(focals))))))


def extent(points: Array) -> float:
    """Diagonal of the region that the points (4, N) cover, for both images together.

    A residual can spread over an image no further than the smaller of the two lets it,
    so the two diagonals are combined by their harmonic (root mean square) mean.
    """
    diagonals = np.hypot(*_spreads(points).reshape(2, 2).T)
    if not np.all(diagonals > 0.0):
        return 0.0
    return float(np.mean(diagonals**-2.0) ** -0.5)


def precision(points: Array) -> float:
    """Return the rounding error that coordinates (4, N) of this size carry."""
    return float(np.finfo(np.float64).eps * np.median(np.abs(points), axis=1).max())


def _spreads(points: Array) -> Array:
    """Range of each coordinate, as if it were uniform between the two quantiles."""
    low, high = np.quantile(points, [LOW_QUANTILE, HIGH_QUANTILE], axis=1)
    spreads = (high - low) / (HIGH_QUANTILE - LOW_QUANTILE)
    return np.where(spreads > 0.0, spreads, np.ptp(points, axis=1))


def _power_of_two(unit: float) -> float:
    """Round to a power of two: dividing by it loses no digit."""
    return 2.0 ** round(np.log2(unit)) if unit > 0.0 else 1.0
