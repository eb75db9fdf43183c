"""Pictures of estimates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore.types import Mask

# Blue, green, red, as OpenCV orders them; told apart by the colour-blind too.
INLIER_COLOUR = (200, 130, 0)
OUTLIER_COLOUR = (0, 94, 213)
# More lines than this hide the images; a fixed choice of them is drawn instead.
MAX_LINES = 200


def draw_matches(
    image1: NDArray[Any],
    image2: NDArray[Any],
    x1: ArrayLike,
    x2: ArrayLike,
    inliers: Mask,
) -> NDArray[np.uint8]:
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
    """
    import cv2

    first, second = _as_colour(image1), _as_colour(image2)
    height = max(len(first), len(second))
    canvas = np.zeros((height, first.shape[1] + second.shape[1], 3), dtype=np.uint8)
    canvas[: len(first), : first.shape[1]] = first
    canvas[: len(second), first.shape[1] :] = second
    left = np.rint(np.asarray(x1)).astype(int)
    right = np.rint(np.asarray(x2)).astype(int) + np.array([first.shape[1], 0])
    for place in np.vstack([left[~inliers], right[~inliers]]):
        cv2.drawMarker(
            canvas, place.tolist(), OUTLIER_COLOUR, cv2.MARKER_TILTED_CROSS, 7, 1
        )
    chosen = np.flatnonzero(inliers)
    every = max(1, -(-len(chosen) // MAX_LINES))
    for i in chosen[::every]:
        ends = left[i].tolist(), right[i].tolist()
        cv2.line(canvas, *ends, INLIER_COLOUR, 1, cv2.LINE_AA)
        for end in ends:
            cv2.circle(canvas, end, 3, INLIER_COLOUR, 1, cv2.LINE_AA)
    return canvas


def _as_colour(image: NDArray[Any]) -> NDArray[np.uint8]:
    return np.repeat(image[..., None], 3, axis=2) if image.ndim == 2 else image
