"""The picture of the demo: what each method took for inliers, and its verdict below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cvscore.cli.demo_views import Image, View
from cvscore.draw.canvas import INLIER_COLOUR, OUTLIER_COLOUR, spread_choice
from cvscore.types import Mask

CELL_WIDTH, CELL_HEIGHT = 480, 180  # of two images side by side, pixels
GAP, STRIP = 12, 28  # between cells, and of a line of text
LINES_PER_CELL = 120
# Blue, green, red.
PAPER, INK = (255, 255, 255), (40, 30, 20)
RIGHT, WRONG = (218, 240, 214), (214, 218, 250)
TEXT_SIZE, HEAD_SIZE = 0.5, 0.62


@dataclass(frozen=True)
class Panel:
    """One cell: a method's inliers in a view, its verdict, and whether it fails."""

    inliers: Mask
    verdict: str
    is_wrong: bool


def demo_picture(views: Sequence[View], rows: Mapping[str, Sequence[Panel]]) -> Image:
    """Return a column for each view and a row for each method."""
    columns = [
        _strip(f"{view.name} ({view.size}): {len(view.matches)} matches", PAPER)
        for view in views
    ]
    parts = [_side_by_side(columns)]
    for name, panels in rows.items():
        parts.append(_title(name, len(views)))
        cells = [
            np.vstack([_matches(view, panel.inliers), _verdict(panel)])
            for view, panel in zip(views, panels, strict=True)
        ]
        parts.append(_side_by_side(cells))
    legend = "blue lines: right matches among the inliers; orange lines: wrong ones"
    width = parts[0].shape[1]
    parts.append(_strip(legend, PAPER, width=width))
    page = np.vstack(parts)
    border = ((GAP, GAP), (GAP, GAP), (0, 0))
    return np.pad(page, border, constant_values=PAPER[0])


def _title(name: str, num: int) -> Image:
    width = num * CELL_WIDTH + (num - 1) * GAP
    return _strip(name, PAPER, size=HEAD_SIZE, height=STRIP + 10, width=width)


def _side_by_side(cells: Sequence[Image]) -> Image:
    gap = np.full((len(cells[0]), GAP, 3), PAPER[0], dtype=np.uint8)
    row = [part for cell in cells for part in (gap, cell)]
    return np.hstack(row[1:])


def _verdict(panel: Panel) -> Image:
    return _strip(panel.verdict, WRONG if panel.is_wrong else RIGHT)


def _strip(
    text: str,
    background: tuple[int, int, int],
    *,
    size: float = TEXT_SIZE,
    height: int = STRIP,
    width: int = CELL_WIDTH,
) -> Image:
    import cv2

    strip = np.full((height, width, 3), background, dtype=np.uint8)
    font, place = cv2.FONT_HERSHEY_SIMPLEX, (6, height - 9)
    cv2.putText(strip, text, place, font, size, INK, 1, cv2.LINE_AA)
    return strip


def _matches(view: View, inliers: Mask) -> Image:
    """Draw the pair, whatever its size, with the inliers as lines."""
    import cv2

    size = (CELL_WIDTH // 2, CELL_HEIGHT)
    cell: Image = np.hstack([_shown(view.image1, size), _shown(view.image2, size)])
    scale = size[0] / view.image1.shape[1]
    right = view.are_right()
    starts = (view.matches.x1 + 0.5) * scale - 0.5
    ends = (view.matches.x2 + 0.5) * scale - 0.5 + [size[0], 0]
    # The wrong ones over the others: there they are not overlooked.
    for chosen, colour in ((right, INLIER_COLOUR), (~right, OUTLIER_COLOUR)):
        for i in _spread(inliers & chosen, inliers):
            start, end = (np.rint(p[i]).astype(int).tolist() for p in (starts, ends))
            cv2.line(cell, start, end, colour, 1, cv2.LINE_AA)
    return cell


def _spread(chosen: Mask, inliers: Mask) -> NDArray[np.int64]:
    """As many of the chosen as is their share of the lines of a cell."""
    share = int(chosen.sum()) / max(int(inliers.sum()), 1)
    limit = max(round(LINES_PER_CELL * share), 1)
    return spread_choice(np.flatnonzero(chosen), limit)


def _shown(image: Image, size: tuple[int, int]) -> Image:
    import cv2

    is_smaller = image.shape[1] < size[0]
    how = cv2.INTER_NEAREST if is_smaller else cv2.INTER_AREA
    grey = cv2.resize(image, size, interpolation=how)
    # Half as bright, so that lines stand out.
    return np.asarray(cv2.cvtColor(grey // 2 + 40, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
