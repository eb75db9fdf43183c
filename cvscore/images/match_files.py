"""Matches from files: .npz, .h5 and .csv, as matchers and people write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvscore.data.validation import as_real_array, as_weights, without_long_doubles
from cvscore.images.hdf5_group import MOST_ARRAY_BYTES, read_hdf5_group
from cvscore.types import Array

# Names of matched points, in the order in which they are looked for: ours, OpenCV
# tutorials', LoFTR's and its family's, kornia's.
POINT_NAMES = (
    ("x1", "x2"),
    ("points1", "points2"),
    ("pts1", "pts2"),
    ("src", "dst"),
    ("mkpts0", "mkpts1"),
    ("mkpts0_f", "mkpts1_f"),
)
# All keypoints, with indices of the matches beside them: SuperGlue's and LightGlue's.
KEYPOINT_NAMES = (("keypoints0", "keypoints1"), ("kpts0", "kpts1"))
INDEX_NAMES = ("matches", "matches0")
QUALITY_NAMES = (
    "quality",
    "confidence",
    "mconf",
    "match_confidence",
    "scores",
    "matching_scores0",
)
WEIGHTS_NAME = "weights"
CAMERA_NAMES = (("K1", "K2"), ("K0", "K1"), ("K", "K"))
TABLE_SUFFIXES = (".csv", ".tsv", ".txt")
HDF5_SUFFIXES = (".h5", ".hdf5")
SUFFIXES = (".npz", *TABLE_SUFFIXES, *HDF5_SUFFIXES)
TABLE_COLUMNS = ("x1", "y1", "x2", "y2", "quality")
MOST_INDEX = 2**53  # that a float tells from the next


@dataclass(frozen=True)
class Correspondences:
    """Matched points of two images.

    Attributes
    ----------
    x1, x2 : (N, 2) array
    quality : (N,) array or None
        Larger for matches that are likelier to be right.
    K1, K2 : (3, 3) array or None
        Camera matrices, where the file has them.
    weights : (N,) array or None
        Inverse variances of their noise, where the file has them.
    """

    x1: Array
    x2: Array
    quality: Array | None = None
    K1: Array | None = None
    K2: Array | None = None
    weights: Array | None = None

    def __len__(self) -> int:
        return len(self.x1)


def load_correspondences(path: str | Path, group: str = "") -> Correspondences:
    """Read the matches of one pair of images.

    Parameters
    ----------
    path : str or Path
        ``.npz`` and ``.h5`` hold arrays ``x1`` and ``x2`` (N, 2), or what SuperGlue,
        LightGlue and LoFTR write (``keypoints0``, ``keypoints1`` and ``matches``;
        ``mkpts0`` and ``mkpts1``), and perhaps ``quality`` or ``confidence``, ``K1``
        and ``K2``, and ``weights``, the inverse variances of the matches' noise.
        ``.csv`` has a row ``x1, y1, x2, y2[, quality]`` for each match, with or without
        a header.
    group : str
        Group of an ``.h5`` file, where the arrays are not at its top.

    Raises
    ------
    OSError
        The file can't be read.
    ValueError
        It does not hold matches.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "matches.csv"
    >>> _ = path.write_text("10, 20, 30, 40")
    >>> load_correspondences(path).x2
    array([[30., 40.]])
    """
    path = Path(path)
    if path.suffix.lower() in TABLE_SUFFIXES:
        return _from_table(path)
    return from_arrays(read_arrays(path, group), path)


def read_arrays(path: Path, group: str = "") -> dict[str, NDArray[Any]]:
    """Return all arrays of an ``.npz`` or ``.h5`` file (or of a group of it)."""
    suffix = path.suffix.lower()
    if suffix == ".npz":
        return _read_npz(path)
    if suffix in HDF5_SUFFIXES:
        return _read_hdf5(path, group)
    raise ValueError(f"{path}: expected a file ending in {', '.join(SUFFIXES)}")


def _read_npz(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with path.open("rb") as file:
            archive = np.load(file, allow_pickle=False)
            if isinstance(archive, np.ndarray):
                raise ValueError("it holds one array, not several with names")
            if any(i.file_size > MOST_ARRAY_BYTES for i in archive.zip.infolist()):
                raise ValueError("an array goes on beyond a gigabyte")
            return {name: archive[name] for name in archive.files}
    except OSError:
        raise
    except Exception as error:  # zipfile, zlib and pickle each have errors of their own
        # NumPy would have pickles loaded all the same.
        text = "it holds Python objects" if "pickle" in str(error) else error
        raise ValueError(f"{path} is not a readable .npz file: {text}") from error


def _read_hdf5(path: Path, group: str) -> dict[str, NDArray[Any]]:
    try:
        import h5py
    except ImportError as error:
        raise ImportError(f"{path} needs h5py: pip install h5py") from error
    path.open("rb").close()  # a missing file in Python's words, not in HDF5's
    try:
        with h5py.File(path, "r") as file:
            return read_hdf5_group(file, group)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    except (OSError, RuntimeError, KeyError) as error:
        raise ValueError(f"{path} is not a readable HDF5 file") from error


def from_arrays(arrays: Mapping[str, NDArray[Any]], path: Path) -> Correspondences:
    """Find the matches among the arrays of a file."""
    matched = _first_pair(arrays, POINT_NAMES)
    quality = next((arrays[name] for name in QUALITY_NAMES if name in arrays), None)
    if matched is not None:
        x1, x2 = (_points(arrays[name], name, path) for name in matched)
    else:
        x1, x2, quality = _indexed(arrays, quality, path)
    if len(x1) != len(x2):
        raise ValueError(f"{path} has {len(x1)} points of one image, {len(x2)} of two")
    if quality is not None:
        quality = as_real_array(quality, f"the quality in {path}").ravel()
        quality = quality.astype(np.float64)
        if len(quality) != len(x1):
            quality = None  # it belongs to something else, such as all keypoints
    names = _first_pair(arrays, CAMERA_NAMES)
    K1, K2 = (arrays[name] for name in names) if names else (None, None)
    weights = arrays.get(WEIGHTS_NAME)
    try:
        as_weights(weights, len(x1))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return Correspondences(x1, x2, quality, K1, K2, weights)


def _indexed(
    arrays: Mapping[str, NDArray[Any]], quality: NDArray[Any] | None, path: Path
) -> tuple[Array, Array, NDArray[Any] | None]:
    """Keypoints and either (M, 2) pairs of indices or, per keypoint, one or -1."""
    keypoints = _first_pair(arrays, KEYPOINT_NAMES)
    matches = next((arrays[name] for name in INDEX_NAMES if name in arrays), None)
    if keypoints is None or matches is None:
        looked_for = " or ".join(f"{a}, {b}" for a, b in POINT_NAMES)
        raise ValueError(
            f"{path} has {', '.join(sorted(arrays)) or 'nothing'}; looked for "
            f"{looked_for} or {', '.join(KEYPOINT_NAMES[0])}, matches"
        )
    first, second = (_points(arrays[name], name, path) for name in keypoints)
    if matches.ndim == 3 and len(matches) == 1:
        matches = matches[0]
    if matches.ndim == 2 and matches.shape[1] == 2:
        i, j = _indices(matches, path).T
    else:
        per_keypoint = _indices(matches, path).ravel()
        i = np.flatnonzero(per_keypoint >= 0)
        j = per_keypoint[i]
        if quality is not None and quality.size == per_keypoint.size:
            quality = quality.ravel()[i]
    for index, points, name in ((i, first, keypoints[0]), (j, second, keypoints[1])):
        if len(index) and not (index.min() >= 0 and index.max() < len(points)):
            raise ValueError(f"{path}: matches point beyond {len(points)} {name}")
    return first[i], second[j], quality


def _indices(matches: NDArray[Any], path: Path) -> NDArray[np.int64]:
    indices = as_real_array(matches, f"the matches in {path}")
    if not (np.isfinite(indices) & (np.abs(indices) < MOST_INDEX)).all():
        raise ValueError(f"the matches in {path} must be indices of keypoints")
    return indices.astype(np.int64)


def _points(array: NDArray[Any], name: str, path: Path) -> Array:
    points = (
        array[0] if array.ndim == 3 and len(array) == 1 else array
    )  # a batch of one
    if points.ndim == 3 and points.shape[1] == 1:
        points = points[:, 0]  # OpenCV's (N, 1, 2)
    if points.ndim != 2 or points.shape[1] != 2 or points.dtype.kind not in "fiu":
        raise ValueError(
            f"{path}: {name} must be numbers (N, 2), got {array.dtype} {array.shape}"
        )
    return without_long_doubles(points).astype(np.float64)


def _first_pair(
    arrays: Mapping[str, NDArray[Any]], names: tuple[tuple[str, str], ...]
) -> tuple[str, str] | None:
    return next(
        (pair for pair in names if pair[0] in arrays and pair[1] in arrays), None
    )


def _from_table(path: Path) -> Correspondences:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text file") from error
    columns: list[int] | None = (
        None  # those of TABLE_COLUMNS, where a header names them
    )
    num_columns = 0  # of the header
    rows: list[list[float]] = []
    for number, line in enumerate(lines, start=1):
        words = _words(line)
        if not words or words[0].startswith("#"):
            continue
        if not rows and columns is None and not _is_number(words[0]):
            columns = _named_columns([word.strip("\"'").lower() for word in words])
            num_columns = len(words)
            continue
        if columns is not None and len(words) > num_columns:
            raise ValueError(
                f"{path}, line {number}: {len(words)} columns under a header of "
                f"{num_columns}"
            )
        rows.append(_table_row(words, columns, f"{path}, line {number}"))
        if len(rows[-1]) != len(rows[0]):
            raise ValueError(f"{path}, line {number}: rows differ in length")
    if not rows:
        raise ValueError(f"{path} has no rows of {', '.join(TABLE_COLUMNS[:4])}")
    table = np.array(rows)
    if columns is None and table.shape[1] == 5 and _is_index(table[:, 0]):
        raise ValueError(
            f"{path}: the first column counts the rows, so what the others are is not "
            f"clear: name them in a header, with {', '.join(TABLE_COLUMNS[:4])}"
        )
    quality = table[:, 4] if table.shape[1] == 5 else None
    return Correspondences(table[:, :2], table[:, 2:4], quality)


def _words(line: str) -> list[str]:
    """Return the cells of a line; an empty one keeps its place, but not at the end."""
    words = re.split(r"\s*[,;]\s*|\s+", line.strip())
    return words[:-1] if words[-1] == "" else words


def _is_index(column: Array) -> bool:
    """Whether the numbers are 0, 1, 2, ... or 1, 2, 3, ..., three of them or more."""
    counted = np.arange(len(column))
    return len(column) > 2 and any(np.array_equal(column, counted + n) for n in (0, 1))


def _named_columns(names: list[str]) -> list[int] | None:
    if not set(TABLE_COLUMNS[:4]) <= set(names):
        return None
    return [names.index(name) for name in TABLE_COLUMNS if name in names]


def _table_row(words: list[str], columns: list[int] | None, where: str) -> list[float]:
    if columns is not None and max(columns) < len(words):
        words = [words[column] for column in columns]
    elif columns is not None or len(words) not in (4, 5):
        raise ValueError(
            f"{where}: expected {', '.join(TABLE_COLUMNS[:4])} and perhaps "
            f"{TABLE_COLUMNS[4]}, got {len(words)} columns"
        )
    if not all(map(_is_number, words)):
        raise ValueError(f"{where}: not all numbers: {' '.join(words)}")
    return [float(word) for word in words]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
