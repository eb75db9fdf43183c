"""One image warped onto the other: where they agree, the picture is grey."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore.draw.canvas import Picture, as_colour

DARKER = 3  # how much so, where the images do not overlap


def draw_overlay(image1: NDArray[Any], image2: NDArray[Any], H: ArrayLike) -> Picture:
    """Show the first image warped by H over the second, in two colours.

    Parameters
    ----------
    image1, image2 : (height, width) or (height, width, 3) uint8 array
    H : (3, 3) array
        ``x2 ~ H x1``.

    Returns
    -------
    (height, width, 3) uint8 array
        Of the second image's size: the warped image in red and the second in cyan, so
        that what is aligned is grey and what is not has coloured edges.  Where only
        the second image is, it is dark.
    """
    import cv2

    second = as_colour(image2)
    height, width = second.shape[:2]
    matrix = np.asarray(H, dtype=np.float64)
    first = _grey(as_colour(image1))
    warped = cv2.warpPerspective(first, matrix, (width, height))
    covered = cv2.warpPerspective(np.full_like(first, 255), matrix, (width, height))
    picture = np.repeat(_grey(second)[..., None], 3, axis=2)
    picture[..., 2] = warped
    picture[covered < 255] = _grey(second)[covered < 255, None] // DARKER
    return picture


def _grey(image: Picture) -> Picture:
    import cv2

    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
