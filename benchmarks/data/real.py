"""Real pairs in the layouts of the RANSAC tutorial (E, F, H) and of HEB (H).

A regime is a scene and what its matches went through: ``-0.8`` keeps RootSIFT matches
with a nearest-neighbour ratio below 0.8, ``-lg`` takes ALIKED + LightGlue matches.
Those of the split "rematched" are made anew from the photographs (rematching.py).
The folder is ``$CVSCORE_DATA``, or shared/data beside the checkout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.data.pair import Array, Pair, Pose, Transfer
from benchmarks.data.rematching import RECIPES, match_photographs
from benchmarks.folders import data_root
from benchmarks.protocols.homography import apply_homography

LEARNED = "lg"
GRID = 40  # points a side: where the error of a homography is looked at


@dataclass(frozen=True)
class RealSet:
    """Where a regime's pairs are, and which of their matches are kept."""

    path: str
    matches: str  # the largest ratio kept, exclusive, or LEARNED, or one of RECIPES
    ids: Callable[[Path], list[str]]
    load: Callable[[Path, str, str, str], Pair]

    def is_here(self) -> bool:
        """Whether the files of this set are on this machine."""
        path = data_root() / self.path
        if self.matches in RECIPES:
            path = path / "images"
        return path.exists()


def _read(path: Path, key: str) -> Array:
    """Return one array of an HDF5 file, naming both in the error if it is not there."""
    import h5py

    with h5py.File(path) as file:
        if key not in file:
            raise KeyError(f"{path} has no entry {key!r}")
        return file[key][()].astype(np.float64)


def _keys(path: Path) -> list[str]:
    import h5py

    with h5py.File(path) as file:
        return sorted(file)


def _tutorial_matches(folder: Path, key: str, matches: str) -> tuple[Array, Array]:
    """Return the kept matches (N, 4) and their quality (N,), larger is better."""
    if matches in RECIPES:
        paths = (folder / "images" / f"{image}.jpg" for image in key.split("-"))
        return match_photographs(*paths, matches)
    if matches == LEARNED:
        rows = _read(folder / "aliked_lg_matches.h5", key)
        return rows, _read(folder / "aliked_lg_scores.h5", key).ravel()
    rows = _read(folder / "matches.h5", key)
    ratio = _read(folder / "match_conf.h5", key).ravel()
    keep = ratio < float(matches)
    return rows[keep], 1.0 - ratio[keep]


def _load_pose(folder: Path, key: str, matches: str, problem: str) -> Pair:
    """Return a pair of the tutorial's E/F track; R and T map the world to a camera."""
    rows, quality = _tutorial_matches(folder, key, matches)
    K1, K2 = _read(folder / "K1_K2.h5", key)[0]
    image1, image2 = key.split("-")
    R1, R2 = (_read(folder / "R.h5", image) for image in (image1, image2))
    T1, T2 = (_read(folder / "T.h5", image).ravel() for image in (image1, image2))
    R = R2 @ R1.T
    return Pair(
        id=key,
        problem=problem,
        x1=np.ascontiguousarray(rows[:, :2]),
        x2=np.ascontiguousarray(rows[:, 2:]),
        K1=K1,
        K2=K2,
        size1=_size(K1, rows[:, :2]),
        size2=_size(K2, rows[:, 2:]),
        truth=Pose(R, T2 - R @ T1),
        quality=quality,
    )


def _size(K: Array, x: Array) -> tuple[float, float]:
    """Width and height, which these files lack: the least that holds all points."""
    width, height = np.ceil(np.maximum(2 * K[:2, 2], x.max(axis=0, initial=0) + 1))
    return float(width), float(height)


def _load_hpatches(folder: Path, key: str, matches: str, problem: str) -> Pair:
    """Return a pair of the tutorial's homography track, without intrinsics."""
    rows, quality = _tutorial_matches(folder, key, matches)
    H = _read(folder / "Hgt.h5", key)
    (height1, width1), (height2, width2) = _read(folder / "size.h5", key)
    size1, size2 = (width1, height1), (width2, height2)
    return Pair(
        id=key,
        problem=problem,
        x1=np.ascontiguousarray(rows[:, :2]),
        x2=np.ascontiguousarray(rows[:, 2:]),
        K1=np.eye(3),
        K2=np.eye(3),
        size1=size1,
        size2=size2,
        truth=visible_grid(H, size1, size2),
        quality=quality,
        model=H,
    )


def visible_grid(
    H: Array, size1: tuple[float, float], size2: tuple[float, float]
) -> Transfer:
    """Grid over image 1 where H maps it into image 2, with the true places there."""
    axes = [np.linspace(0, side - 1, GRID) for side in size1]
    points1 = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    points2 = apply_homography(H, points1)
    seen = np.all((points2 >= 0) & (points2 <= np.array(size2) - 1), axis=1)
    return Transfer(points1[seen], points2[seen])


def _load_heb(path: Path, key: str, matches: str, problem: str) -> Pair:
    """Return a plane of HEB; the error is taken over all its ground-truth inliers."""
    rows = _read(path, f"corr_{key}")
    is_inlier = rows[:, 9] > 0.5
    keep = rows[:, 8] < float(matches)
    tokens = key.split("_")  # an image id has three tokens
    image1, image2 = "_".join(tokens[:3]), "_".join(tokens[3:6])
    return Pair(
        id=key,
        problem=problem,
        x1=np.ascontiguousarray(rows[keep, :2]),
        x2=np.ascontiguousarray(rows[keep, 2:4]),
        K1=_read(path, f"K_{image1}"),
        K2=_read(path, f"K_{image2}"),
        size1=_heb_size(path, image1),
        size2=_heb_size(path, image2),
        truth=Transfer(rows[is_inlier, :2], rows[is_inlier, 2:4]),
        quality=1.0 - rows[keep, 8],
        is_inlier=is_inlier[keep],
        model=_read(path, f"hom_{key}"),
    )


def _heb_size(path: Path, image: str) -> tuple[float, float]:
    """Width and height; files differ in their order, the principal point decides."""
    first, second = _read(path, f"size_{image}").ravel()
    twice_cx = 2 * _read(path, f"K_{image}")[0, 2]
    if abs(twice_cx - first) < abs(twice_cx - second):
        return first, second
    return second, first


def _tutorial_ids(folder: Path) -> list[str]:
    return _keys(folder / "matches.h5")


def _heb_ids(path: Path) -> list[str]:
    return [key[len("corr_") :] for key in _keys(path) if key.startswith("corr_")]


_SCENES = {
    "reichstag": ("phototourism/val/reichstag", ("0.8", "0.95", LEARNED)),
    "fountain": ("phototourism/strecha/fountain_P11", ("0.8", "0.95", LEARNED)),
    "door": ("phototourism/lund/door", ("0.8", "0.95")),
}

# A scene of yours, in the layout of the others, is a regime by being there.
YOURS, YOUR_MATCHES = "phototourism/yours", "0.8"
_SCENES |= {
    folder.name: (f"{YOURS}/{folder.name}", (YOUR_MATCHES,))
    for folder in sorted((data_root() / YOURS).glob("*"))
}

POSE_SETS = {
    f"{scene}-{matches}": RealSet(path, matches, _tutorial_ids, _load_pose)
    for scene, (path, choices) in _SCENES.items()
    for matches in choices
}

HOMOGRAPHY_SETS = {
    "hpatches-0.85": RealSet(
        "homography/OxfordHPatches/val", "0.85", _tutorial_ids, _load_hpatches
    ),
    "heb-fountain-0.8": RealSet(
        "heb/train/fountain_P11_homographies.h5", "0.8", _heb_ids, _load_heb
    ),
    "heb-herzjesus-0.8": RealSet(
        "heb/train/Herz_Jesus_P25_homographies.h5", "0.8", _heb_ids, _load_heb
    ),
}

REMATCHED_SETS = {
    f"{scene}-{recipe}": RealSet(_SCENES[scene][0], recipe, _tutorial_ids, _load_pose)
    for scene in ("reichstag", "fountain")  # those with photographs
    for recipe in RECIPES
}

# By split and problem.
SETS: dict[str, dict[str, dict[str, RealSet]]] = {
    "real": {"E": POSE_SETS, "F": POSE_SETS, "H": HOMOGRAPHY_SETS},
    "rematched": {"E": REMATCHED_SETS, "F": REMATCHED_SETS, "H": {}},
}


def pair_ids(problem: str, regime: str, split: str = "real") -> list[str]:
    """Ids of all pairs of a regime."""
    real = SETS[split][problem][regime]
    return real.ids(_existing(real))


def load_pair(problem: str, regime: str, pair_id: str, split: str = "real") -> Pair:
    """Return one pair by its id."""
    real = SETS[split][problem][regime]
    return real.load(_existing(real), pair_id, real.matches, problem)


def _existing(real: RealSet) -> Path:
    path = data_root() / real.path
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there; set CVSCORE_DATA to its root")
    return path
