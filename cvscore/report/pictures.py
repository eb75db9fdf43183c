"""Pictures inside a page: JPEG in data URIs, small enough to be sent by mail."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from cvscore.draw.canvas import as_colour, resized
from cvscore.images.features import read_image

MAX_SIDE = 1600  # pixels of a photograph; more than half a screen shows
MAX_BYTES = 1_200_000  # of a photograph: two, in base 64, take 3.2 MB at the most
QUALITIES = (85, 70, 50, 30)  # JPEG's, in the order in which they are tried


def picture_uri(
    image: NDArray[Any], max_side: int = MAX_SIDE, max_bytes: int = MAX_BYTES
) -> str:
    """Return a data URI of an image (height, width[, 3]) uint8, BGR or grey."""
    import cv2

    picture = as_colour(image)
    picture = resized(picture, min(1.0, max_side / max(picture.shape[:2])))
    for quality in QUALITIES:
        _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if data.size <= max_bytes:
            break
    return "data:image/jpeg;base64," + base64.b64encode(data.tobytes()).decode()


def thumbnail_uri(
    folder: Path, name: str, max_side: int, max_bytes: int = MAX_BYTES
) -> str | None:
    """Return a small picture of an image in a folder, None where there is none.

    A name that leads out of the folder has none: names in a database are anybody's.
    """
    try:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()):
            return None
        return picture_uri(read_image(path), max_side, max_bytes)
    except (OSError, ValueError):  # not there, no image, or no name of a file
        return None
