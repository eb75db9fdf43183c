"""Reading HDF5 so that whatever is wrong is named: the file, the key, the shape."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paper.datasets.pairs import DataError
from cvscore.types import Array

Shape = tuple[int | None, ...]


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a file for reading; `DataError` if it is missing or not HDF5."""
    try:
        import h5py
    except ImportError as error:
        raise ImportError('h5py is missing: pip install ".[bench]"') from error
    if not path.is_file():
        raise DataError(f"{path} is not there")
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise DataError(f"{path} is not an HDF5 file: {error}") from error
    with file:
        yield file


def read_array(file: Any, key: str, shape: Shape) -> Array:
    """Return one dataset as float64; ``None`` in ``shape`` stands for any length."""
    if key not in file:
        raise DataError(f"{file.filename} has no entry {key!r}")
    try:
        values = np.asarray(file[key][()])
    except (OSError, TypeError, AttributeError) as error:
        raise DataError(f"{file.filename}: {key!r} cannot be read: {error}") from error
    fits = len(values.shape) == len(shape) and all(
        want in (None, got) for want, got in zip(shape, values.shape, strict=True)
    )
    if not fits or values.dtype.kind not in "fiu":
        wanted = ", ".join("N" if side is None else str(side) for side in shape)
        raise DataError(
            f"{file.filename}: {key!r} must be numbers of shape ({wanted}), "
            f"got {values.dtype} of {values.shape}"
        )
    return values.astype(np.float64)
