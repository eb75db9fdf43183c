"""Matches of a translation, rigid motion, similarity or affine map, and its truth."""

from dataclasses import dataclass

import numpy as np
from synthetic import rotation

KINDS = ("translation", "rigid", "similarity", "affine")
SIDE = 1000.0


@dataclass(frozen=True)
class MapScene:
    x1: np.ndarray  # (N, D)
    x2: np.ndarray
    model: np.ndarray  # (D, D + 1)
    is_right: np.ndarray  # (N,)

    @property
    def points(self):
        """As kernels take them, (2 D, N)."""
        return np.ascontiguousarray(np.hstack([self.x1, self.x2]).T)


def random_map(rng, kind, dim):
    """[A | t] of a kind."""
    A = np.eye(dim)
    if kind != "translation":
        A = rotation(rng.normal(0, 1, 3))
        if dim == 2:
            angle = rng.uniform(-np.pi, np.pi)
            cosine, sine = np.cos(angle), np.sin(angle)
            A = np.array([[cosine, -sine], [sine, cosine]])
    if kind == "similarity":
        A = A * np.exp(rng.uniform(-0.7, 0.7))
    if kind == "affine":
        A = A + rng.normal(0, 0.25, (dim, dim))
    return np.column_stack([A, rng.uniform(-SIDE, SIDE, dim)])


def apply(model, x):
    return x @ model[:, :-1].T + model[:, -1]


def map_scene(rng, kind, dim, num=200, share_right=0.6, noise=0.5):
    model = random_map(rng, kind, dim)
    x1 = rng.uniform(0, SIDE, (num, dim))
    x2 = apply(model, x1)
    is_right = np.arange(num) < round(share_right * num)
    low, high = x2.min(axis=0), x2.max(axis=0)
    x2[~is_right] = rng.uniform(low, high, x2[~is_right].shape)
    noises = rng.normal(0, noise, (2, num, dim))
    return MapScene(x1 + noises[0], x2 + noises[1], model, is_right)


def map_distances(model, x1, x2):
    """Distances (N,) to the nearest match that the map explains, by least squares."""
    A, t = model[:, :-1], model[:, -1]
    # The nearest x, and with it A x + t: the rows of [I; A] x = [x1; x2 - t].
    system = np.vstack([np.eye(len(t)), A])
    right = np.vstack([x1.T, (x2 - t).T])
    nearest = np.linalg.lstsq(system, right, rcond=None)[0]
    return np.linalg.norm(system @ nearest - right, axis=0)


def corner_error(found, scene):
    """Largest distance between where two maps send the corners."""
    dim = len(scene.model)
    corners = SIDE * np.stack(np.meshgrid(*[[0, 1]] * dim), -1).reshape(-1, dim)
    missed = apply(found, corners) - apply(scene.model, corners)
    return np.linalg.norm(missed, axis=1).max()
