"""The page of a database: all of its pairs, to be sorted and searched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cvscore._numba.progress import progress
from cvscore.colmap.pair_table import PairRow
from cvscore.report.page import filled_page, short_numbers, shown_name
from cvscore.report.pictures import thumbnail_uri

# Of all thumbnails together; pixels take about 0.3 bytes each.
MAX_THUMBNAIL_PIXELS, MAX_THUMBNAIL_BYTES = 6_000_000, 2_000_000
THUMBNAIL_SIDES = 40, 144  # pixels, the least and the most


def database_page(
    table: Sequence[PairRow], name: str, *, folder: Path | None = None
) -> str:
    """Return a page of the pairs of a database, as HTML.

    Parameters
    ----------
    table : sequence of PairRow
        What `cvscore.colmap.pair_table.read_pair_table` returns.
    name : str
        Of the database, any text.
    folder : Path, optional
        With the images, for thumbnails; of one that is missing there is none.
    """
    images = list(dict.fromkeys(image for row in table for image in row.names))
    number = {image: i for i, image in enumerate(images)}
    data = {
        "name": shown_name(name),
        "images": [shown_name(image) for image in images],
        "thumbnails": _thumbnails(images, folder),
        "first": [number[row.names[0]] for row in table],
        "second": [number[row.names[1]] for row in table],
        "matches": [row.num_matches for row in table],
        "inliers": [row.num_inliers for row in table],
        "configurations": [row.configuration for row in table],
        "scales": short_numbers(np.array([row.scale for row in table])),
        "evidence": short_numbers(np.array([row.evidence for row in table])),
        "reasons": [row.reason for row in table],
    }
    return filled_page("database.html", name, data)


def _thumbnails(images: list[str], folder: Path | None) -> list[Any]:
    """Pictures in the order of the images, each once; None for those without."""
    if folder is None or not images:
        return []
    least, most = THUMBNAIL_SIDES
    side = math.isqrt(MAX_THUMBNAIL_PIXELS // len(images))
    side = min(max(side, least), most)
    size = MAX_THUMBNAIL_BYTES // len(images)
    named = progress(images, label="thumbnails")
    return [thumbnail_uri(folder, image, side, size) for image in named]
