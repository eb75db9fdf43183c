"""Matches between two images: the accepted joined by lines, the rejected crossed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore.draw.canvas import (
    INLIER_COLOUR,
    OUTLIER_COLOUR,
    Canvas,
    Picture,
    spread_choice,
)
from cvscore.types import Mask

# More lines than this hide the images; a fixed choice of them is drawn instead.
MAX_LINES = 200


def draw_matches(
    image1: NDArray[Any],
    image2: NDArray[Any],
    x1: ArrayLike,
    x2: ArrayLike,
    inliers: Mask,
) -> Picture:
    """Show two images side by side with inliers joined and rejected matches marked.

    Parameters
    ----------
    image1, image2 : (height, width) or (height, width, 3) uint8 array
    x1, x2 : (N, 2) array
        Matches in pixels.
    inliers : (N,) bool array

    Returns
    -------
    (height, width, 3) uint8 array
        Blue lines for inliers, small red crosses for the rest; BGR as in OpenCV.
        Images wider than 800 pixels are shown smaller.
    """
    import cv2

    canvas = Canvas(image1, image2)
    chosen = np.asarray(inliers, dtype=bool).ravel()
    left, right = canvas.place(x1, 0), canvas.place(x2, 1)
    for place in np.vstack([left[~chosen], right[~chosen]]):
        cv2.drawMarker(
            canvas.picture,
            place.tolist(),
            OUTLIER_COLOUR,
            cv2.MARKER_TILTED_CROSS,
            7,
            1,
        )
    for i in spread_choice(np.flatnonzero(chosen), MAX_LINES):
        ends = left[i].tolist(), right[i].tolist()
        cv2.line(canvas.picture, *ends, INLIER_COLOUR, 1, cv2.LINE_AA)
        for end in ends:
            cv2.circle(canvas.picture, end, 3, INLIER_COLOUR, 1, cv2.LINE_AA)
    return canvas.picture
