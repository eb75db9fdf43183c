"""Epipolar lines: where the model says that a point's match must lie."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore.draw.canvas import Canvas, Picture, spread_choice, whole_pixels
from cvscore.types import Array, Mask

# As many as can be followed by eye.
MAX_EPIPOLAR_LINES = 16
# Blue, green, red; a palette that the colour-blind can tell apart, used in turn.
LINE_COLOURS = (
    (0, 159, 230),
    (233, 180, 86),
    (115, 158, 0),
    (66, 228, 240),
    (178, 114, 0),
    (0, 94, 213),
    (167, 121, 204),
)


def draw_epipolar_lines(
    image1: NDArray[Any],
    image2: NDArray[Any],
    x1: ArrayLike,
    x2: ArrayLike,
    F: ArrayLike,
    inliers: Mask,
) -> Picture:
    """Show some inliers in both images with the epipolar lines of their partners.

    Parameters
    ----------
    image1, image2 : (height, width) or (height, width, 3) uint8 array
    x1, x2 : (N, 2) array
        Matches in pixels.
    F : (3, 3) array
        Fundamental matrix, ``x2' F x1 = 0``.
    inliers : (N,) bool array
        At most 16 of them are drawn, spread over the first image.

    Returns
    -------
    (height, width, 3) uint8 array
        A match has one colour in both images; BGR as in OpenCV.  Images wider than
        800 pixels are shown smaller.
    """
    import cv2

    canvas = Canvas(image1, image2)
    first, second = (np.asarray(x, dtype=np.float64) for x in (x1, x2))
    matrix: Array = np.asarray(F, dtype=np.float64)
    chosen = np.flatnonzero(np.asarray(inliers, dtype=bool))
    across = chosen[np.argsort(first[chosen, 1], kind="stable")]
    for n, i in enumerate(spread_choice(across, MAX_EPIPOLAR_LINES)):
        colour = LINE_COLOURS[n % len(LINE_COLOURS)]
        lines = matrix.T @ np.append(second[i], 1.0), matrix @ np.append(first[i], 1.0)
        for side, point in enumerate((first[i], second[i])):
            half = canvas.half(side)
            _draw_line(half, lines[side], canvas.scale, colour)
            place = canvas.place(point, side)[0] - canvas.place(np.zeros(2), side)[0]
            cv2.circle(half, place.tolist(), 5, (255, 255, 255), -1, cv2.LINE_AA)
            cv2.circle(half, place.tolist(), 4, colour, -1, cv2.LINE_AA)
    return canvas.picture


def _draw_line(
    half: Picture, line: Array, scale: float, colour: tuple[int, int, int]
) -> None:
    """Draw a x + b y + c = 0 (pixels of the image) over its whole width or height."""
    import cv2

    height, width = half.shape[:2]
    a, b, c = line
    if not np.isfinite(line).all() or (a == 0.0 and b == 0.0):
        return  # at the epipole every line through it is an epipolar line
    with np.errstate(over="ignore"):  # a line that is far away is not seen
        if abs(b) >= abs(a):
            x = np.array([0.0, width / scale])
            ends = np.stack([x, -(a * x + c) / b], axis=1)
        else:
            y = np.array([0.0, height / scale])
            ends = np.stack([-(b * y + c) / a, y], axis=1)
        inside = whole_pixels((ends + 0.5) * scale - 0.5)
    seen, start, end = cv2.clipLine((0, 0, width, height), *map(tuple, inside.tolist()))
    if seen:
        cv2.line(half, start, end, colour, 1, cv2.LINE_AA)
