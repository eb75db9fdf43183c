"""Matches for the measurements of speed: a plane or a volume, half of them wrong."""

from __future__ import annotations

import cv2
import numpy as np

from cvscore.types import Array

K = np.array([[1000.0, 0.0, 640.0], [0.0, 1000.0, 480.0], [0.0, 0.0, 1.0]])
SIZE = (1280, 960)  # pixels
INLIER_RATIO = 0.5
NOISE = 0.5  # pixels


def half_wrong(
    rng: np.random.Generator, num: int, *, planar: bool
) -> tuple[Array, Array]:
    """Return ``num`` matches (N, 2) of a random pair of views by the camera K."""
    depth = np.full(num, 5.0) if planar else rng.uniform(4, 8, num)
    x1 = rng.uniform([0, 0], SIZE, (num, 2))
    rays = np.column_stack([x1, np.ones(num)]) @ np.linalg.inv(K).T
    R = cv2.Rodrigues(rng.normal(0, 0.1, 3))[0]
    seen = (rays * depth[:, None]) @ R.T + rng.normal(0, 0.4, 3)
    x2 = (seen @ K.T)[:, :2] / seen[:, 2:]
    x2 += rng.normal(0, NOISE, x2.shape)
    wrong = rng.uniform(size=num) > INLIER_RATIO
    x2[wrong] = rng.uniform([0, 0], SIZE, (np.count_nonzero(wrong), 2))
    return x1, x2
