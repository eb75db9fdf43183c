"""Real 2-D to 3-D matches: two views triangulated with true poses, a third localised.

The scene points are those of the first view's matches with the second; the image points
are the third view's matches of the same keypoints.  A scene point is kept where the two
true cameras agree on it: a map holds no others.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.data.pair import Array, Pair, Placement
from benchmarks.data.tutorial import keys_of, read_entry, size_of, tutorial_matches

MAX_REPROJECTION = 4.0  # pixels, in both views
MIN_ANGLE = 1.0  # degrees between the two rays
MIN_MATCHES = 20


def triplet_ids(folder: Path) -> list[str]:
    """Return ``first+second+third`` for all threes of images, each in one order."""
    pairs = keys_of(folder / "matches.h5")
    images = sorted({image for key in pairs for image in key.split("-")})
    return ["+".join(three) for three in combinations(images, 3)]


def load_triplet(folder: Path, key: str, matches: str, problem: str) -> Pair:
    """Return the third image's points matched to the triangulated ones."""
    first, second, third = key.split("+")
    to_second, _ = _matches_of(folder, first, second, matches)
    to_third, quality = _matches_of(folder, first, third, matches)
    # The same keypoint of the first image has the same coordinates in both files.
    row_of = {tuple(row[:2]): row for row in to_second}
    shared = np.array([tuple(row[:2]) in row_of for row in to_third], dtype=bool)
    to_third, quality = to_third[shared], quality[shared]
    to_second = np.array([row_of[tuple(row[:2])] for row in to_third]).reshape(-1, 4)
    cameras = [_camera(folder, image) for image in (first, second, third)]
    X, is_sound = _triangulate(to_second, cameras[0], cameras[1])
    K, R, t = cameras[2]
    x = to_third[is_sound, 2:]
    depths = X[is_sound] @ R[2] + t[2]
    if len(x) < MIN_MATCHES:  # too few for anybody, and no failure of a method
        x, X, is_sound = x[:0], X[:0], is_sound[:0]
        quality = quality[:0]
    return Pair(
        id=key,
        problem=problem,
        x1=np.ascontiguousarray(x),
        x2=np.ascontiguousarray(X[is_sound]),
        K1=K,
        size1=size_of(K, x),
        truth=Placement(R, t, float(np.median(depths)) if len(x) else 1.0),
        quality=quality[is_sound],
    )


def _matches_of(
    folder: Path, image1: str, image2: str, matches: str
) -> tuple[Array, Array]:
    """Return matches (N, 4) of two images in this order, and their quality."""
    key = f"{image1}-{image2}"
    if key in keys_of(folder / "matches.h5"):
        return tutorial_matches(folder, key, matches)
    rows, quality = tutorial_matches(folder, f"{image2}-{image1}", matches)
    return rows[:, [2, 3, 0, 1]], quality


def _camera(folder: Path, image: str) -> tuple[Array, Array, Array]:
    """Return K, R and t of an image."""
    for key in keys_of(folder / "K1_K2.h5"):
        images = key.split("-")
        if image in images:
            K = read_entry(folder / "K1_K2.h5", key)[0][images.index(image)]
            break
    R, t = (read_entry(folder / f"{name}.h5", image) for name in ("R", "T"))
    return K, R, t.ravel()


def _triangulate(
    rows: Array,
    camera1: tuple[Array, Array, Array],
    camera2: tuple[Array, Array, Array],
) -> tuple[Array, np.ndarray]:
    """Points (N, 3) of matches (N, 4), and which of them both cameras agree on."""
    import cv2

    projections = [K @ np.column_stack([R, t]) for K, R, t in (camera1, camera2)]
    if not len(rows):
        return np.empty((0, 3)), np.empty(0, dtype=bool)
    X = cv2.triangulatePoints(*projections, rows[:, :2].T, rows[:, 2:].T)
    X = (X[:3] / X[3]).T
    is_sound, rays = np.isfinite(X).all(axis=1), []
    for (K, R, t), x in zip(
        (camera1, camera2), (rows[:, :2], rows[:, 2:]), strict=True
    ):
        p = (X @ R.T + t) @ K.T
        off = np.linalg.norm(p[:, :2] / p[:, 2:] - x, axis=1)
        is_sound &= (p[:, 2] > 0) & (off < MAX_REPROJECTION)
        ray = X + R.T @ t
        rays.append(ray / np.linalg.norm(ray, axis=1)[:, None])
    cosine = np.clip(np.sum(rays[0] * rays[1], axis=1), -1.0, 1.0)
    return X, is_sound & (np.degrees(np.arccos(cosine)) > MIN_ANGLE)
