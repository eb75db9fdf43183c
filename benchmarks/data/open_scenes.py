"""Matches that leave something of a model open, and others that do not.

Three kinds of scenes: clouds of points (`views`), curved surfaces (`surfaces`), and
streets: a ground and two rows of facades, seen from a camera that goes along.  50 to
1000 right matches, 30 to 95 % of all, noise of 0.3 to 3 pixels, wrong ones anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchmarks.data.pair import Array
from benchmarks.data.surfaces import SurfaceScene
from benchmarks.data.views import (
    Camera,
    Views,
    cloud_matches,
    log_uniform,
    plane_matches,
    random_camera,
    random_plane,
    random_views,
    rotation,
)

INLIERS = (50, 1000)  # log-uniform
INLIER_RATIO = (0.30, 0.95)
NOISE = (0.3, 3.0)  # pixels, log-uniform
TURN = (1.0, 20.0)  # degrees
PATCH = (0.5, 1.0)  # of the image's sides: what a plane covers
MIN_OVERLAP = 0.3
RELIEF = (1.0, 10.0)  # pixels, log-uniform: the parallax of what is off a plane
LENS = (0.5, 8.0)  # pixels, log-uniform: what a lens is off at the corners
SMALL = 1e-4  # change of a depth, to see what it does
STREET_WIDTH = (6.0, 20.0)  # camera heights
STREET_STEP = (0.5, 3.0)  # camera heights that the camera moves by
STREET_LENGTH = (4.0, 30.0)  # camera heights: how far away points are
FACADE_HEIGHT = 6.0  # camera heights


class Street:
    """A ground and facades on both sides, in units of the camera's height."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.half_width = 0.5 * rng.uniform(*STREET_WIDTH)
        step = rng.uniform(*STREET_STEP) * _unit(rng.normal(size=3) * [0.6, 0.1, 1.0])
        R = rotation(rng.normal(size=3), rng.uniform(0.0, 8.0))
        camera = random_camera(rng)
        self.views = Views(camera, camera, R, -R @ step, STREET_LENGTH)

    def matches(self, rng: np.random.Generator, num: int) -> Array:
        """Draw exact matches (num, 4) of what both views show."""
        found = np.empty((0, 4))
        while len(found) < num:
            far = rng.uniform(*STREET_LENGTH, size=8 * num)
            side = rng.integers(3, size=8 * num)  # left, ground, right
            across = rng.uniform(-self.half_width, self.half_width, 8 * num)
            up = rng.uniform(1.0 - FACADE_HEIGHT, 1.0, size=8 * num)  # y is downwards
            X = np.column_stack(
                [
                    np.where(side == 1, across, (side - 1) * self.half_width),
                    np.where(side == 1, 1.0, up),
                    far,
                ]
            )
            camera = self.views.camera1
            x1 = X[:, :2] / X[:, 2:] * np.diag(camera.K)[:2] + camera.K[:2, 2]
            x2, visible = self.views.project(X)
            visible &= camera.sees(x1)
            found = np.vstack([found, np.hstack([x1, x2])[visible]])
        return found[:num]


def _unit(vector: Array) -> Array:
    return vector / np.linalg.norm(vector)


def turning(rng: np.random.Generator, views: Views) -> Views:
    """Return the views from one place, turned by some degrees."""
    while True:
        turn = rotation(rng.normal(size=3), rng.uniform(*TURN))
        turned = replace(views, R=turn, t=np.zeros(3))
        rays = views.camera1.rays(views.camera1.random_pixels(rng, 200))
        if turned.project(rays)[1].mean() > MIN_OVERLAP:
            return turned


def at_rest(rng: np.random.Generator, views: Views) -> Views:
    """Return the views of a camera that has not moved."""
    return replace(views, camera2=views.camera1, R=np.eye(3), t=np.zeros(3))


def draw_views(rng: np.random.Generator, scene: str) -> Views:
    """Draw the cameras of one kind of scene."""
    if scene == "street":
        return Street(rng).views
    if scene == "surfaces":
        return SurfaceScene.draw_views(rng, planar=False)
    return random_views(rng)


def general(rng: np.random.Generator, scene: str, num: int) -> tuple[Array, Views]:
    """Draw exact matches (num, 4) of a scene with depth, from two places."""
    if scene == "street":
        street = Street(rng)
        return street.matches(rng, num), street.views
    views = draw_views(rng, scene)
    if scene == "surfaces":
        given = "F", None, views, random_plane(rng, views), 0.0, rng.uniform(*PATCH)
        return SurfaceScene(*given).true_matches(rng, num), views
    return cloud_matches(rng, views, num), views


def plane(rng: np.random.Generator, scene: str, num: int) -> tuple[Array, Views]:
    """Draw exact matches (num, 4) of a plane, from two places."""
    matches, views, _ = _on_plane(rng, scene, num)
    return matches, views


def _on_plane(
    rng: np.random.Generator, scene: str, num: int
) -> tuple[Array, Views, Array]:
    """Draw matches of a plane, the cameras, and the plane itself (3,)."""
    views = draw_views(rng, "clouds" if scene == "street" else scene)
    normal = random_plane(rng, views)
    matches = plane_matches(rng, views, normal, num, rng.uniform(*PATCH))
    return matches, views, normal


def nearly_flat(rng: np.random.Generator, scene: str, num: int) -> tuple[Array, Views]:
    """Draw exact matches (about num, 4) of a plane with some relief."""
    matches, views, normal = _on_plane(rng, scene, num)
    rays = views.camera1.rays(matches[:, :2])
    depths = 1.0 / (rays @ normal)
    moved, _ = views.project((1.0 + SMALL) * depths[:, None] * rays)
    parallax = np.median(np.linalg.norm(moved - matches[:, 2:], axis=1)) / SMALL
    relief = log_uniform(rng, *RELIEF) / parallax * rng.normal(size=(len(rays), 1))
    x2, visible = views.project(np.exp(relief) * depths[:, None] * rays)
    return np.hstack([matches[:, :2], x2])[visible], views


def through_lens(
    rng: np.random.Generator,
    scene: str,
    num: int,
    draw: Callable[[np.random.Generator, str, int], tuple[Array, Views]],
) -> tuple[Array, Views]:
    """Draw matches (num, 4), distorted by a lens that nobody knows of."""
    matches, views = draw(rng, scene, num)
    amount = log_uniform(rng, *LENS) * rng.choice([-1.0, 1.0])
    cameras = (views.camera1, matches[:, :2]), (views.camera2, matches[:, 2:])
    return np.hstack([distorted(*each, amount) for each in cameras]), views


def distorted(camera: Camera, x: Array, amount: float) -> Array:
    """Return pixels (N, 2) off by so many pixels at the corners, radially."""
    off_axis = (x - camera.K[:2, 2]) / (0.5 * np.linalg.norm(camera.size))
    return x + amount * off_axis * (off_axis**2).sum(axis=1, keepdims=True)


def from_one_place(
    rng: np.random.Generator,
    scene: str,
    num: int,
    moved: Callable[[np.random.Generator, Views], Views],
) -> tuple[Array, Views]:
    """Draw exact matches (num, 4) of a camera that turned, or did nothing."""
    views = moved(rng, draw_views(rng, scene))
    return cloud_matches(rng, views, num), views


def with_noise_and_outliers(
    rng: np.random.Generator,
    matches: Array,
    num_noisy: int,
    draw_wrong: Callable[[np.random.Generator, int], Array],
) -> Array:
    """Add noise to the first columns of exact matches, and wrong matches, shuffled."""
    noisy = matches.copy()
    noise = log_uniform(rng, *NOISE)
    noisy[:, :num_noisy] += noise * rng.normal(size=(len(matches), num_noisy))
    num_wrong = round(len(matches) * (1.0 / rng.uniform(*INLIER_RATIO) - 1.0))
    return rng.permutation(np.vstack([noisy, draw_wrong(rng, num_wrong)]))
