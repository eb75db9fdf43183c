"""Matches of a database made usable: what can't be used is dropped and counted."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import brief_kernel
from cvscore.colmap.cameras import PinholeView
from cvscore.data.deduplication import MULTIPLIERS, first_equal_columns
from cvscore.estimators.pair_geometry import PairMatches

USABLE, OUT_OF_RANGE, DUPLICATE, NOT_FINITE = range(4)


class Cleaned(NamedTuple):
    """Matches that can be used, and how many can't be."""

    matches: PairMatches
    num_out_of_range: int
    num_duplicates: int
    num_not_finite: int


def clean_matches(
    indices: NDArray[np.integer[Any]], view1: PinholeView, view2: PinholeView
) -> Cleaned:
    """Drop matches (M, 2) of keypoints that don't exist, have no ray, or come twice."""
    rows = np.ascontiguousarray(indices, dtype=np.int64)
    with np.errstate(over="ignore"):  # hashing wraps around
        x1, x2, keypoints, counts = _clean(
            rows, view1.points, view2.points, MULTIPLIERS
        )
    return Cleaned(
        matches=PairMatches(
            x1=x1,
            x2=x2,
            keypoints=keypoints,
            K1=view1.K,
            K2=view2.K,
            calibrated=view1.calibrated and view2.calibrated,
            has_image_plane=view1.has_image_plane and view2.has_image_plane,
        ),
        num_out_of_range=int(counts[OUT_OF_RANGE]),
        num_duplicates=int(counts[DUPLICATE]),
        num_not_finite=int(counts[NOT_FINITE]),
    )


@brief_kernel
def _clean(rows, points1, points2, multipliers):
    """Return the points and the keypoints of usable rows (M, 2), and counts (4,)."""
    num = rows.shape[0]
    first = first_equal_columns(rows.T.copy().view(np.uint64), multipliers, 0, 2)
    fates = np.empty(num, dtype=np.int64)
    counts = np.zeros(4, dtype=np.int64)
    for i in range(num):
        one, two = rows[i, 0], rows[i, 1]
        if not (0 <= one < points1.shape[0] and 0 <= two < points2.shape[0]):
            fates[i] = OUT_OF_RANGE
        elif first[i] != i:
            fates[i] = DUPLICATE
        elif not (np.isfinite(points1[one]).all() and np.isfinite(points2[two]).all()):
            fates[i] = NOT_FINITE
        else:
            fates[i] = USABLE
        counts[fates[i]] += 1
    usable = rows[fates == USABLE]
    return points1[usable[:, 0]], points2[usable[:, 1]], usable, counts
