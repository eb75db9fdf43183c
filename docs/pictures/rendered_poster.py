"""A poster, and photographs of it in bad light: the scene of poster.py."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT = 480, 640  # of the poster, pixels
CORNERS = np.float64([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]])
PHOTO = 640, 480
INK, RED, PAPER, NIGHT = (45, 40, 40), (60, 50, 190), (228, 240, 246), (96, 62, 34)

Image = NDArray[np.uint8]


class Photograph(NamedTuple):
    """A photograph (height, width, 3) and where the poster's corners are (4, 2)."""

    image: Image
    corners: NDArray[np.float64]


def colour(rng: np.random.Generator, low: int, high: int) -> tuple[int, ...]:
    """A random colour, BGR."""
    return tuple(int(c) for c in rng.integers(low, high, 3))


def draw_poster(rng: np.random.Generator) -> Image:
    """Shapes, text and a bar chart on paper."""
    art = np.full((HEIGHT, WIDTH, 3), PAPER, np.uint8)
    cv2.rectangle(art, (0, 0), (WIDTH, 250), NIGHT, -1)
    for _ in range(60):
        x, y, size = rng.integers(0, WIDTH), rng.integers(0, 250), rng.integers(5, 36)
        place, size = (int(x), int(y)), int(size)
        if rng.random() < 0.5:
            cv2.circle(art, place, size, colour(rng, 40, 230), -1, cv2.LINE_AA)
        else:
            far = (place[0] + size, min(place[1] + size, 250))
            cv2.rectangle(art, place, far, colour(rng, 40, 230), -1)
    bold, plain = cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_SIMPLEX
    for text, y, font, size, ink, thick in (
        ("ROBUST", 335, bold, 2.9, INK, 7),
        ("NO THRESHOLD", 390, bold, 1.5, RED, 3),
        ("the noise is a result,", 445, plain, 0.95, INK, 2),
        ("not an argument", 485, plain, 0.95, INK, 2),
    ):
        cv2.putText(art, text, (24, y), font, size, ink, thick, cv2.LINE_AA)
    for x in range(24, WIDTH - 30, 37):
        top = 620 - int(rng.integers(20, 100))
        cv2.rectangle(art, (x, top), (x + 24, 620), colour(rng, 30, 220), -1)
    return art


def take_photograph(rng: np.random.Generator, art: Image) -> Photograph:
    """The poster on a cluttered wall, askew, blurred by a moving hand, and noisy."""
    width, height = PHOTO
    wall = np.full((height, width, 3), (150, 160, 165), np.uint8)
    for _ in range(260):
        near = rng.uniform(0, PHOTO)
        far = near + width * rng.uniform(0.005, 0.12, 2)
        corners = near.astype(int).tolist(), far.astype(int).tolist()
        grey = 0.7 * rng.uniform(60, 210) + 0.3 * np.array(colour(rng, 60, 210))
        cv2.rectangle(wall, *corners, grey.tolist(), -1)
    size = rng.uniform(0.28, 0.42) * width
    angle = rng.uniform(-0.35, 0.35)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = (CORNERS - [WIDTH / 2, HEIGHT / 2]) * (size / HEIGHT) @ turn.T
    corners += rng.uniform(0.35, 0.65, 2) * PHOTO
    corners += rng.uniform(-0.07, 0.07, (4, 2)) * size
    H = cv2.getPerspectiveTransform(np.float32(CORNERS), np.float32(corners))
    shrunk = cv2.GaussianBlur(art, (0, 0), 0.4 * HEIGHT / size)
    image = wall.copy()
    cv2.warpPerspective(shrunk, H, PHOTO, image, borderMode=cv2.BORDER_TRANSPARENT)
    image = cv2.filter2D(cv2.GaussianBlur(image, (0, 0), 0.7), -1, shake(rng))
    noise = rng.choice([10.0, 25.0, 40.0])  # grey levels: by day, at dusk, at night
    dim = 0.5 * image + rng.normal(0.0, noise, image.shape)
    return Photograph(np.clip(dim, 0, 255).astype(np.uint8), corners)


def shake(rng: np.random.Generator) -> NDArray[np.float64]:
    """The blur of a hand that moves 3 to 7 pixels in some direction."""
    length = int(rng.integers(3, 8))
    kernel = np.zeros((9, 9))
    kernel[4, 4 - length // 2 : 4 - length // 2 + length] = 1.0
    turn = cv2.getRotationMatrix2D((4, 4), rng.uniform(0, 180), 1.0)
    kernel = cv2.warpAffine(kernel, turn, (9, 9))
    return kernel / kernel.sum()
