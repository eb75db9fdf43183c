"""PhotoTourism in the form of the RANSAC tutorial 2020: six HDF5 files a scene.

    matches.h5     "<id1>-<id2>" -> (N, 4)  x1 y1 x2 y2: RootSIFT, mutual neighbours
    match_conf.h5  "<id1>-<id2>" -> (N,)    nearest-neighbour ratio, lower is better
    K1_K2.h5       "<id1>-<id2>" -> (1, 2, 3, 3)
    R.h5, T.h5     "<id>" -> (3, 3), (3,)   x_cam = R X + T
    Fgt.h5, Egt.h5 "<id1>-<id2>" -> (3, 3)  not read: R, T and K say the same

Another matcher's ``<matcher>_matches.h5`` and ``<matcher>_scores.h5`` (higher is
better) may stand beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.data.pair import cross_matrix
from benchmarks.paper.datasets.hdf5 import opened, read_array
from benchmarks.paper.datasets.pairs import (
    DataError,
    PairKey,
    PaperPair,
    check_finite,
    check_intrinsics,
    check_rotation,
)
from cvscore.types import Array

ROOTSIFT = "rootsift"
DEPTHS = ("", "*/", "*/*/", "*/*/*/")  # of a scene below the root


@dataclass(frozen=True)
class PhotoTourism:
    """The scenes below ``root``.

    Parameters
    ----------
    root : Path
        A scene, a split, or the folder of all splits.
    max_ratio : float
        RootSIFT matches with a larger ratio are left out.
    matcher : str
        "rootsift", or the prefix of the files of another matcher.
    """

    root: Path
    max_ratio: float = 0.9
    matcher: str = ROOTSIFT

    def keys(self) -> list[PairKey]:
        """List all pairs of all scenes."""
        found = []
        for scene, folder in _scene_folders(self.root, self._matches).items():
            with opened(folder / self._matches) as file:
                names = sorted(file)
            if not names:
                raise DataError(f"{folder / self._matches} is empty")
            found += [PairKey(scene, name) for name in names]
        return found

    def load(self, key: PairKey) -> PaperPair:
        """Read one pair."""
        folder = _scene_folders(self.root, self._matches).get(key.scene)
        if folder is None:
            raise DataError(f"{self.root} has no scene {key.scene}")
        image1, image2 = image_ids(key.name, folder / self._matches)
        rows, confidence = self._read_matches(folder, key.name)
        with opened(folder / "K1_K2.h5") as file:
            K1, K2 = read_array(file, key.name, (1, 2, 3, 3))[0]
        with opened(folder / "R.h5") as file:
            R1, R2 = (
                check_rotation(read_array(file, i, (3, 3)), f"{file.filename}: {i!r}")
                for i in (image1, image2)
            )
        T1, T2 = (_translation(folder / "T.h5", image) for image in (image1, image2))
        R = R2 @ R1.T
        return PaperPair(
            key=key,
            x1=np.ascontiguousarray(rows[:, :2]),
            x2=np.ascontiguousarray(rows[:, 2:]),
            K1=check_intrinsics(K1, f"{folder / 'K1_K2.h5'}: {key.name!r}, the first"),
            K2=check_intrinsics(K2, f"{folder / 'K1_K2.h5'}: {key.name!r}, the second"),
            R=R,
            t=T2 - R @ T1,
            confidence=confidence,
        )

    @property
    def _matches(self) -> str:
        return self._file("matches")

    def _file(self, kind: str) -> str:
        return f"{kind}.h5" if self.matcher == ROOTSIFT else f"{self.matcher}_{kind}.h5"

    def _read_matches(self, folder: Path, name: str) -> tuple[Array, Array]:
        """Return the kept matches (N, 4) and their confidence (N,)."""
        is_rootsift = self.matcher == ROOTSIFT
        confidences = folder / self._file("match_conf" if is_rootsift else "scores")
        with opened(folder / self._matches) as file:
            rows = read_array(file, name, (None, 4))
            check_finite(rows, f"{file.filename}: {name!r}")
        with opened(confidences) as file:
            values = _flat(file, name)
        if len(values) != len(rows):
            raise DataError(
                f"{confidences}: {name!r} has {len(values)} values for the "
                f"{len(rows)} matches of {folder / self._matches}"
            )
        if not is_rootsift:
            return rows, values
        keep = values <= self.max_ratio
        return rows[keep], 1.0 - values[keep]


@lru_cache(maxsize=8)
def _scene_folders(root: Path, matches: str) -> dict[str, Path]:
    """Return the folders that hold a file of matches, by their names."""
    paths = [path for depth in DEPTHS for path in sorted(root.glob(depth + matches))]
    if not paths:
        raise DataError(f"{root} holds no {matches} within three folders")
    return {path.parent.name: path.parent for path in paths}


def image_ids(pair: str, path: Path) -> tuple[str, str]:
    """Split the key of a pair; image ids hold no "-"."""
    ids = pair.split("-")
    if len(ids) != 2:
        raise DataError(f"{path}: {pair!r} is not two image ids joined by '-'")
    return ids[0], ids[1]


def _flat(file: object, name: str) -> Array:
    """Return (N,) values that some files store as (N, 1)."""
    try:
        return read_array(file, name, (None,))
    except DataError:
        return read_array(file, name, (None, 1))[:, 0]


def _translation(path: Path, image: str) -> Array:
    """Return (3,), which some files store as (3, 1)."""
    with opened(path) as file:
        T = _flat(file, image)
    if len(T) != 3:
        raise DataError(f"{path}: {image!r} must hold 3 values, got {len(T)}")
    return check_finite(T, f"{path}: {image!r}")


@dataclass(frozen=True)
class Camera:
    """Intrinsics and pose, ``x_cam = R X + T``, of one image."""

    K: Array
    R: Array
    T: Array


def write_scene(
    folder: Path,
    cameras: dict[str, Camera],
    matches: dict[tuple[str, str], tuple[Array, Array]],
) -> None:
    """Write one scene in the layout that `PhotoTourism` reads.

    Parameters
    ----------
    folder : Path
        Of the scene.
    cameras : dict
        By image id.
    matches : dict
        (N, 4) coordinates and (N,) ratios by the two ids.
    """
    import h5py

    folder.mkdir(parents=True, exist_ok=True)
    names = ("matches", "match_conf", "K1_K2", "Fgt", "Egt", "R", "T")
    files = {name: h5py.File(folder / f"{name}.h5", "w") for name in names}
    for image, camera in cameras.items():
        files["R"][image] = camera.R
        files["T"][image] = camera.T
    for (image1, image2), (rows, ratios) in matches.items():
        one, two, key = cameras[image1], cameras[image2], f"{image1}-{image2}"
        R = two.R @ one.R.T
        E = cross_matrix(two.T - R @ one.T) @ R
        files["matches"][key] = rows.astype(np.float32)
        files["match_conf"][key] = ratios.astype(np.float32)
        files["K1_K2"][key] = np.stack([one.K, two.K])[None]
        files["Egt"][key] = E
        files["Fgt"][key] = np.linalg.inv(two.K).T @ E @ np.linalg.inv(one.K)
    for file in files.values():
        file.close()
