"""The coordinate frame in which kernels work: values of order one, the metric kept.

Each coordinate has its own shift and all share one scale, so that a residual in the
frame is a residual in the unit of the points divided by that scale.  All of it follows
the points under shifts and changes of unit, which is what makes the estimators
equivariant.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cvscore._numba.compile import brief_kernel
from cvscore.numerics.linalg import EPSILON
from cvscore.numerics.quickselect import move_smallest_first
from cvscore.types import Array

# The spread of coordinates is read between this quantile and its opposite, so that a
# few wild coordinates can't move it.
LOW_QUANTILE = 0.05


class Region(NamedTuple):
    """Where points (D, N) are: median and spread of each coordinate, (D,) both."""

    centre: Array
    spreads: Array

    def diagonals(self, dims: tuple[int, ...]) -> list[float]:
        """Return how far points spread in each of their sets, of so many rows."""
        spreads, diagonals = self.spreads.tolist(), []
        for dim in dims:
            diagonals.append(math.hypot(*spreads[:dim]))
            del spreads[:dim]
        return diagonals

    def extent(self, dims: tuple[int, ...]) -> float:
        """Diagonal of the region, for all sets together; 0 where one has no extent.

        A residual can spread no further than the smallest set lets it, so the diagonals
        are combined by their harmonic (root mean square) mean.
        """
        diagonals = self.diagonals(dims)
        small = min(diagonals)
        if not small > 0.0:
            return 0.0
        inverse = sum((small / diagonal) ** 2 for diagonal in diagonals)
        return small * math.sqrt(len(diagonals) / inverse)

    def of_sets(self, dims: tuple[int, ...]) -> Region:
        """Return the region of the first sets, of so many rows each."""
        return Region(self.centre[: sum(dims)], self.spreads[: sum(dims)])

    def precision(self) -> float:
        """Return the rounding error that coordinates of the region carry."""
        sides = zip(self.centre.tolist(), self.spreads.tolist(), strict=True)
        return EPSILON * max(abs(centre) + 0.5 * spread for centre, spread in sides)


class Frame(NamedTuple):
    """``inside = (outside - shift) / unit`` for points (D, N); the shift is (D,)."""

    shift: Array
    unit: float

    def enter(self, points: Array) -> Array:
        """Bring points (D, N) into the frame."""
        inside: Array = enter_frame(np.ascontiguousarray(points), self)
        return inside

    def enter_region(self, region: Region) -> Region:
        """Bring a region into the frame."""
        return Region(
            (region.centre - self.shift) / self.unit, region.spreads / self.unit
        )


def region_of(points: Array) -> Region:
    """Return the region of points (D, N); spreads are read between two quantiles."""
    return Region(*find_region(np.ascontiguousarray(points)))


def frame_of(region: Region) -> Frame:
    """Return a frame centred on the points of a region."""
    return Frame(region.centre, power_of_two(max(region.spreads.tolist())))


@brief_kernel
def find_region(points):
    """Return the `Region` of finite points (D, N)."""
    num_rows, last = points.shape[0], points.shape[1] - 1
    centre, spreads = np.zeros(num_rows), np.zeros(num_rows)
    if last < 0:
        return Region(centre, spreads)
    low = int(LOW_QUANTILE * last)
    high, middle = last - low, last // 2
    values = np.empty(last + 1)
    for row in range(num_rows):
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
    return Region(centre, spreads)


@brief_kernel
def enter_frame(points, frame):
    """Return points (D, N) inside the frame."""
    inside = np.empty(points.shape)
    inverse = 1.0 / frame.unit  # of a power of two: exact
    for row in range(points.shape[0]):
        for i in range(points.shape[1]):
            inside[row, i] = (points[row, i] - frame.shift[row]) * inverse
    return inside


@brief_kernel
def power_of_two(unit):
    """Round to a power of two: dividing by it loses no digit."""
    return 2.0 ** round(np.log2(unit)) if unit > 0.0 else 1.0
