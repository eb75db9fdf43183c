"""Pictures above each other, each under a line that says what it shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cvscore.draw.canvas import Picture

CAPTION_HEIGHT = 28
TEXT_COLOUR = (235, 235, 235)


def stack(
    pictures: Sequence[tuple[str, Picture]], *, captions_below: bool = False
) -> Picture:
    """Put captioned pictures above each other, centred.

    Parameters
    ----------
    pictures : sequence of (str, (height, width, 3) uint8 array)
        Captions of at most about 100 characters, and pictures.
    captions_below : bool
        Put each caption under its picture.
    """
    width = max(picture.shape[1] for _, picture in pictures)
    rows: list[Picture] = []
    for caption, picture in pictures:
        both = [_caption(caption, width), _centred(picture, width)]
        rows += both[::-1] if captions_below else both
    return np.vstack(rows)


def _centred(picture: Picture, width: int) -> Picture:
    left = (width - picture.shape[1]) // 2
    row = np.zeros((len(picture), width, 3), dtype=np.uint8)
    row[:, left : left + picture.shape[1]] = picture
    return row


def _caption(text: str, width: int) -> Picture:
    import cv2

    strip = np.full((CAPTION_HEIGHT, width, 3), 40, dtype=np.uint8)
    place, font, size = (8, 19), cv2.FONT_HERSHEY_SIMPLEX, 0.5
    cv2.putText(strip, text, place, font, size, TEXT_COLOUR, 1, cv2.LINE_AA)
    return strip
