"""Matches made ready for the search, and the way back to the rows that were given.

Finite matches only, copies and crowds thinned out, everything in a frame of order one,
and the score completed by what it takes from the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore._kernel import kernel
from cvscore.checks import as_quality
from cvscore.duplicates import MULTIPLIERS, best_first, repeats_point, thin_out
from cvscore.frames import Frame, Region, extent, find_region, frame_of, precision
from cvscore.scores.marginal import MIN_RSS_FLOOR, MarginalScore
from cvscore.types import Array, Mask, RansacOptions, Score
from cvscore.units import check_half_width, prior_for_points

NOBODY = np.empty((4, 0))


@dataclass(frozen=True)
class Problem:
    """Distinct matches in their frame, and the way back to the rows that were given."""

    points: Array  # (4, M), distinct, finite and no crowds, inside the frame
    bystanders: Array  # (4, L), the rest of crowds: labelled, but without a say
    region: Region  # where they are, inside the frame
    precision: float  # of their coordinates: the rounding error, inside the frame
    frame: Frame
    score: Score  # for residuals inside the frame
    options: RansacOptions
    quality: Array | None  # (M,)
    num_rows: int
    # For each row its column in `points` and then `bystanders`, -1 for one that took no
    # part; None where the rows are the columns.
    columns: NDArray[np.int64] | None

    def label_rows(self, inliers: Mask) -> Mask:
        """Give every row the label of the distinct match that it is a copy of."""
        if self.columns is None:
            return inliers
        return np.append(inliers, False)[self.columns]

    def residuals_of_rows(self, residuals: Array) -> Array:
        """Give every row the residual of the distinct match that it is a copy of."""
        if self.columns is None:
            return residuals
        return np.append(residuals, np.inf)[self.columns]


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
    columns, bystanders = None, NOBODY
    all_distinct, region = _survey(points)
    if not all_distinct:
        points, bystanders, columns, chosen = _select(points, qualities)
        qualities = None if qualities is None else qualities[chosen]
        _, region = _survey(points)
    frame = frame_of(region) if frame is None else frame
    score = MarginalScore() if score is None else score
    return Problem(
        points=frame.enter(points),
        bystanders=frame.enter(bystanders) if bystanders.size else NOBODY,
        region=frame.enter_region(region),
        precision=precision(region) / frame.unit,
        frame=frame,
        score=_inside(score, frame.unit, points.shape[1], region, focal),
        options=RansacOptions() if options is None else options,
        quality=qualities,
        num_rows=num_rows,
        columns=columns,
    )


def _survey(points: Array) -> tuple[bool, Region]:
    """Whether all points are finite and none repeats in its image; where they are."""
    with np.errstate(over="ignore"):  # hashing wraps around
        all_distinct, *region = _look_over(points, MULTIPLIERS)
    return all_distinct, Region(*region)


@kernel
def _look_over(points, multipliers):
    """See `_survey`: one kernel, because many short ones cost more than their work."""
    if not np.isfinite(points).all():
        return False, np.zeros(4), np.zeros(4)
    centre, spreads = find_region(points)
    return not repeats_point(points, multipliers), centre, spreads


def _select(
    points: Array, quality: Array | None
) -> tuple[Array, Array, NDArray[np.int64], NDArray[np.int64]]:
    """Thin out copies and crowds of points (4, N).

    A point that no undistortion reaches is an outlier of every model, and left out too.
    Returns those with a say and those without, for each row its column among both, and
    for each of the former its row.
    """
    order = best_first(quality, points.shape[1])
    with np.errstate(over="ignore"):  # hashing wraps around
        return _divide(points, order, MULTIPLIERS)


@kernel
def _divide(points, order, multipliers):
    chosen, others, columns = thin_out(points, order, multipliers)
    return points[:, chosen], points[:, others], columns, chosen


def _inside(
    score: Score, unit: float, num_points: int, region: Region, focal: float | None
) -> Score:
    """Bring a score into a frame of this unit.

    Fills in what the marginal score takes from the data: unit, width, precision.
    """
    if not isinstance(score, MarginalScore):
        return score.scaled(1.0 / unit)
    size = extent(region)
    half_width = score.half_width
    if half_width is None:
        # Points without any extent have no model; the width only has to be valid.
        half_width = score.half_width_fraction * size or 1.0
    else:
        check_half_width(half_width, size, focal)
    floor = max(score.rss_floor, num_points * precision(region) ** 2)
    return replace(
        score,
        prior=prior_for_points(score.prior, size, focal).scaled(1.0 / unit),
        half_width=half_width / unit,
        rss_floor=max(floor / unit**2, MIN_RSS_FLOOR),
    )
