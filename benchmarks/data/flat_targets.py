"""A flat target before one camera, near or far, and wrong matches among its points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.data.pair import Array, Mask
from benchmarks.data.views import log_uniform, random_camera, rotation

POINTS = (20, 300)  # log-uniform
INLIER_RATIO = (0.30, 0.95)
NOISE = (0.3, 3.0)  # pixels, log-uniform
DISTANCE = (2.0, 20.0)  # sides of the target, log-uniform
SLANT = (10.0, 65.0)  # degrees


class Target(NamedTuple):
    """Image points (N, 2) and scene points (N, 3), and where the camera was."""

    points2d: Array
    points3d: Array
    K: Array
    R: Array
    t: Array
    is_inlier: Mask


def draw_target(rng: np.random.Generator) -> Target:
    """Return a target that is in the image, slanted against the line of sight."""
    camera = random_camera(rng)
    num = round(log_uniform(rng, *POINTS))
    num_wrong = round(num * (1.0 / rng.uniform(*INLIER_RATIO) - 1.0))
    X = np.column_stack(
        [rng.uniform(-0.5, 0.5, (num + num_wrong, 2)), np.zeros(num + num_wrong)]
    )
    across = np.append(rng.normal(size=2), 0.0)
    in_plane = rotation(np.array([0.0, 0.0, 1.0]), rng.uniform(0.0, 360.0))
    R = rotation(across, rng.uniform(*SLANT)) @ in_plane
    distance = log_uniform(rng, *DISTANCE)
    sight = camera.rays(camera.random_pixels(rng, 1))[0]
    t = distance * np.array([*(0.5 * sight[:2]), 1.0])
    seen = (X @ R.T + t) @ camera.K.T
    x = seen[:, :2] / seen[:, 2:]
    x += log_uniform(rng, *NOISE) * rng.normal(size=x.shape)
    x[num:] = camera.random_pixels(rng, num_wrong)
    is_inlier = np.arange(len(X)) < num
    order = rng.permutation(len(X))
    return Target(x[order], X[order], camera.K, R, t, is_inlier[order])
