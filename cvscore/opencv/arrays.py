"""Reading and writing the arrays of a cv2 call: points and masks."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from cvscore.data.point_sets import plain
from cvscore.data.validation import without_long_doubles
from cvscore.types import Array, Mask

NUMERIC_KINDS = "biuf"

# Any, as the stubs of cv2 know neither a UMat of an array nor copying without a mask.
make_umat: Any = cv2.UMat
_copy: Any = cv2.copyTo


def as_numeric(value: Any) -> NDArray[Any] | None:
    """Return an array, a UMat or nested numbers as an array; None for all else."""
    if isinstance(value, cv2.UMat):
        value = value.get()
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(entry, cv2.KeyPoint) for entry in value):
            value = cv2.KeyPoint.convert(value)
        else:
            try:
                value = np.asarray(value)
            except (ValueError, TypeError):  # ragged, or not made of numbers
                return None
    if not isinstance(value, np.ndarray) or value.dtype.kind not in NUMERIC_KINDS:
        return None
    # Of np.matrix and masked arrays, what cv2 sees.
    return without_long_doubles(np.asarray(value))


def read_points(value: Any, *, any_columns: bool) -> Array | None:
    """Read points in any container as (N, 2) float64; None where they are not points.

    Not a copy where they are such an array already.

    Parameters
    ----------
    value : array, UMat, or list or tuple of points or of cv2.KeyPoint
        Nx2, 2xN, Nx1x2, 1xNx2 or any other grid of points; the same with a third
        coordinate, by which the other two are divided.
    any_columns : bool
        Whether more columns are ignored, as cv2's USAC methods do, or are a fault.
    """
    array = as_numeric(value)
    if array is None:
        return None
    if array.ndim == 3:
        one_channel = array.shape[2] == 1
        array = array[:, :, 0] if one_channel else array.reshape(-1, array.shape[2])
    if array.ndim != 2:
        return None
    if len(array) < array.shape[1] > 3:  # one row per coordinate
        array = array.T
    columns = array.shape[1]
    if columns < 2 or (columns > 3 and not any_columns):
        return None
    points = plain(array)
    if columns == 3:
        with np.errstate(all="ignore"):  # a point at infinity becomes an outlier
            points = points / points[:, 2:]
    return plain(points[:, :2])


def read_points_of_map(value: Any, dim: int) -> Array | None:
    """Read points in any container as (N, dim) float64; None where they are not points.

    As `read_points` does, of two or three coordinates and never homogeneous.
    """
    array = as_numeric(value)
    if array is None:
        return None
    if array.ndim == 3:
        one_channel = array.shape[2] == 1
        array = array[:, :, 0] if one_channel else array.reshape(-1, array.shape[2])
    if array.ndim != 2:
        return None
    if array.shape[0] == dim < array.shape[1]:  # one row per coordinate
        array = array.T
    if array.shape[1] != dim:
        return None
    return plain(array)


def listed_points_as_array(value: Any, dim: int = 2) -> Any:
    """Return points in a list or tuple as an array, and anything else as it is."""
    if not isinstance(value, (list, tuple)):
        return value
    points = read_points_of_map(value, dim)
    if points is None and dim == 2:
        points = read_points(value, any_columns=False)
    return value if points is None else points


def is_plain_mask(mask: Any) -> bool:
    """Whether every version of cv2 takes this for a mask, whatever its size."""
    if isinstance(mask, np.ndarray):
        flags = mask.flags
        return mask.dtype == np.uint8 and flags.writeable and flags.c_contiguous
    return mask is None or isinstance(mask, cv2.UMat)


def write_mask(inliers: Mask, mask: Any, *, as_umat: bool, any_vector: bool) -> Any:
    """Return the mask as cv2 would, written into ``mask`` where that fits.

    Parameters
    ----------
    inliers : (N,) bool array
        What to write.
    mask : array or UMat or None
        The caller's ``mask=``: filled if it holds N bytes, ignored otherwise.
    as_umat : bool
        Whether the result is a UMat.
    any_vector : bool
        Whether a flat or lying mask is itself returned, or only a standing one.
    """
    column = np.empty((len(inliers), 1), dtype=np.uint8)
    # NumPy would give up the interpreter's lock for the copy.
    column.data.cast("B")[:] = inliers.data.cast("B")
    of_bytes = isinstance(mask, np.ndarray) and mask.dtype == np.uint8
    if of_bytes and mask.size == len(column):
        # OpenCV 5 leaves some flat masks untouched; filling them harms nobody.
        mask[...] = column.reshape(mask.shape)
        if any_vector and not as_umat and len(column) in mask.shape:
            return mask
    return write_output(column, mask, as_umat=as_umat)


def is_plain_output(out: Any) -> bool:
    """Whether every version of cv2 takes this for an array to write numbers to."""
    if isinstance(out, np.ndarray):
        flags = out.flags
        return out.dtype == np.float64 and flags.writeable and flags.c_contiguous
    return out is None or isinstance(out, cv2.UMat)


def write_output(values: NDArray[Any] | None, out: Any, *, as_umat: bool) -> Any:
    """Return an output array as cv2 would, written into ``out`` where that fits."""
    if as_umat:
        given = out if isinstance(out, cv2.UMat) else make_umat()
        return given if values is None else _copy(make_umat(values), None, given)
    if values is None or out is None:
        return values
    return _copy(values, None, out)


def clear_mask(mask: Any) -> Any:
    """Set a mask that came with no model to zero: cv2 leaves some uninitialised."""
    if isinstance(mask, np.ndarray) and mask.flags.writeable:
        mask[...] = 0
    elif isinstance(mask, cv2.UMat) and mask.get() is not None:
        _copy(make_umat(np.zeros_like(mask.get())), None, mask)
    return mask
