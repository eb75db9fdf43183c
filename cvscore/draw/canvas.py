"""Two images on one canvas, and what is drawn with on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore.types import Array

Picture = NDArray[np.uint8]

# Blue, green, red, as OpenCV orders them; told apart by the colour-blind too.
INLIER_COLOUR = (200, 130, 0)
OUTLIER_COLOUR = (0, 94, 213)
# Images wider than this are shown smaller; lines and marks keep their size, so that the
# picture can be read on a screen.
MAX_IMAGE_WIDTH = 800
# OpenCV draws with C ints that have 16 bits behind the point.
FARTHEST = 2.0**14


def as_colour(image: NDArray[Any]) -> Picture:
    """Return a BGR uint8 image (height, width, 3) of a grey, BGR or BGRA one."""
    array = np.asarray(image)
    if array.ndim not in (2, 3) or array.size == 0 or array.dtype != np.uint8:
        raise ValueError(
            "an image must be a uint8 array (height, width) or (height, width, 3), "
            f"got {array.dtype} {array.shape}"
        )
    if array.ndim == 2:
        array = array[..., None]
    if array.shape[2] == 1:
        return np.repeat(array, 3, axis=2)
    return np.ascontiguousarray(array[..., :3])


class Canvas:
    """Two images side by side, made small enough for a screen.

    Attributes
    ----------
    picture : (height, width, 3) uint8 array
        What is being drawn on.
    scale : float
        Pixels of the picture per pixel of the images, at most 1.
    """

    def __init__(self, image1: NDArray[Any], image2: NDArray[Any]) -> None:
        images = [as_colour(image1), as_colour(image2)]
        widest = max(image.shape[1] for image in images)
        self.scale = min(1.0, MAX_IMAGE_WIDTH / widest)
        self._images = [resized(image, self.scale) for image in images]
        height = max(len(image) for image in self._images)
        widths = [image.shape[1] for image in self._images]
        self.picture: Picture = np.zeros((height, sum(widths), 3), dtype=np.uint8)
        self._starts = (0, widths[0])
        for side, image in enumerate(self._images):
            self.half(side)[:] = image

    def half(self, side: int) -> Picture:
        """Return the view of the picture that shows image 0 or 1."""
        image, start = self._images[side], self._starts[side]
        return self.picture[: len(image), start : start + image.shape[1]]

    def place(self, x: ArrayLike, side: int) -> NDArray[np.int64]:
        """Return where points (N, 2) of image 0 or 1 are in the picture."""
        points: Array = np.asarray(x, dtype=np.float64).reshape(-1, 2)
        # Pixel centres have integer coordinates, hence the halves.
        places = whole_pixels((points + 0.5) * self.scale - 0.5)
        places[:, 0] += self._starts[side]
        return places


def whole_pixels(x: Array) -> NDArray[np.int64]:
    """Return the nearest pixels; what is too far away for OpenCV, less far away."""
    near = np.clip(np.nan_to_num(x), -FARTHEST, FARTHEST)
    places: NDArray[np.int64] = np.rint(near).astype(np.int64)
    return places


def resized(image: Picture, scale: float) -> Picture:
    """Return the image made smaller, by averaging."""
    if scale == 1.0:
        return image
    import cv2

    size = [max(1, round(scale * length)) for length in image.shape[1::-1]]
    return np.asarray(
        cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8
    )


def spread_choice(indices: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Return at most ``limit`` of the indices, evenly over their order."""
    every = max(1, -(-len(indices) // limit))
    return indices[::every]
