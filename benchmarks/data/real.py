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
from benchmarks.data.rematching import RECIPES
from benchmarks.data.triplets import load_triplet, triplet_ids
from benchmarks.data.tutorial import (
    LEARNED,
    keys_of,
    read_entry,
    size_of,
    tutorial_matches,
)
from benchmarks.folders import data_root
from benchmarks.protocols.homography import apply_homography

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


def _load_pose(folder: Path, key: str, matches: str, problem: str) -> Pair:
    """Return a pair of the tutorial's E/F track; R and T map the world to a camera."""
    rows, quality = tutorial_matches(folder, key, matches)
    K1, K2 = read_entry(folder / "K1_K2.h5", key)[0]
    image1, image2 = key.split("-")
    R1, R2 = (read_entry(folder / "R.h5", image) for image in (image1, image2))
    T1, T2 = (read_entry(folder / "T.h5", image).ravel() for image in (image1, image2))
    R = R2 @ R1.T
    return Pair(
        id=key,
        problem=problem,
        x1=np.ascontiguousarray(rows[:, :2]),
        x2=np.ascontiguousarray(rows[:, 2:]),
        K1=K1,
        K2=K2,
        size1=size_of(K1, rows[:, :2]),
        size2=size_of(K2, rows[:, 2:]),
        truth=Pose(R, T2 - R @ T1),
        quality=quality,
    )


def _load_hpatches(folder: Path, key: str, matches: str, problem: str) -> Pair:
    """Return a pair of the tutorial's homography track, without intrinsics."""
    rows, quality = tutorial_matches(folder, key, matches)
    H = read_entry(folder / "Hgt.h5", key)
    (height1, width1), (height2, width2) = read_entry(folder / "size.h5", key)
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
    rows = read_entry(path, f"corr_{key}")
    is_inlier = rows[:, 9] > 0.5
    keep = rows[:, 8] < float(matches)
    tokens = key.split("_")  # an image id has three tokens
    image1, image2 = "_".join(tokens[:3]), "_".join(tokens[3:6])
    return Pair(
        id=key,
        problem=problem,
        x1=np.ascontiguousarray(rows[keep, :2]),
        x2=np.ascontiguousarray(rows[keep, 2:4]),
        K1=read_entry(path, f"K_{image1}"),
        K2=read_entry(path, f"K_{image2}"),
        size1=_heb_size(path, image1),
        size2=_heb_size(path, image2),
        truth=Transfer(rows[is_inlier, :2], rows[is_inlier, 2:4]),
        quality=1.0 - rows[keep, 8],
        is_inlier=is_inlier[keep],
        model=read_entry(path, f"hom_{key}"),
    )


def _heb_size(path: Path, image: str) -> tuple[float, float]:
    """Width and height; files differ in their order, the principal point decides."""
    first, second = read_entry(path, f"size_{image}").ravel()
    twice_cx = 2 * read_entry(path, f"K_{image}")[0, 2]
    if abs(twice_cx - first) < abs(twice_cx - second):
        return first, second
    return second, first


def _tutorial_ids(folder: Path) -> list[str]:
    return keys_of(folder / "matches.h5")


def _heb_ids(path: Path) -> list[str]:
    return [key[len("corr_") :] for key in keys_of(path) if key.startswith("corr_")]


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

TRIPLET_SETS = {
    f"{scene}-{matches}": RealSet(path, matches, triplet_ids, load_triplet)
    for scene, (path, choices) in _SCENES.items()
    for matches in choices
    if matches != LEARNED  # whose keypoints differ from pair to pair
}

# By split and problem.
SETS: dict[str, dict[str, dict[str, RealSet]]] = {
    "real": {
        "E": POSE_SETS,
        "F": POSE_SETS,
        "H": HOMOGRAPHY_SETS,
        "PnP": TRIPLET_SETS,
    },
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
