"""Photographs matched anew by OpenCV's features: real pairs that nothing was chosen on.

The stored matches of the real pairs are RootSIFT's and LightGlue's, and some of the
estimators' constants were chosen on them.  These are others, of the same photographs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.data.pair import Array


@dataclass(frozen=True)
class Recipe:
    """How features are found and matched."""

    detector: str
    max_features: int
    ratio: float  # to the second nearest descriptor, the largest that is kept
    mutual: bool  # whether a match must be the nearest in both directions
    size: float = 1.0  # of the photograph that features are looked for in


RECIPES = {
    "orb": Recipe("ORB", 5000, 0.85, mutual=False),
    "sift-2k": Recipe("SIFT", 2000, 0.9, mutual=True),
    "sift-half": Recipe("SIFT", 4000, 0.8, mutual=True, size=0.5),
}


def match_photographs(path1: Path, path2: Path, name: str) -> tuple[Array, Array]:
    """Return matches (N, 4) in pixels and their quality (N,), larger is better."""
    recipe = RECIPES[name]
    points1, first = _features(path1, name)
    points2, second = _features(path2, name)
    matcher = cv2.BFMatcher(_distance(recipe))
    best: list[tuple[Any, Any]] = [
        tuple(pair) for pair in matcher.knnMatch(first, second, k=2) if len(pair) == 2
    ]
    kept = [(a, b) for a, b in best if a.distance < recipe.ratio * b.distance]
    if recipe.mutual:
        back = {m.queryIdx: m.trainIdx for m in matcher.match(second, first)}
        kept = [(a, b) for a, b in kept if back[a.trainIdx] == a.queryIdx]
    rows = np.hstack(
        [
            points1[[a.queryIdx for a, _ in kept]].reshape(-1, 2),
            points2[[a.trainIdx for a, _ in kept]].reshape(-1, 2),
        ]
    )
    return rows, np.array([1.0 - a.distance / b.distance for a, b in kept])


def _distance(recipe: Recipe) -> int:
    return cv2.NORM_HAMMING if recipe.detector == "ORB" else cv2.NORM_L2


@lru_cache(maxsize=64)
def _features(path: Path, name: str) -> tuple[Array, Any]:
    """Points (N, 2) in pixels of the whole photograph, and their descriptors."""
    recipe = RECIPES[name]
    grey = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    if grey is None:
        raise FileNotFoundError(f"{path} is not a photograph that OpenCV can read")
    if recipe.size != 1.0:
        shrunk = (round(recipe.size * side) for side in grey.shape[::-1])
        grey = cv2.resize(grey, tuple(shrunk), interpolation=cv2.INTER_AREA)
    make: Any = getattr(cv2, f"{recipe.detector}_create")
    keypoints, descriptors = make(recipe.max_features).detectAndCompute(grey, None)
    points = np.array([key.pt for key in keypoints], dtype=np.float64).reshape(-1, 2)
    # OpenCV's first pixel has its centre at 0, whatever the size of a pixel.
    return (points + 0.5) / recipe.size - 0.5, descriptors
