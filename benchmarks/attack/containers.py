"""The forms in which users hold points, and some in which nobody should."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from cvscore.types import Array

Rng = np.random.Generator

SIZE = 1000.0  # of the image of the points
# Of the forms: how many of the first every function takes.
NUM_SOUND_FORMS = 15


def in_some_form(rng: Rng, points: Array) -> Any:
    """Return points as users hold them, and now and then as nobody should."""
    if rng.random() < 0.6:
        return points
    forms = [
        lambda: points.tolist(),
        lambda: np.asfortranarray(points),
        lambda: np.repeat(points, 2, axis=0)[::2],
        lambda: points[::-1],
        lambda: np.clip(points, -1e38, 1e38).astype(np.float32),
        lambda: np.clip(np.nan_to_num(points), -1e15, 1e15).astype(np.int64),
        lambda: _read_only(points),
        lambda: points.astype(">f8"),
        lambda: np.ma.masked_array(points, points > 0.5 * SIZE),
        lambda: np.asmatrix(points),
        lambda: np.clip(points, -6e4, 6e4).astype(np.float16),
        lambda: np.clip(np.nan_to_num(points), 0, 255).astype(np.uint8),
        lambda: points.astype(np.longdouble),
        lambda: points.view(_Subclass),
        lambda: tuple(map(tuple, points.tolist())),
        lambda: points[:, None],
        lambda: points.T,
        lambda: points.ravel(),
        lambda: points.astype(complex),
        lambda: points.astype(object),
        lambda: [[Decimal("0.5")] * points.shape[1]] * len(points),
        lambda: [[Fraction(1, 3)] * points.shape[1]] * len(points),
        lambda: points.astype("S8"),
        lambda: np.zeros(len(points), dtype=[("x", float), ("y", float)]),
        lambda: _Lying(points),
        lambda: points.astype("timedelta64[s]") if np.isfinite(points).all() else 1,
        lambda: np.full(points.shape, 10**400, dtype=object),
        lambda: np.full(points.shape, 2**63, dtype=np.uint64),
        lambda: points[..., None, None],
        lambda: np.array(7.0),
        lambda: np.zeros((0, points.shape[1])),
        lambda: points > 1.0,
        lambda: points.astype("datetime64[s]") if np.isfinite(points).all() else {},
        lambda: memoryview(np.ascontiguousarray(points)),
        lambda: iter(points.tolist()),
        lambda: points.astype(str),
        lambda: points[:, :1],
        lambda: np.ma.masked_array(points),
        lambda: [*points.tolist(), [0.0]],
        lambda: points[:-1],
        lambda: _beyond_doubles(points),
        lambda: _unaligned(points),
        lambda: np.broadcast_to(points[:1], points.shape) if len(points) else points,
        lambda: np.ascontiguousarray(points[:, ::-1])[:, ::-1],
        lambda: np.clip(np.nan_to_num(points), -1e9, 1e9).astype(">i4"),
        lambda: points.view(_Units),
        lambda: _Interface(points),
        lambda: _Frame(points),
        lambda: _Raises(MemoryError()),
        lambda: _Raises(OSError("the device is gone")),
        lambda: _Raises(RecursionError("too deep")),
        lambda: {"x": points},
        lambda: set(map(tuple, points.tolist())),
        lambda: np.rec.fromarrays(list(points.T)),
        lambda: None,
        lambda: "points",
    ]
    last = len(forms) if rng.random() < 0.3 else NUM_SOUND_FORMS
    return forms[int(rng.integers(last))]()


class _Subclass(np.ndarray):
    """A subclass, as libraries of units have."""


class _Lying:
    """What says that it is an array, and is none."""

    def __init__(self, points: Array) -> None:
        self.shape, self.dtype = points.shape, points.dtype

    def __array__(self, *args: Any, **kwargs: Any) -> Array:
        raise RuntimeError("no array after all")


class _Raises:
    """What raises when it is asked for its array."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __array__(self, *args: Any, **kwargs: Any) -> Array:
        raise self._error


class _Frame:
    """What has an array, and is none: a table, a tensor."""

    def __init__(self, points: Array) -> None:
        self._points = points

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return np.asarray(self._points, dtype)

    def __len__(self) -> int:
        return len(self._points)


class _Interface:
    """What lends its memory."""

    def __init__(self, points: Array) -> None:
        self._points = np.ascontiguousarray(points)
        self.__array_interface__ = self._points.__array_interface__


class _Units(np.ndarray):
    """An array that takes part in no computation, as its unit is unknown."""

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("of an unknown unit")

    def __array_function__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("of an unknown unit")


def _beyond_doubles(points: Array) -> Any:
    return points.astype(np.longdouble) * np.longdouble(1e300) * np.longdouble(1e300)


def _unaligned(points: Array) -> Array:
    """Points in memory that begins at an odd address."""
    content = bytearray(3) + np.ascontiguousarray(points).tobytes()
    return np.ndarray(points.shape, points.dtype, buffer=content, offset=3)


def _read_only(points: Array) -> Array:
    fixed = points.copy()
    fixed.flags.writeable = False
    return fixed
