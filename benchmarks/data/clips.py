"""Clips of a hand-held camera: rendered, then tracked and matched as real ones are.

Rectangles before a wall are seen through a lens that is off by some pixels at the
corners, which nobody knows of.  Its errors move with the image, and so do those of
trackers: neither is the independent noise of drawn points.  What the camera does, and
what it sees, leaves something open or does not (`KINDS`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.data.open_scenes import distorted
from benchmarks.data.pair import Array, Pair, Pose
from benchmarks.data.real import SETS
from benchmarks.data.room import (
    HEIGHT,
    TEXELS_PER_UNIT,
    WIDTH,
    Rectangle,
    View,
    develop,
    paint,
    pixel_grid,
    texture_of,
)
from benchmarks.data.views import Camera, log_uniform, rotation
from benchmarks.folders import data_root
from cvscore.images.features import match_images

GAPS = (2, 5, 12)  # frames between the images of a pair
DISTANCE = 6.0  # of the camera from the wall, in the room's units
WALL = (20.0, 15.0)  # width and height
ASLANT = 25.0  # degrees: how far the camera looks at the wall from aside
MOVED = (0.05, 0.3)  # distances that a camera moves by in a clip, log-uniform
AIM = 6.0  # degrees that it turns by as it moves
TURN = (4.0, 15.0)  # degrees that a camera turns by in a clip
ARM = 0.1  # distances of a camera from what it turns about, at most
SHAKE = 0.15  # degrees, of a hand
FOCAL = (0.85, 1.1)  # image widths
WRONG_FOCAL = 0.01  # of the focal length, at most: what a calibration is off by
LENS = (0.5, 3.0)  # pixels, log-uniform: what a lens is off at the corners
BLUR = (0.3, 1.0)  # pixels
GRAIN = (1.0, 5.0)  # grey levels
QUALITY = (40.0, 90.0)  # of JPEG: video is compressed
RELIEF = (0.003, 0.04)  # distances that something nearly flat stands out, log-uniform
DEPTHS = (0.4, 0.8)  # distances of what is before the wall
NUM_POSTERS = 8
POSTER = (1.2, 2.6)  # sides, at the wall
# As a user would take them; every corner is followed from frame to frame.
MAX_CORNERS = 400
CORNER_QUALITY = 0.01
CORNER_DISTANCE = 7.0  # pixels
WINDOW = (21, 21)

Image = NDArray[np.uint8]
Texture = Callable[[np.random.Generator, float, float], NDArray[np.float32]]


class Kind(NamedTuple):
    """What is before the wall, and what the camera does."""

    stands_out: str  # "nothing", "relief" or "posters"
    moves: str  # "away", "about" itself, "on an arm" or "not"


KINDS = {
    "wall": Kind("nothing", "away"),
    "nearly flat": Kind("relief", "away"),
    "turning": Kind("posters", "about"),
    "turning on an arm": Kind("posters", "on an arm"),
    "still": Kind("posters", "not"),
    "depth": Kind("posters", "away"),
}


class Clip(NamedTuple):
    """Frames, how the camera was turned and where, and what is said of its lens."""

    images: list[Image]
    turns: list[Array]  # of every frame, (3, 3)
    places: list[Array]  # (3,)
    K: Array  # a little wrong


def texture_of_photographs(
    rng: np.random.Generator, width: float, height: float
) -> NDArray[np.float32]:
    """Return a part of some photograph, as large as `texture_of` makes it."""
    paths = photographs()
    grey = cv2.imread(str(paths[rng.integers(len(paths))]), cv2.IMREAD_GRAYSCALE)
    width, height = int(TEXELS_PER_UNIT * width), int(TEXELS_PER_UNIT * height)
    # About a texel a pixel, where the photograph has that many.
    factor = max(1.0, width / grey.shape[1], height / grey.shape[0])
    grey = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
    left = int(rng.integers(grey.shape[1] - width + 1))
    top = int(rng.integers(grey.shape[0] - height + 1))
    return grey[top : top + height, left : left + width].astype(np.float32)


def photographs() -> list[Path]:
    """Return the photographs that are here."""
    folders = {s.path for sets in SETS["rematched"].values() for s in sets.values()}
    paths = (data_root() / folder / "images" for folder in folders)
    return sorted(path for folder in paths for path in folder.glob("*"))


def textures() -> dict[str, Texture]:
    """Return what can be put on surfaces: photographs only where there are some."""
    found: dict[str, Texture] = {"drawn": texture_of}
    return found | ({"photographs": texture_of_photographs} if photographs() else {})


def clips_of(kind: str, seeds: Iterable[int], texture: Texture) -> Iterator[Pair]:
    """Yield the pairs of the clips of these seeds."""
    for seed in seeds:
        rng = np.random.default_rng([seed, list(KINDS).index(kind), 31])
        yield from pairs_of(shoot(rng, KINDS[kind], texture), kind)


def pairs_of(clip: Clip, kind: str) -> Iterator[Pair]:
    """Yield pairs of the first image of a clip and later ones, tracked and matched.

    Their problem is "E"; the truth of a camera that only turned or did nothing has a
    translation of zero.
    """
    tracks = follow(clip.images)
    for gap in GAPS:
        R = clip.turns[gap] @ clip.turns[0].T
        t = clip.turns[gap] @ (clip.places[0] - clip.places[gap])
        matched = match_images(clip.images[0], clip.images[gap])
        for how, x1, x2 in (
            ("tracks", *tracks[gap]),
            ("matches", matched.x1, matched.x2),
        ):
            yield Pair(
                id=f"{kind}, {how} over {gap} frames",
                problem="E",
                x1=x1,
                x2=x2,
                truth=Pose(R, t),
                K1=clip.K,
                K2=clip.K,
                size1=(WIDTH, HEIGHT),
                size2=(WIDTH, HEIGHT),
            )


def shoot(rng: np.random.Generator, kind: Kind, texture: Texture) -> Clip:
    """Render a clip of as many frames as the longest gap asks for."""
    rectangles = _furnish(rng, kind.stands_out, texture)
    focal = WIDTH * rng.uniform(*FOCAL)
    K = np.array([[focal, 0, WIDTH / 2 - 0.5], [0, focal, HEIGHT / 2 - 0.5], [0, 0, 1]])
    camera = Camera(K, (WIDTH, HEIGHT))
    amount = log_uniform(rng, *LENS) * rng.choice([-1.0, 1.0])
    rays = camera.rays(distorted(camera, pixel_grid(), amount))[:, :2]
    blur, grain, quality = (rng.uniform(*x) for x in (BLUR, GRAIN, QUALITY))
    images = []
    turns, places = _path(rng, kind.moves)
    for R, place in zip(turns, places, strict=True):
        grey = paint(rectangles, View(K, R, -R @ place), rays)
        images.append(_compressed(develop(rng, grey, blur, grain), quality))
    said = K.copy()
    said[:2, :2] *= 1.0 + rng.uniform(-WRONG_FOCAL, WRONG_FOCAL)
    return Clip(images, turns, places, said)


def _furnish(
    rng: np.random.Generator, stands_out: str, texture: Texture
) -> list[Rectangle]:
    """Return a wall around the axis z, and what stands out of it."""
    middle = np.array([0.0, 0.0, DISTANCE])
    rectangles = [_rectangle(middle, np.eye(3), *WALL, texture(rng, *WALL))]
    for _ in range(0 if stands_out == "nothing" else NUM_POSTERS):
        sides, turn = rng.uniform(*POSTER, 2), np.eye(3)
        depth = 1.0 - log_uniform(rng, *RELIEF)
        if stands_out == "posters":
            depth = rng.uniform(*DEPTHS)
            turn = cv2.Rodrigues(rng.uniform(-0.5, 0.5, 3))[0]
        place = np.append(rng.uniform(-0.5, 0.5, 2) * [1.2, 0.9], 1.0)
        sides = depth * sides
        item = depth * DISTANCE * place, turn, *sides, texture(rng, *sides)
        rectangles.append(_rectangle(*item))
    return rectangles


def _rectangle(
    middle: Array,
    turn: Array,
    width: float,
    height: float,
    texture: NDArray[np.float32],
) -> Rectangle:
    right, down = turn[:, 0] * width, turn[:, 1] * height
    return Rectangle(middle - 0.5 * (right + down), right, down, texture)


def _path(rng: np.random.Generator, moves: str) -> tuple[list[Array], list[Array]]:
    """Return how a camera is turned at every frame, and where it is."""
    aside = rotation(np.append(rng.normal(size=2), 0.0), rng.uniform(0.0, ASLANT))
    place = DISTANCE * (np.array([0.0, 0.0, 1.0]) - aside[2])
    shift, axis, turn, arm, shake = np.zeros(3), rng.normal(size=3), 0.0, 0.0, SHAKE
    if moves == "away":
        shift = rng.normal(size=3) * [1.0, 0.6, 0.4]
        shift *= DISTANCE * log_uniform(rng, *MOVED) / np.linalg.norm(shift)
        turn = rng.uniform(0.0, AIM)
    elif moves == "not":
        shake = 0.0
    else:
        axis, turn = axis * [0.3, 1.0, 0.3], rng.uniform(*TURN)
        arm = DISTANCE * rng.uniform(0.0, ARM) if moves == "on an arm" else 0.0
    turns, places = [], []
    for part in np.linspace(0.0, 1.0, max(GAPS) + 1):
        R = rotation(axis, part * turn) @ aside
        turns.append(cv2.Rodrigues(np.radians(shake) * rng.normal(size=3))[0] @ R)
        # Not off by rounding where it does not move.
        places.append(place + (part * shift + arm * (turns[-1][2] - aside[2])))
    return turns, places


def _compressed(image: Image, quality: float) -> Image:
    _, code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(quality)])
    found: Image = cv2.imdecode(code, cv2.IMREAD_GRAYSCALE)
    return found


def follow(images: list[Image]) -> dict[int, tuple[Array, Array]]:
    """Return matches (N, 2), (N, 2) over every gap: corners, from frame to frame."""
    corners = cv2.goodFeaturesToTrack(
        images[0], MAX_CORNERS, CORNER_QUALITY, CORNER_DISTANCE
    )
    start = here = corners.reshape(-1, 1, 2)
    found = {}
    for frame in range(1, len(images)):
        previous, image = images[frame - 1], images[frame]
        there, status, _ = cv2.calcOpticalFlowPyrLK(
            previous, image, here, None, winSize=WINDOW
        )
        inside = np.all((there >= 0) & (there <= [WIDTH - 1, HEIGHT - 1]), axis=(1, 2))
        kept = (status.ravel() > 0) & inside
        start, here = start[kept], there[kept]
        found[frame] = start[:, 0].astype(np.float64), here[:, 0].astype(np.float64)
    return found
