"""The coordinate frame in which kernels work: values of order one, the metric kept.

Each image has its own shift and both share one scale, so that a residual in the frame
is a residual in the unit of the points divided by that scale.  All of it follows the
points under shifts and changes of unit, which is what makes the estimators equivariant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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

    def enter_region(self, region: Region) -> Region:
        """Bring a region into the frame."""
        return Region(
            (region.centre - self.shift) / self.unit, region.spreads / self.unit
        )

    def matrix(self, image: int) -> Array:
        """Return the (3, 3) matrix that brings points of image 0 or 1 inside."""
        dx, dy = self.shift[2 * image : 2 * image + 2]
        return np.array([[1.0, 0.0, -dx], [0.0, 1.0, -dy], [0.0, 0.0, self.unit]])

    def camera(self, K: Array, image: int) -> Array:
        """Return the camera matrix of image 0 or 1 for points inside the frame."""
        inside = self.matrix(image) @ K
        scaled: Array = inside / inside[2, 2]
        return scaled


class Region(NamedTuple):
    """Where points (4, N) are: median and spread of each coordinate, (4,) both."""

    centre: Array
    spreads: Array


def region_of(points: Array) -> Region:
    """Return the region of points (4, N); spreads are read between two quantiles."""
    if points.size == 0:
        return Region(np.zeros(4), np.zeros(4))
    last = points.shape[1] - 1
    low, high = int(LOW_QUANTILE * last), last - int(LOW_QUANTILE * last)
    ordered = np.partition(points, (0, low, last // 2, high, last), axis=1)
    # As far as they would spread if they were uniform.
    spreads = (ordered[:, high] - ordered[:, low]) * (last / max(high - low, 1))
    whole = ordered[:, -1] - ordered[:, 0]
    return Region(ordered[:, last // 2], np.where(spreads > 0.0, spreads, whole))


def frame_of(region: Region) -> Frame:
    """Return a frame centred on the points of a region."""
    return Frame(region.centre, _power_of_two(float(np.max(region.spreads))))


def frame_of_cameras(K1: Array, K2: Array) -> Frame:
    """Return the frame at the principal points with the mean focal length as unit."""
    shift = np.concatenate([K1[:2, 2], K2[:2, 2]])
    return Frame(shift, _power_of_two(mean_focal(K1, K2)))


def mean_focal(K1: Array, K2: Array) -> float:
    """Return the geometric mean of the focal lengths of two cameras."""
    focals = [K1[0, 0], K1[1, 1], K2[0, 0], K2[1, 1]]
    return float(np.exp(np.mean(np.log(focals))))


def extent(region: Region) -> float:
    """Diagonal of a region, for both images together; 0 where one has no extent.

    A residual can spread over an image no further than the smaller of the two lets it,
    so the two diagonals are combined by their harmonic (root mean square) mean.
    """
    first, second = np.hypot(region.spreads[[0, 2]], region.spreads[[1, 3]])
    small, large = min(first, second), max(first, second)
    if not small > 0.0:
        return 0.0
    return float(small * np.sqrt(2.0 / (1.0 + (small / large) ** 2)))


def precision(region: Region) -> float:
    """Return the rounding error that coordinates of a region carry."""
    size = np.abs(region.centre) + 0.5 * region.spreads
    return float(np.finfo(np.float64).eps * size.max())


def _power_of_two(unit: float) -> float:
    """Round to a power of two: dividing by it loses no digit."""
    return 2.0 ** round(np.log2(unit)) if unit > 0.0 else 1.0
