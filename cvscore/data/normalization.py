"""The coordinate frame in which kernels work: values of order one, the metric kept.

Each image has its own shift and both share one scale, so that a residual in the frame
is a residual in the unit of the points divided by that scale.  All of it follows the
points under shifts and changes of unit, which is what makes the estimators equivariant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cvscore._numba.compile import brief_kernel
from cvscore.numerics.quickselect import move_smallest_first
from cvscore.types import Array

# The spread of coordinates is read between this quantile and its opposite, so that a
# few wild coordinates can't move it.
LOW_QUANTILE = 0.05
EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Frame:
    """``inside = (outside - shift) / unit`` for points (4, N); the shift is (4,)."""

    shift: Array
    unit: float

    def enter(self, points: Array) -> Array:
        """Bring points (4, N) into the frame."""
        inside: Array = enter_frame(np.ascontiguousarray(points), self.shift, self.unit)
        return inside

    def enter_region(self, region: Region) -> Region:
        """Bring a region into the frame."""
        return Region(
            (region.centre - self.shift) / self.unit, region.spreads / self.unit
        )

    def leave_mapping(self, mapping: Array) -> Array:
        """Return the (3, 3) matrix between points outside that is ``mapping`` inside.

        Of the first image to the second; to scale.
        """
        outside: Array = leave_mapping(mapping, self.shift, self.unit)
        return outside

    def leave_form(self, form: Array) -> Array:
        """Return the (3, 3) form ``x2' F x1`` outside that is ``form`` inside.

        To scale.
        """
        outside: Array = _leave_form(form, self.shift, self.unit)
        return outside

    def matrix(self, image: int) -> Array:
        """Return the (3, 3) matrix that brings points of image 0 or 1 inside."""
        dx, dy = self.shift[2 * image : 2 * image + 2]
        return np.array([[1.0, 0.0, -dx], [0.0, 1.0, -dy], [0.0, 0.0, self.unit]])

    def camera(self, K: Array, image: int) -> Array:
        """Return the camera matrix of image 0 or 1 for points inside the frame."""
        inside: Array = K / self.unit
        inside[:2, 2] -= self.shift[2 * image : 2 * image + 2] / self.unit
        inside[2, 2] = 1.0
        return inside


class Region(NamedTuple):
    """Where points (4, N) are: median and spread of each coordinate, (4,) both."""

    centre: Array
    spreads: Array


def region_of(points: Array) -> Region:
    """Return the region of points (4, N); spreads are read between two quantiles."""
    return Region(*find_region(np.ascontiguousarray(points)))


@brief_kernel
def find_region(points):
    """Return centre and spreads of finite points (4, N)."""
    centre, spreads = np.zeros(4), np.zeros(4)
    last = points.shape[1] - 1
    if last < 0:
        return centre, spreads
    low = int(LOW_QUANTILE * last)
    high, middle = last - low, last // 2
    values = np.empty(last + 1)
    for row in range(4):
        values[:] = points[row]
        move_smallest_first(values, middle + 1)
        centre[row] = values[middle]
        lower, upper = values[: middle + 1], values[middle:]
        move_smallest_first(lower, low + 1)
        move_smallest_first(upper, high - middle + 1)
        # As far as they would spread if they were uniform.
        spread = upper[high - middle] - lower[low]
        spreads[row] = spread * (last / max(high - low, 1))
        if not spread > 0.0:
            spreads[row] = points[row].max() - points[row].min()
    return centre, spreads


@brief_kernel
def enter_frame(points, shift, unit):
    """Return points (4, N) inside the frame."""
    inside = np.empty(points.shape)
    inverse = 1.0 / unit  # of a power of two: exact
    for row in range(4):
        for i in range(points.shape[1]):
            inside[row, i] = (points[row, i] - shift[row]) * inverse
    return inside


@brief_kernel
def leave_mapping(mapping, shift, unit):
    """Undo ``inside = (outside - shift) / unit`` on both sides of a mapping."""
    outside = np.empty((3, 3))
    for i in range(3):
        outside[i, 0], outside[i, 1] = mapping[i, 0], mapping[i, 1]
        outside[i, 2] = (
            unit * mapping[i, 2] - mapping[i, 0] * shift[0] - mapping[i, 1] * shift[1]
        )
    for j in range(3):
        outside[2, j] /= unit
        outside[0, j] += shift[2] * outside[2, j]
        outside[1, j] += shift[3] * outside[2, j]
    return outside


@brief_kernel
def _leave_form(form, shift, unit):
    """Undo ``inside = (outside - shift) / unit`` on both sides of a form."""
    outside = form.copy()
    for i in range(3):
        outside[i, 2] = (
            unit * form[i, 2] - form[i, 0] * shift[0] - form[i, 1] * shift[1]
        )
    for j in range(3):
        outside[2, j] = (
            unit * outside[2, j] - shift[2] * outside[0, j] - shift[3] * outside[1, j]
        )
    return outside


def frame_of(region: Region) -> Frame:
    """Return a frame centred on the points of a region."""
    return Frame(region.centre, power_of_two(max(region.spreads.tolist())))


def frame_of_cameras(K1: Array, K2: Array) -> Frame:
    """Return the frame at the principal points with the mean focal length as unit."""
    shift = np.concatenate([K1[:2, 2], K2[:2, 2]])
    return Frame(shift, power_of_two(mean_focal(K1, K2)))


def mean_focal(K1: Array, K2: Array) -> float:
    """Return the geometric mean of the focal lengths of two cameras."""
    focals = [float(f) for f in (K1[0, 0], K1[1, 1], K2[0, 0], K2[1, 1])]
    return math.exp(sum(math.log(focal) for focal in focals) / len(focals))


def extent(region: Region) -> float:
    """Diagonal of a region, for both images together; 0 where one has no extent.

    A residual can spread over an image no further than the smaller of the two lets it,
    so the two diagonals are combined by their harmonic (root mean square) mean.
    """
    first, second = diagonals(region)
    small, large = min(first, second), max(first, second)
    if not small > 0.0:
        return 0.0
    return small * math.sqrt(2.0 / (1.0 + (small / large) ** 2))


def diagonals(region: Region) -> tuple[float, float]:
    """Return how far points spread in the first image and in the second."""
    x1, y1, x2, y2 = region.spreads.tolist()
    return math.hypot(x1, y1), math.hypot(x2, y2)


def precision(region: Region) -> float:
    """Return the rounding error that coordinates of a region carry."""
    sides = zip(region.centre.tolist(), region.spreads.tolist(), strict=True)
    return EPSILON * max(abs(centre) + 0.5 * spread for centre, spread in sides)


@brief_kernel
def power_of_two(unit):
    """Round to a power of two: dividing by it loses no digit."""
    return 2.0 ** round(np.log2(unit)) if unit > 0.0 else 1.0
