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

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.data.deduplication import bounds_of
from cvscore.numerics.fence import within_fence, within_fences
from cvscore.numerics.linalg import EPSILON
from cvscore.numerics.quickselect import move_smallest_first
from cvscore.types import LARGEST, MAX_SIZE_RATIO, SMALLEST, Array, SizeError

# The spread of coordinates is read between this quantile and its opposite, of those
# that are not wild (`within_fences`).
LOW_QUANTILE = 0.05
# Inside of its frame no point is further out than twice this: one at any distance is an
# outlier all the same, and the products of such coordinates are finite.
FARTHEST_INSIDE = 2.0**80
MAX_BINARY_EXPONENT = 1023.0  # of a number
OCTAVES = 2048.0  # more than lie between any two numbers


class Region(NamedTuple):
    """Where points (D, N) are: median and spread of each coordinate, (D,) both."""

    centre: Array
    spreads: Array

    def extent(self, dims: tuple[int, ...]) -> float:
        """Diagonal of the region, for all sets together; 0 where one has no extent.

        A residual can spread no further than the smallest set lets it, so the diagonals
        are combined by their harmonic (root mean square) mean.
        """
        extent: float = size_of(self, bounds_of(dims), len(dims)).extent
        return extent

    def precision(self) -> float:
        """Return the rounding error that coordinates of the region carry."""
        bounds = bounds_of((len(self.centre),))
        precision: float = size_of(self, bounds, 1).precision
        return precision


class RegionSize(NamedTuple):
    """How large a region is, in the unit of its points.

    Attributes
    ----------
    extent : float
        Of the sets that have noise, see `Region.extent`.
    precision : float
        Rounding error of their coordinates.
    largest : float
        Farthest from zero of all coordinates.
    widest : float
        Largest spread of all coordinates.
    least_diagonal, most_diagonal : float
        How far points spread in the smallest and the largest of all sets.
    """

    extent: float
    precision: float
    largest: float
    widest: float
    least_diagonal: float
    most_diagonal: float

    def check(self, names: tuple[str, ...]) -> None:
        """Refuse points whose products or ratios no number can hold."""
        if self.largest > LARGEST or 0.0 < self.widest < SMALLEST:
            size = self.largest if self.largest > LARGEST else self.widest
            raise SizeError(
                f"{' and '.join(names)} must be in a unit in which they "
                f"are neither beyond {LARGEST:g} nor within {SMALLEST:g}, got {size:g}"
            )
        if 0.0 < self.least_diagonal < self.most_diagonal / MAX_SIZE_RATIO:
            raise SizeError(
                f"{' and '.join(names)} must extend over lengths that are "
                f"not more than {MAX_SIZE_RATIO:g} times each other, got "
                f"{self.least_diagonal:.3g} and {self.most_diagonal:.3g}"
            )


class Frame(NamedTuple):
    """``inside = (outside - shift) / unit`` for points (D, N); the shift is (D,)."""

    shift: Array
    unit: float

    def enter(self, points: Array) -> Array:
        """Bring points (D, N) into the frame."""
        inside: Array = enter_frame(np.ascontiguousarray(points), self)
        return inside


def region_of(points: Array) -> Region:
    """Return the region of points (D, N); spreads are read between two quantiles."""
    return Region(*find_region(np.ascontiguousarray(points)))


def frame_of(region: Region) -> Frame:
    """Return a frame centred on the points of a region."""
    return Frame(region.centre, power_of_two(max(region.spreads.tolist())))


@brief_kernel
def find_region(points):
    """Return the `Region` of finite points (D, N)."""
    num_rows = points.shape[0]
    centre, spreads = np.zeros(num_rows), np.zeros(num_rows)
    if points.shape[1] == 0:
        return Region(centre, spreads)
    # As few as are left beyond a fence are not among these quantiles.
    near, are_enclosed = within_fences(points, LOW_QUANTILE)
    for row in range(num_rows):
        values = near[row] if are_enclosed else within_fence(near[row])
        centre[row], spreads[row] = place_of(values)
    return Region(centre, spreads)


@kernel
def place_of(values):
    """Return median and spread of values (N,), N > 0, which are reordered."""
    last = values.shape[0] - 1
    low, middle = int(LOW_QUANTILE * last), last // 2
    high = last - low
    move_smallest_first(values, middle + 1)
    median = values[middle]  # it may move below
    lower, upper = values[: middle + 1], values[middle:]
    move_smallest_first(lower, low + 1)
    move_smallest_first(upper, high - middle + 1)
    spread = upper[high - middle] - lower[low]
    if not spread > 0.0:
        lowest = highest = values[0]
        for i in range(1, values.shape[0]):
            lowest, highest = min(lowest, values[i]), max(highest, values[i])
        return median, highest - lowest
    # As far as they would spread if they were uniform.
    return median, spread * (last / max(high - low, 1))


@brief_kernel
def size_of(region, bounds, num_measured):
    """Return the `RegionSize` of sets of points, of which the first ones have noise.

    ``bounds`` (S + 1,) says where the rows of each set begin.
    """
    centre, spreads = region.centre, region.spreads
    largest, widest, precision = 0.0, 0.0, 0.0
    for row in range(centre.shape[0]):
        largest = max(largest, abs(centre[row]) + spreads[row])
        widest = max(widest, spreads[row])
        if row < bounds[num_measured]:
            precision = max(precision, abs(centre[row]) + 0.5 * spreads[row])
    diagonals = np.zeros(bounds.shape[0] - 1)
    for k in range(diagonals.shape[0]):
        for row in range(bounds[k], bounds[k + 1]):
            diagonals[k] = np.hypot(diagonals[k], spreads[row])
    extent, measured = 0.0, diagonals[:num_measured]
    small = measured.min()
    if small > 0.0:
        inverse = 0.0
        for diagonal in measured:
            inverse += (small / diagonal) ** 2
        extent = small * np.sqrt(num_measured / inverse)
    return RegionSize(
        extent, EPSILON * precision, largest, widest, diagonals.min(), diagonals.max()
    )


@brief_kernel
def enter_frame(points, frame):
    """Return points (D, N) inside the frame."""
    inside = np.empty(points.shape)
    inverse = 1.0 / frame.unit  # of a power of two: exact
    farthest = 0.0
    for row in range(points.shape[0]):
        for i in range(points.shape[1]):
            place = (points[row, i] - frame.shift[row]) * inverse
            inside[row, i] = place
            farthest = max(farthest, abs(place))
    if farthest > FARTHEST_INSIDE:
        bring_nearer(inside.ravel())
    return inside


@kernel
def bring_nearer(coordinates):
    """Bring those beyond `FARTHEST_INSIDE` to twice that or less, in the same order."""
    for i in range(coordinates.shape[0]):
        distance = abs(coordinates[i])
        if distance > FARTHEST_INSIDE:
            octaves = min(np.log2(distance / FARTHEST_INSIDE), OCTAVES)
            nearer = FARTHEST_INSIDE * (1.0 + octaves / OCTAVES)
            coordinates[i] = math.copysign(nearer, coordinates[i])


@brief_kernel
def power_of_two(unit):
    """Round to a power of two: dividing by it loses no digit."""
    if not unit > 0.0:
        return 1.0
    # Of a unit that is no number: of points that are refused.
    return 2.0 ** round(min(np.log2(unit), MAX_BINARY_EXPONENT))
