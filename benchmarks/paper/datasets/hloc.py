"""Matches in the layout of hloc (two HDF5 files), or flat as the tutorial stores them.

    features: <image name>/keypoints  (M, 2)  pixels, OpenCV's pixel centres
    matches:  <pair>/matches0         (M,)    index in the second image, -1 for none
              <pair>/matching_scores0 (M,)    higher is better

``<pair>`` is the two image names, "/" replaced by "-", joined by "/" (older files: by
"_"), in either order.  A flat file maps "<id1>-<id2>" to (N, 4) coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.paper.datasets.hdf5 import opened, read_array
from benchmarks.paper.datasets.pairs import DataError, check_finite
from cvscore.types import Array


class Matches(NamedTuple):
    """Matched pixels (N, 2) twice, and confidences (N,), larger is better."""

    x1: Array
    x2: Array
    confidence: Array


def pair_names(name1: str, name2: str) -> list[str]:
    """Return the names that hloc has given to a pair of images, newest first."""
    flat1, flat2 = name1.replace("/", "-"), name2.replace("/", "-")
    return [f"{flat1}/{flat2}", f"{flat1}_{flat2}"]


@dataclass(frozen=True)
class HlocMatches:
    """The two files of hloc."""

    features: Path
    matches: Path

    def read(self, name1: str, name2: str) -> Matches | None:
        """Return the matches of two images; None where the pair was not matched."""
        with opened(self.matches) as file:
            pair, swapped = _find(file, name1, name2)
            if pair is None:
                return None
            indices = read_array(file, f"{pair}/matches0", (None,)).astype(np.int64)
            scores = read_array(file, f"{pair}/matching_scores0", (None,))
        if len(scores) != len(indices):
            raise DataError(f"{self.matches}: {pair!r} has not as many scores as rows")
        names = (name2, name1) if swapped else (name1, name2)
        with opened(self.features) as file:
            first, second = (_keypoints(file, name) for name in names)
        if len(indices) != len(first) or indices.max(initial=-1) >= len(second):
            raise DataError(
                f"{self.matches}: {pair!r} does not fit the {len(first)} and "
                f"{len(second)} keypoints of {self.features}"
            )
        kept = np.flatnonzero(indices >= 0)
        x = first[kept], second[indices[kept]]
        return Matches(*(x[::-1] if swapped else x), scores[kept])


def _find(file: Any, name1: str, name2: str) -> tuple[str | None, bool]:
    for swapped, names in ((False, (name1, name2)), (True, (name2, name1))):
        for pair in pair_names(*names):
            if pair in file:
                return pair, swapped
    return None, False


def _keypoints(file: Any, name: str) -> Array:
    points = read_array(file, f"{name}/keypoints", (None, 2))
    return check_finite(points, f"{file.filename}: {name + '/keypoints'!r}")


@dataclass(frozen=True)
class FlatMatches:
    """Coordinates by pair; an id stands for the image whose stem ends with it."""

    matches: Path
    scores: Path

    def read(self, name1: str, name2: str) -> Matches | None:
        """Return the matches of two images; None where the pair was not matched."""
        stems = Path(name1).stem, Path(name2).stem
        with opened(self.matches) as file, opened(self.scores) as scores:
            pair = next((key for key in file if _stands_for(key, stems)), None)
            swapped = pair is None
            if swapped:
                turned = stems[::-1]
                pair = next((key for key in file if _stands_for(key, turned)), None)
            if pair is None:
                return None
            rows = read_array(file, pair, (None, 4))
            check_finite(rows, f"{self.matches}: {pair!r}")
            values = read_array(scores, pair, (None,))
        if len(values) != len(rows):
            raise DataError(f"{self.scores}: {pair!r} has not as many values as rows")
        x = np.ascontiguousarray(rows[:, :2]), np.ascontiguousarray(rows[:, 2:])
        return Matches(*(x[::-1] if swapped else x), values)


def _stands_for(pair: str, stems: tuple[str, str]) -> bool:
    id1, _, id2 = pair.partition("-")
    return stems[0].endswith(id1) and stems[1].endswith(id2)


def write_hloc(
    features: Path,
    matches: Path,
    keypoints: dict[str, Array],
    pairs: dict[tuple[str, str], tuple[Array, Array]],
) -> None:
    """Write both files: keypoints by image; indices (M,) and scores (M,) by pair."""
    import h5py

    features.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(features, "w") as file:
        for name, points in keypoints.items():
            file.create_group(name)["keypoints"] = points
    with h5py.File(matches, "w") as file:
        for names, (indices, scores) in pairs.items():
            group = file.create_group(pair_names(*names)[0])
            group["matches0"] = indices.astype(np.int32)
            group["matching_scores0"] = scores.astype(np.float16)
