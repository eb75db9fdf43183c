"""A room of textured rectangles, seen by a ring of cameras: images, depths, features.

Unlike drawn points, rendered images give matches as real ones do: detected features,
with the noise of their blur and resolution, and wrong matches where texture repeats.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.data.views import looking_at
from cvscore.types import Array

WIDTH, HEIGHT = 480, 360
TEXELS_PER_UNIT = 85.0  # with the cameras below about one texel a pixel
NUM_POSTERS = 5
NUM_TILES = 3  # patterns that posters share: what wrong matches come from
MAX_FEATURES = 1500
# Ranges of what makes the noise of features differ between images.
BLUR = (0.3, 2.0)  # pixels
GRAIN = (1.0, 8.0)  # grey levels


@dataclass(frozen=True)
class View:
    """A camera in the world, ``x_cam = R X + t``; K for OpenCV's pixel centres."""

    K: Array
    R: Array
    t: Array


@dataclass(frozen=True)
class Rectangle:
    """A textured rectangle: corner, two sides (3,), grey values."""

    corner: Array
    right: Array
    down: Array
    texture: NDArray[np.float32]

    @property
    def normal(self) -> Array:
        """Not of unit length."""
        return np.cross(self.right, self.down)


@dataclass(frozen=True)
class Features:
    """SIFT of one image: pixels (M, 2), angles (degrees), scales, RootSIFT (M, 128)."""

    points: Array
    angles: Array
    scales: Array
    descriptors: NDArray[np.float32]


@dataclass(frozen=True)
class Room:
    """Rectangles, and the views, images and features of one dataset scene."""

    rectangles: list[Rectangle]
    views: list[View]
    features: list[Features]


# The stand-ins of all three datasets are made from the same rooms.
@lru_cache(maxsize=8)
def make_room(seed: int, num_views: int) -> Room:
    """Furnish a room, place cameras in it, render and detect."""
    rng = np.random.default_rng(seed)
    rectangles = _furnish(rng)
    views = [_place(rng, i / max(num_views - 1, 1)) for i in range(num_views)]
    images = [_photograph(rng, rectangles, view) for view in views]
    return Room(rectangles, views, [detect(image) for image in images])


def _furnish(rng: np.random.Generator) -> list[Rectangle]:
    wall = (np.array([-8.0, -6, 8]), np.array([16.0, 0, 0]), np.array([0, 12.0, 0]))
    rectangles = [Rectangle(*wall, texture_of(rng, 16, 12))]
    tiles = [texture_of(rng, 0.6, 0.6) for _ in range(NUM_TILES)]
    for i in range(NUM_POSTERS):
        depth = rng.uniform(4, 7)
        middle = depth * np.append(rng.uniform(-0.4, 0.4, 2) * [1.2, 0.8], 1.0)
        turn = cv2.Rodrigues(rng.uniform(-0.5, 0.5, 3) * [1, 1, 0.2])[0]
        width, height = rng.uniform(1.2, 2.6, 2)
        right, down = turn @ [width, 0, 0], turn @ [0, height, 0]
        texture = texture_of(rng, width, height)
        if i % 2:
            # Tiles side by side over the right half: features that look alike.
            tile = tiles[i % NUM_TILES]
            counts = np.array(texture.shape) // np.array(tile.shape) + 1
            half = texture.shape[1] // 2
            tiled = np.tile(tile, counts)[: texture.shape[0], : texture.shape[1]]
            texture[:, half:] = tiled[:, half:]
        corner = middle - 0.5 * (right + down)
        rectangles.append(Rectangle(corner, right, down, texture))
    return rectangles


def texture_of(
    rng: np.random.Generator, width: float, height: float
) -> NDArray[np.float32]:
    """Blobs of all sizes: noise on ever finer grids, smoothly enlarged."""
    size = int(TEXELS_PER_UNIT * width), int(TEXELS_PER_UNIT * height)
    texture = np.full(size[::-1], 128.0, np.float32)
    for texels in (64, 24, 10, 5):
        shape = size[1] // texels + 2, size[0] // texels + 2
        noise = rng.normal(0, 22, shape).astype(np.float32)
        texture += cv2.resize(noise, size, interpolation=cv2.INTER_CUBIC)
    return np.clip(texture, 0, 255)


def _place(rng: np.random.Generator, along: float) -> View:
    """Put a camera on an arc before the room; ``along`` goes from 0 to 1."""
    angle = 0.5 * (along - 0.5) + rng.uniform(-0.05, 0.05)
    radius = 6.0 * rng.uniform(0.85, 1.05)
    target = np.array([0.0, 0, 6]) + rng.uniform(-0.5, 0.5, 3)
    sway = rng.uniform(-0.4, 0.4)
    centre = np.array([radius * np.sin(angle), sway, 6 - radius * np.cos(angle)])
    wobble = cv2.Rodrigues(rng.uniform(-0.06, 0.06, 3))[0]
    R = wobble @ looking_at(centre, target)
    focal = WIDTH * rng.uniform(0.85, 1.1)
    K = np.array([[focal, 0, WIDTH / 2 - 0.5], [0, focal, HEIGHT / 2 - 0.5], [0, 0, 1]])
    return View(K, R, -R @ centre)


def pixel_grid() -> Array:
    """Return all pixels (HEIGHT * WIDTH, 2), row by row."""
    u, v = np.meshgrid(np.arange(WIDTH, dtype=float), np.arange(HEIGHT, dtype=float))
    return np.column_stack([u.ravel(), v.ravel()])


def rays_of(view: View, pixels: Array) -> Array:
    """Rays (N, 2) at depth one of pixels (N, 2)."""
    return (pixels - view.K[:2, 2]) / np.diag(view.K)[:2]


def trace(
    rectangles: list[Rectangle], view: View, rays: Array
) -> tuple[Array, NDArray[np.int64], Array]:
    """What rays (N, 2) of a view meet first.

    Returns
    -------
    depth : (N,)
        Along the optical axis; ``inf`` for nothing.
    surface : (N,)
        Which rectangle; -1 for none.
    place : (N, 2)
        Where on it, both coordinates in [0, 1).
    """
    directions = np.column_stack([rays, np.ones(len(rays))]) @ view.R
    centre = -view.R.T @ view.t
    depth = np.full(len(rays), np.inf)
    surface = np.full(len(rays), -1)
    place = np.zeros((len(rays), 2))
    for number, item in enumerate(rectangles):
        normal = item.normal
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = (item.corner - centre) @ normal / (directions @ normal)
            offset = centre + distance[:, None] * directions - item.corner
            a = offset @ item.right / (item.right @ item.right)
            b = offset @ item.down / (item.down @ item.down)
            hit = (distance > 0) & (distance < depth)
            hit &= (a >= 0) & (a < 1) & (b >= 0) & (b < 1)
        depth[hit], surface[hit] = distance[hit], number
        place[hit] = np.column_stack([a[hit], b[hit]])
    return depth, surface, place


def _photograph(
    rng: np.random.Generator, rectangles: list[Rectangle], view: View
) -> NDArray[np.uint8]:
    """Render one view with its own blur and grain, (HEIGHT, WIDTH)."""
    grey = paint(rectangles, view, rays_of(view, pixel_grid()))
    return develop(rng, grey, rng.uniform(*BLUR), rng.uniform(*GRAIN))


def paint(rectangles: list[Rectangle], view: View, rays: Array) -> NDArray[np.float32]:
    """Return the grey values (N,) that rays (N, 2) of a view meet; black is nothing."""
    _, surface, place = trace(rectangles, view, rays)
    grey = np.zeros(len(surface), np.float32)
    for number, item in enumerate(rectangles):
        seen = np.flatnonzero(surface == number)
        if not seen.size:
            continue
        height, width = item.texture.shape
        texels = (place[seen] * [width, height] - 0.5).astype(np.float32)
        # OpenCV's lookup tables have at most 32,767 rows: reshape to one of width 1.
        for part in np.array_split(np.arange(len(seen)), len(seen) // 30000 + 1):
            x, y = texels[part, 0][:, None], texels[part, 1][:, None]
            grey[seen[part]] = cv2.remap(item.texture, x, y, cv2.INTER_LINEAR)[:, 0]
    return grey


def develop(
    rng: np.random.Generator, grey: NDArray[np.float32], blur: float, grain: float
) -> NDArray[np.uint8]:
    """Return an image (HEIGHT, WIDTH) of grey values, blurred and with grain."""
    image = cv2.GaussianBlur(grey.reshape(HEIGHT, WIDTH), (0, 0), blur)
    image += rng.normal(0, grain, image.shape)
    return np.clip(image, 0, 255).astype(np.uint8)


def detect(image: NDArray[np.uint8]) -> Features:
    """RootSIFT of an image."""
    sift = cv2.SIFT_create(MAX_FEATURES, contrastThreshold=0.01)
    keypoints, descriptors = sift.detectAndCompute(image, None)
    norms = np.abs(descriptors).sum(axis=1, keepdims=True)
    return Features(
        points=np.array([k.pt for k in keypoints], dtype=np.float64),
        angles=np.array([k.angle for k in keypoints], dtype=np.float64),
        scales=np.array([k.size for k in keypoints], dtype=np.float64),
        descriptors=np.sqrt(descriptors / norms),
    )


def match(one: Features, two: Features) -> tuple[NDArray[np.int64], Array]:
    """Mutual nearest neighbours: index pairs (N, 2) and ratios (N,), low is good."""
    distances = np.sqrt(
        np.maximum(0.0, 2.0 - 2.0 * one.descriptors @ two.descriptors.T)
    ).astype(np.float64)
    forward, backward = distances.argmin(axis=1), distances.argmin(axis=0)
    mutual = np.flatnonzero(backward[forward] == np.arange(len(forward)))
    two_best = np.partition(distances[mutual], 1, axis=1)[:, :2]
    ratios = two_best[:, 0] / np.maximum(two_best[:, 1], 1e-12)
    return np.column_stack([mutual, forward[mutual]]), ratios
