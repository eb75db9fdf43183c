"""HEB, the homography benchmark (Barath et al., CVPR 2023): one HDF5 file a scene.

A file ``<scene>_homographies.h5`` holds, for every plane seen by two images,

    corr_<pair>  (N, 10)  x1 y1 x2 y2, two SIFT angles (degrees), two SIFT scales,
                          the nearest-neighbour ratio (lower is better), inlier or not
    pose_<pair>  (3, 4)   [R | t] from image 1 to image 2
    hom_<pair>   (3, 3)   the homography from image 1 to image 2, pixels
    K_<image>    (3, 3)
    size_<image> (2, 1)   the sides, in an order that files do not agree on

and ``<pair>`` is the two image ids, of exactly three tokens each, joined by "_".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

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

SUFFIX = "_homographies.h5"
# As published, and as a copy in circulation names the first of them.
FOLDERS = ("train", "training_and_validation", "test", ".")
TOKENS = 3  # of an image id
RATIO, LABEL = 8, 9  # columns of corr


@dataclass(frozen=True)
class Heb:
    """The scenes below ``root``; matches with a ratio up to ``max_ratio`` are kept."""

    root: Path
    max_ratio: float = 0.7

    def keys(self) -> list[PairKey]:
        """List all planes of all scenes."""
        found = []
        for scene, path in _scene_files(self.root).items():
            with opened(path) as file:
                names = [key[len("corr_") :] for key in file if key.startswith("corr_")]
            if not names:
                raise DataError(f"{path} has no entry corr_<pair>")
            found += [PairKey(scene, name) for name in sorted(names)]
        return found

    def load(self, key: PairKey) -> PaperPair:
        """Read one plane."""
        path = _scene_files(self.root).get(key.scene)
        if path is None:
            raise DataError(f"{self.root} has no file {key.scene}{SUFFIX}")
        image1, image2 = image_ids(key.name)
        with opened(path) as file:
            rows = read_array(file, f"corr_{key.name}", (None, 10))
            pose = read_array(file, f"pose_{key.name}", (3, 4))
            H = read_array(file, f"hom_{key.name}", (3, 3))
            K1 = read_array(file, f"K_{image1}", (3, 3))
            K2 = read_array(file, f"K_{image2}", (3, 3))
        where = f"{path}: 'corr_{key.name}'"
        check_finite(rows, where)
        if not np.isin(rows[:, LABEL], (0, 1)).all():
            raise DataError(f"{where} must have 0 or 1 in its last column")
        rows = rows[rows[:, RATIO] <= self.max_ratio]
        return PaperPair(
            key=key,
            x1=np.ascontiguousarray(rows[:, :2]),
            x2=np.ascontiguousarray(rows[:, 2:4]),
            K1=check_intrinsics(K1, f"{path}: 'K_{image1}'"),
            K2=check_intrinsics(K2, f"{path}: 'K_{image2}'"),
            R=check_rotation(pose[:, :3], f"{path}: 'pose_{key.name}'"),
            t=check_finite(pose[:, 3], f"{path}: 'pose_{key.name}'"),
            confidence=1.0 - rows[:, RATIO],
            is_inlier=rows[:, LABEL] > 0.5,
            H=check_finite(H, f"{path}: 'hom_{key.name}'"),
        )


@lru_cache(maxsize=8)
def _scene_files(root: Path) -> dict[str, Path]:
    """Return the files below ``root`` by scene."""
    paths = [
        path
        for folder in FOLDERS
        for path in sorted((root / folder).glob(f"*{SUFFIX}"))
    ]
    if not paths:
        raise DataError(f"{root} holds no *{SUFFIX} in any of {FOLDERS}")
    return {path.name[: -len(SUFFIX)]: path for path in paths}


def image_ids(pair: str) -> tuple[str, str]:
    """Split the name of a pair; a token beyond the two ids numbers the plane."""
    tokens = pair.split("_")
    if len(tokens) < 2 * TOKENS:
        raise DataError(f"{pair!r} is not two image ids of {TOKENS} tokens each")
    return "_".join(tokens[:TOKENS]), "_".join(tokens[TOKENS : 2 * TOKENS])


@dataclass(frozen=True)
class HebPlane:
    """What is stored of one plane in two images; sizes are (width, height)."""

    image1: str
    image2: str
    corr: Array
    pose: Array
    hom: Array
    K1: Array
    K2: Array
    size1: tuple[int, int]
    size2: tuple[int, int]


def write_scene(path: Path, planes: list[HebPlane]) -> None:
    """Write one scene in the layout that `Heb` reads."""
    import h5py

    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        for plane in planes:
            pair = f"{plane.image1}_{plane.image2}"
            file[f"corr_{pair}"] = plane.corr
            file[f"pose_{pair}"] = plane.pose
            file[f"hom_{pair}"] = plane.hom
            for image, K, size in (
                (plane.image1, plane.K1, plane.size1),
                (plane.image2, plane.K2, plane.size2),
            ):
                if f"K_{image}" not in file:
                    file[f"K_{image}"] = K
                    file[f"size_{image}"] = np.array(size[::-1], float)[:, None]
