"""Files in the layout of the RANSAC tutorial: matches of a scene's images, in HDF5."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.data.pair import Array
from benchmarks.data.rematching import RECIPES, match_photographs

LEARNED = "lg"


def read_entry(path: Path, key: str) -> Array:
    """Return one array of an HDF5 file, naming both in the error if it is not there."""
    import h5py

    with h5py.File(path) as file:
        if key not in file:
            raise KeyError(f"{path} has no entry {key!r}")
        return file[key][()].astype(np.float64)


def keys_of(path: Path) -> list[str]:
    """Return the names of a file's entries, in order."""
    import h5py

    with h5py.File(path) as file:
        return sorted(file)


def tutorial_matches(folder: Path, key: str, matches: str) -> tuple[Array, Array]:
    """Return the kept matches (N, 4) and their quality (N,), larger is better."""
    if matches in RECIPES:
        paths = (folder / "images" / f"{image}.jpg" for image in key.split("-"))
        return match_photographs(*paths, matches)
    if matches == LEARNED:
        rows = read_entry(folder / "aliked_lg_matches.h5", key)
        return rows, read_entry(folder / "aliked_lg_scores.h5", key).ravel()
    rows = read_entry(folder / "matches.h5", key)
    ratio = read_entry(folder / "match_conf.h5", key).ravel()
    keep = ratio < float(matches)
    return rows[keep], 1.0 - ratio[keep]


def size_of(K: Array, x: Array) -> tuple[float, float]:
    """Width and height, which these files lack: the least that holds all points."""
    width, height = np.ceil(np.maximum(2 * K[:2, 2], x.max(axis=0, initial=0) + 1))
    return float(width), float(height)
