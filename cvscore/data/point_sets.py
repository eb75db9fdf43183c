"""What the data of an estimator are: one or more sets of points, matched by index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore._numba.compile import brief_kernel
from cvscore.data.deduplication import MULTIPLIERS, bounds_of
from cvscore.data.normalization import Region, RegionSize, size_of
from cvscore.data.validation import as_coordinates, check_finite
from cvscore.types import Array, RansacOptions, Sampler

MakeSampler = Callable[[Array, Region, int, RansacOptions], Sampler]


@dataclass(frozen=True)
class PointSets:
    """What is given to an estimator.

    Attributes
    ----------
    dims : tuple of int
        Coordinates of a point in each set: (2, 2) for a pair of images, (2, 3) for
        image points of known scene points, (3, 3) for two clouds, (3,) for one.
    make_sampler : callable
        ``make_sampler(points, region, sample_size, options)``: where samples come from,
        for packed points (D, N) and their `Region`.
    names : tuple of str
        What the sets are called in messages.
    num_measured : int, optional
        How many of the sets, the first ones, have noise: residuals are in their unit.
        All of them where it is not said.
    """

    dims: tuple[int, ...]
    make_sampler: MakeSampler
    names: tuple[str, ...] = ("x1", "x2")
    num_measured: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= sum(self.dims) <= len(MULTIPLIERS):
            raise ValueError(
                f"dims must sum to 1 to {len(MULTIPLIERS)} coordinates, got {self.dims}"
            )

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """Where the rows of each set begin in packed points, and the last ends."""
        return bounds_of(self.dims)

    @cached_property
    def num_noisy(self) -> int:
        """How many of the sets have noise."""
        return len(self.dims[: self.num_measured])

    def size_of(self, region: Region) -> RegionSize:
        """Return how large a region of packed points is.

        Raises
        ------
        ValueError
            Where no number holds the products or ratios of such points.
        """
        size: RegionSize = size_of(region, self.bounds, self.num_noisy)
        size.check(self.names[: len(self.dims)])
        return size

    def pack(self, *sets: ArrayLike) -> Array:
        """Pack sets of finite points, (N, dim) each, as rows of (D, N).

        Raises
        ------
        ValueError
            Where a set has another shape, another number of points, or numbers that
            are not finite.
        """
        given = [
            as_coordinates(points, dim, name)
            for points, dim, name in zip(sets, self.dims, self.names, strict=False)
        ]
        if len(given) != len(self.dims) or len(sets) != len(self.dims):
            raise ValueError(
                f"there must be {len(self.dims)} sets of points, got {len(sets)}"
            )
        num = len(given[0])
        if any(len(points) != num for points in given):
            names = " and ".join(self.names[: len(given)])
            numbers = " and ".join(str(len(points)) for points in given)
            raise ValueError(f"{names} must have the same length, got {numbers}")
        packed = np.empty((sum(self.dims), num))
        start, are_finite = 0, True
        for points, dim in zip(given, self.dims, strict=True):
            are_finite &= _write_rows(plain(points), packed, start)
            start += dim
        if not are_finite:
            for name, first, last in zip(
                self.names, self.bounds, self.bounds[1:], strict=False
            ):
                check_finite(packed[first:last], name)
        return packed


def plain(points: Array) -> Array:
    """Return points in the one form that kernels are compiled for: float64, in rows.

    Not a copy where they are in it already.
    """
    if points.dtype == np.float64 and points.flags.carray:
        return points
    return np.array(points, dtype=np.float64, order="C")


@brief_kernel
def _write_rows(points, packed, start):
    """Write points (N, dim) to rows of (D, N) from one on; whether all are finite.

    NumPy would give up the interpreter's lock for each such loop, and other threads
    would be woken in vain.
    """
    are_finite = True
    for i in range(points.shape[0]):
        for k in range(points.shape[1]):
            packed[start + k, i] = points[i, k]
            are_finite &= np.isfinite(points[i, k])
    return are_finite


@brief_kernel
def are_within(points, largest):
    """Whether no coordinate of points (N, dim) is NaN or beyond a number."""
    are_within = True
    for i in range(points.shape[0]):
        for k in range(points.shape[1]):
            are_within &= abs(points[i, k]) <= largest
    return are_within
