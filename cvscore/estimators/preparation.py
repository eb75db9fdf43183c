"""Matches made ready for the search, and the way back to the rows that were given.

Finite matches only, copies and crowds thinned out, everything in a frame of order one,
and the score completed by what it takes from the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.data.validation import as_quality
from cvscore.data.deduplication import MULTIPLIERS, best_first, repeats_point, thin_out
from cvscore.data.normalization import (
    Frame,
    Region,
    enter_frame,
    extent,
    find_region,
    power_of_two,
    precision,
)
from cvscore.scores.marginal import MIN_RSS_FLOOR, MarginalScore
from cvscore.types import Array, Mask, RansacOptions, Score
from cvscore.scores.prior_units import check_half_width, prior_for_points

NOBODY = np.empty((4, 0))
NO_SHIFT = np.zeros(4)


@dataclass(frozen=True)
class Problem:
    """Distinct matches in their frame, and the way back to the rows that were given."""

    points: Array  # (4, M), distinct, finite and no crowds, inside the frame
    bystanders: Array  # (4, L), the rest of crowds: labelled, but without a say
    region: Region  # where they are, inside the frame
    precision: float  # of their coordinates: the rounding error, inside the frame
    frame: Frame
    score: Score  # for residuals inside the frame
    may_widen: bool  # whether its half-width is ours to choose
    options: RansacOptions
    quality: Array | None  # (M,)
    num_rows: int
    # For each row its column in `points` and then `bystanders`, -1 for one that took no
    # part; None where the rows are the columns.
    columns: NDArray[np.int64] | None

    def to_rows(
        self, inliers: Mask, residuals: Array, beside: Array, threshold: float
    ) -> tuple[Mask, Array]:
        """Give every row label and residual of the distinct match that it is a copy of.

        Parameters
        ----------
        inliers, residuals : (M,) arrays
            Of the points.
        beside : (L,) array
            Residuals of the bystanders, which are labelled by the threshold.
        threshold : float
            In the unit of the residuals.
        """
        if self.columns is None:
            return inliers, residuals
        rows: tuple[Mask, Array] = _to_rows(
            inliers, residuals, beside, threshold, self.columns
        )
        return rows


@brief_kernel
def _to_rows(inliers, residuals, beside, threshold, columns):
    num, num_rows = inliers.shape[0], columns.shape[0]
    labels, distances = np.empty(num_rows, dtype=np.bool_), np.empty(num_rows)
    for i in range(num_rows):
        column = columns[i]
        if column < 0:
            labels[i], distances[i] = False, np.inf
        elif column < num:
            labels[i], distances[i] = inliers[column], residuals[column]
        else:
            distances[i] = beside[column - num]
            labels[i] = distances[i] <= threshold
    return labels, distances


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
    given = (NO_SHIFT, 0.0) if frame is None else (frame.shift, frame.unit)
    columns, bystanders = None, NOBODY
    with np.errstate(over="ignore"):  # hashing wraps around
        all_distinct, *entered = _enter_distinct(points, MULTIPLIERS, *given)
        if not all_distinct:
            order = best_first(qualities, num_rows)
            chosen, columns, bystanders, *entered = _thin_out_and_enter(
                points, order, MULTIPLIERS, *given
            )
            qualities = None if qualities is None else qualities[chosen]
    inside, *place, shift, unit = entered
    region, frame = Region(*place), Frame(shift, unit)
    score = MarginalScore() if score is None else score
    return Problem(
        points=inside,
        bystanders=bystanders,
        region=frame.enter_region(region),
        precision=precision(region) / unit,
        frame=frame,
        score=_inside(score, unit, inside.shape[1], region, focal),
        may_widen=isinstance(score, MarginalScore) and score.half_width is None,
        options=RansacOptions() if options is None else options,
        quality=qualities,
        num_rows=num_rows,
        columns=columns,
    )


@kernel
def _enter_distinct(points, multipliers, shift, unit):
    """Do what `_enter` does, if all points (4, N) are finite and none repeats.

    Returns whether they do, then what `_enter` returns, of no points if they don't.
    """
    if not np.isfinite(points).all() or repeats_point(points, multipliers):
        return False, *_enter(np.empty((4, 0)), shift, unit)
    return True, *_enter(points, shift, unit)


@kernel
def _thin_out_and_enter(points, order, multipliers, shift, unit):
    """Thin out copies and crowds of points (4, N), and bring the others into a frame.

    A point that no undistortion reaches is an outlier of every model, and left out too.

    Parameters
    ----------
    points : (4, N) array
    order : (N,) int array
        The best of a crowd come first.
    multipliers : (4,) array
        Of the hash, see `cvscore.data.deduplication`.
    shift, unit : (4,) array, float
        As for `_enter`.

    Returns
    -------
    chosen : (M,) int array
        For each point with a say its column among all.
    columns : (N,) int array
        For each point its column among those with a say and then the bystanders.
    beside : (4, L) array
        The bystanders, inside the frame.
    inside, centre, spreads, shift, unit
        As of `_enter`, for the points with a say.
    """
    chosen, others, columns = thin_out(points, order, multipliers)
    inside, centre, spreads, shift, unit = _enter(points[:, chosen], shift, unit)
    beside = enter_frame(points[:, others], shift, unit)
    return chosen, columns, beside, inside, centre, spreads, shift, unit


@kernel
def _enter(points, shift, unit):
    """Return points (4, N) inside a frame, their region, and the frame.

    Shift (4,) and unit are those of the frame; where the unit is 0 the points get one
    of their own.
    """
    centre, spreads = find_region(points)
    if unit == 0.0:
        shift, unit = centre, power_of_two(spreads.max())
    return enter_frame(points, shift, unit), centre, spreads, shift, unit


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
