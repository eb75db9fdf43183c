"""Scenes in coordinates of order one, packed as the kernels of the models take them."""

import numba
import numpy as np
from synthetic import packed, planar_scene, two_view_scene

# Pixels to coordinates of order one; a power of two, so that nothing is rounded.
SCALE = 512.0
CENTRE = np.array([640.0, 480.0])
TO_UNIT = np.array([[1, 0, -CENTRE[0]], [0, 1, -CENTRE[1]], [0, 0, SCALE]]) / SCALE
NUM_POINTS = 40 if numba.config.DISABLE_JIT else 200


def canonical(x1, x2):
    """Pixels (N, 2) of both images as points (4, N) of order one."""
    return packed(x1 - CENTRE, x2 - CENTRE) / SCALE


def plane(rng, num=NUM_POINTS, noise=0.5):
    """Inliers (4, N) and the true homography, oriented and of unit norm."""
    scene = planar_scene(rng, num=num, inlier_ratio=1.0, noise=noise)
    H = TO_UNIT @ scene.H @ np.linalg.inv(TO_UNIT)
    return canonical(scene.x1, scene.x2), H / np.copysign(np.linalg.norm(H), H[2, 2])


def volume(rng, num=NUM_POINTS, noise=0.5, **options):
    """Inliers (4, N) of a general scene and its fundamental matrix, of unit norm."""
    scene = two_view_scene(rng, num=num, inlier_ratio=1.0, noise=noise, **options)
    F = np.linalg.inv(TO_UNIT).T @ scene.F @ np.linalg.inv(TO_UNIT)
    return canonical(scene.x1, scene.x2), F / np.linalg.norm(F)


def random_samples(rng, num_points, shape):
    """Indices of random points, of the shape (samples, points in each)."""
    order = np.argsort(rng.random((shape[0], num_points)), axis=1)
    return np.ascontiguousarray(order[:, : shape[1]])
