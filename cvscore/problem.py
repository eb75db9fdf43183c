"""Matches made ready for the search, and the way back to the rows that were given.

Finite matches only, copies and crowds thinned out, everything in a frame of order one,
and the score completed by what it takes from the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore.checks import as_quality
from cvscore.duplicates import first_occurrences, repeats_a_point, uncrowded
from cvscore.frames import Frame, Region, extent, frame_of, precision, region_of
from cvscore.scores.marginal import MarginalScore
from cvscore.types import Array, Mask, RansacOptions, Score
from cvscore.units import check_half_width, prior_for_points


@dataclass(frozen=True)
class Problem:
    """Distinct matches in their frame, and the way back to the rows that were given."""

    points: Array  # (4, M), distinct, finite and no crowds, inside the frame
    bystanders: Array  # (4, L), the rest of crowds: labelled, but without a say
    region: Region  # where they are, inside the frame
    precision: float  # of their coordinates: the rounding error
    frame: Frame
    score: Score  # in the unit of the rows that were given
    options: RansacOptions
    quality: Array | None  # (M,)
    num_rows: int
    finite: NDArray[np.int64]  # rows that took part
    member_of: NDArray[np.int64]  # for each, its column in `points` and `bystanders`

    def label_rows(self, inliers: Mask) -> Mask:
        """Give every row the label of the distinct match that it is a copy of."""
        labels = np.zeros(self.num_rows, dtype=np.bool_)
        labels[self.finite] = inliers[self.member_of]
        return labels

    def residuals_of_rows(self, residuals: Array) -> Array:
        """Give every row the residual of the distinct match that it is a copy of."""
        rows = np.full(self.num_rows, np.inf)
        rows[self.finite] = residuals[self.member_of]
        return rows


def prepare(
    points: Array,
    frame: Frame | None,
    score: Score | None,
    options: RansacOptions | None,
    quality: ArrayLike | None,
    focal: float | None = None,
) -> Problem:
    """Make matches (4, N) ready; without a frame they get one of their own.

    ``focal`` is the focal length of the cameras, where they are known: a prior may have
    to be converted with it.
    """
    num_rows = points.shape[1]
    qualities = as_quality(quality, num_rows)
    # A point that no undistortion reaches is an outlier of every model.
    finite = np.flatnonzero(np.isfinite(points).all(axis=0))
    points = _columns(points, finite)
    qualities = None if qualities is None else qualities[finite]
    member_of, bystanders = np.arange(points.shape[1]), points[:, :0]
    if repeats_a_point(points):
        distinct, member_of = first_occurrences(points)
        points = _columns(points, distinct)
        qualities = None if qualities is None else qualities[distinct]
        chosen = uncrowded(points, qualities)
        # Those with a say first, then the others; ``place`` is where each has gone.
        order = np.argsort(~chosen, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        member_of = place[member_of]
        bystanders = np.ascontiguousarray(points[:, ~chosen])
        points = np.ascontiguousarray(points[:, chosen])
        qualities = None if qualities is None else qualities[chosen]
    region = region_of(points)
    frame = frame_of(region) if frame is None else frame
    score = MarginalScore() if score is None else score
    return Problem(
        points=frame.enter(points),
        bystanders=frame.enter(bystanders),
        region=frame.enter_region(region),
        precision=precision(region) / frame.unit,
        frame=frame,
        score=_with_data_defaults(score, points.shape[1], region, focal),
        options=RansacOptions() if options is None else options,
        quality=qualities,
        num_rows=num_rows,
        finite=finite,
        member_of=member_of,
    )


def _columns(points: Array, which: NDArray[np.int64]) -> Array:
    """Return some columns of points (4, N), which most often are all of them."""
    if len(which) == points.shape[1]:
        return points
    return np.ascontiguousarray(points[:, which])


def _with_data_defaults(
    score: Score, num_points: int, region: Region, focal: float | None
) -> Score:
    """Fill in what the marginal score takes from the data: unit, width, precision."""
    if not isinstance(score, MarginalScore):
        return score
    size = extent(region)
    half_width = score.half_width
    if half_width is None:
        # Points without any extent have no model; the width only has to be valid.
        half_width = score.half_width_fraction * size or 1.0
    else:
        check_half_width(half_width, size, focal)
    floor = num_points * precision(region) ** 2
    return replace(
        score,
        prior=prior_for_points(score.prior, size, focal),
        half_width=half_width,
        rss_floor=max(score.rss_floor, floor),
    )
