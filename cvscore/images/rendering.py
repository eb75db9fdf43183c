"""Two views of a room full of posters, with known cameras: data for demonstrations.

Every pixel's ray is intersected with a set of textured rectangles and shows the nearest
one, so that the pair has true parallax and occlusion, and real features can be detected
and matched in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cvscore.types import Array

# Texels per unit of length; with the focal length and depths below, near one per pixel.
TEXELS_PER_UNIT = 160.0
# Rays are cast this many times finer than pixels in both directions, then averaged.
SUPERSAMPLING = 2
# Texels of white around a poster, so that a person can tell it from the wall.
BORDER = 6


@dataclass(frozen=True)
class RenderedPair:
    """Two grey images (height, width) uint8 and the truth about their cameras."""

    image1: NDArray[np.uint8]
    image2: NDArray[np.uint8]
    K: Array
    R: Array
    t: Array


def render_pair(
    seed: int = 0, *, width: int = 640, height: int = 480, planar: bool = False
) -> RenderedPair:
    """Render a room from two places.

    Parameters
    ----------
    seed : int
        Of textures, poster positions and motion.
    width, height : int
        Pixels.
    planar : bool
        Leave only the back wall, so that a homography relates the views.

    Examples
    --------
    >>> render_pair(width=64, height=48).image2.shape
    (48, 64)
    """
    rng = np.random.default_rng(seed)
    focal = 0.9 * width
    K = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
    angles = rng.uniform(-0.08, 0.08, 3) + np.array([0.0, -0.15, 0.0])
    R = _rotation(*angles)
    centre = np.array([0.9, 0.1, 0.2]) + rng.uniform(-0.2, 0.2, 3)
    t = -R @ centre
    rectangles = _room(rng, num_posters=0 if planar else 7)
    image1 = _render(rectangles, K, np.eye(3), np.zeros(3), width, height)
    image2 = _render(rectangles, K, R, t, width, height)
    return RenderedPair(image1, image2, K, R, t / np.linalg.norm(t))


@dataclass(frozen=True)
class _Rectangle:
    corner: Array
    right: Array  # full side, its length is the width
    down: Array
    texture: Array


def _room(rng: np.random.Generator, num_posters: int) -> list[_Rectangle]:
    wall = (np.array([-9.0, -7.0, 8.0]), np.array([18.0, 0, 0]), np.array([0, 14.0, 0]))
    rectangles = [_Rectangle(*wall, _texture(rng, wall[1], wall[2], contrast=60.0))]
    for _ in range(num_posters):
        depth = rng.uniform(3.5, 7.0)
        middle = np.array([rng.uniform(-0.6, 0.6), rng.uniform(-0.4, 0.4), 1.0]) * depth
        turn = _rotation(rng.uniform(-0.3, 0.3), rng.uniform(-0.5, 0.5), 0.0)
        right = turn @ [rng.uniform(1.0, 2.0), 0, 0]
        down = turn @ [0, rng.uniform(1.0, 2.0), 0]
        corner = middle - 0.5 * (right + down)
        poster = _texture(rng, right, down, contrast=127.0)
        for edge in (
            poster[:BORDER],
            poster[-BORDER:],
            poster.T[:BORDER],
            poster.T[-BORDER:],
        ):
            edge[:] = 255.0
        rectangles.append(_Rectangle(corner, right, down, poster))
    return rectangles


def _texture(
    rng: np.random.Generator, right: Array, down: Array, contrast: float
) -> Array:
    """Overlaid boxes of random grey, from large to small: corners at every scale."""
    width = int(TEXELS_PER_UNIT * np.linalg.norm(right))
    height = int(TEXELS_PER_UNIT * np.linalg.norm(down))
    texture = np.full((height, width), 128.0)
    for size in (160, 80, 40, 20):
        for _ in range(max(8, width * height // (4 * size * size))):
            w, h = (size * rng.uniform(0.4, 1.6, 2)).astype(int)
            x, y = int(rng.integers(-w, width)), int(rng.integers(-h, height))
            grey = 128.0 + contrast * rng.uniform(-1, 1)
            texture[max(y, 0) : max(y + h, 0), max(x, 0) : max(x + w, 0)] = grey
    return texture


def _render(
    rectangles: list[_Rectangle], K: Array, R: Array, t: Array, width: int, height: int
) -> NDArray[np.uint8]:
    step = 1.0 / SUPERSAMPLING
    u = (np.arange(width * SUPERSAMPLING) + 0.5) * step - 0.5
    v = (np.arange(height * SUPERSAMPLING) + 0.5) * step - 0.5
    pixels = np.stack([*np.meshgrid(u, v), np.ones((len(v), len(u)))], axis=-1)
    directions = pixels @ np.linalg.inv(K).T @ R  # of the rays, in the world
    centre = -R.T @ t
    nearest = np.full(directions.shape[:2], np.inf)
    grey = np.zeros(directions.shape[:2])
    for rectangle in rectangles:
        _paint(rectangle, centre, directions, nearest, grey)
    blocks = grey.reshape(height, SUPERSAMPLING, width, SUPERSAMPLING)
    image: NDArray[np.uint8] = blocks.mean(axis=(1, 3)).astype(np.uint8)
    return image


def _paint(
    rectangle: _Rectangle, centre: Array, directions: Array, nearest: Array, grey: Array
) -> None:
    """Draw one rectangle into ``grey`` wherever it is nearer than what is there."""
    normal = np.cross(rectangle.right, rectangle.down)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = (rectangle.corner - centre) @ normal / (directions @ normal)
        place = centre + distance[..., None] * directions - rectangle.corner
        a = place @ rectangle.right / (rectangle.right @ rectangle.right)
        b = place @ rectangle.down / (rectangle.down @ rectangle.down)
        hit = (
            (distance > 0)
            & (distance < nearest)
            & (a >= 0)
            & (a < 1)
            & (b >= 0)
            & (b < 1)
        )
    height, width = rectangle.texture.shape
    rows, columns = (b[hit] * height).astype(int), (a[hit] * width).astype(int)
    grey[hit] = rectangle.texture[rows, columns]
    nearest[hit] = distance[hit]


def _rotation(about_x: float, about_y: float, about_z: float) -> Array:
    cx, sx = np.cos(about_x), np.sin(about_x)
    cy, sy = np.cos(about_y), np.sin(about_y)
    cz, sz = np.cos(about_z), np.sin(about_z)
    x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1.0]])
    return np.asarray(z @ y @ x)
