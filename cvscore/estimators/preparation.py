"""Data made ready for the search, and the way back to the rows that were given.

Finite points only, copies and many-to-one matches thinned out, everything in a frame of
order one, and the score completed by what it takes from the data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.data.deduplication import (
    MULTIPLIERS,
    best_first,
    find_distinct,
    repeats_point,
)
from cvscore.data.normalization import (
    Frame,
    Region,
    RegionSize,
    enter_frame,
    find_region,
    power_of_two,
    size_of,
)
from cvscore.data.point_sets import PointSets
from cvscore.data.scene_region import find_scene
from cvscore.data.validation import as_quality, as_weights
from cvscore.scores.marginal_score import MarginalScore
from cvscore.types import Array, DataScale, Mask, Score

DEFAULT_SCORE = MarginalScore()
# Of data that are to get a frame of their own.
NO_FRAME = Frame(np.zeros(0), 0.0)


class Prepared(NamedTuple):
    """Points (D, M) inside a frame, where they are, and how large that is outside.

    Also how large the scene is, without wild points that are near.
    """

    points: Array
    region: Region
    size: RegionSize
    scene: RegionSize
    frame: Frame


class Problem(NamedTuple):
    """Distinct points in their frame, and the way back to the rows that were given."""

    points: Array  # (D, M), distinct, finite and not many to one, inside the frame
    surplus: Array  # (D, L), the rest of many-to-one matches: labelled only
    region: Region  # where they are, inside the frame
    precision: float  # of their coordinates: the rounding error, inside the frame
    frame: Frame
    score: Score  # for residuals inside the frame
    quality: Array | None  # (M,)
    # (M + L,), of `points` and then `surplus`; None where all are one.
    weights: Array | None
    num_rows: int
    # For each row its column in `points` and then `surplus`, -1 for one that took no
    # part; None where the rows are the columns.
    source: NDArray[np.int64] | None

    @property
    def point_weights(self) -> Array | None:
        """Weights (M,) of the points; None where all are one."""
        return None if self.weights is None else self.weights[: self.points.shape[1]]

    def unwhitened(self, residuals: Array) -> Array:
        """Return whitened residuals of all rows in the unit of the points."""
        if self.weights is None:
            return residuals
        of_rows = self.weights
        if self.source is not None:
            of_rows = of_rows[self.source]  # a row that took no part is at infinity
        unwhitened: Array = residuals / np.sqrt(of_rows)
        return unwhitened

    def to_rows(
        self, inliers: Mask, residuals: Array, of_surplus: Array, threshold: float
    ) -> tuple[Mask, Array]:
        """Give every row label and residual of the distinct point that it equals.

        Parameters
        ----------
        inliers, residuals : (M,) arrays
            Of the points.
        of_surplus : (L,) array
            Residuals of the surplus, which is labelled by the threshold.
        threshold : float
            In the unit of the residuals.
        """
        if self.source is None:
            return inliers, residuals
        rows: tuple[Mask, Array] = _to_rows(
            inliers, residuals, of_surplus, threshold, self.source
        )
        return rows


def prepare(
    data: PointSets,
    points: Array,
    frame: Frame | None,
    score: Score | None,
    quality: ArrayLike | None,
    focal: float | None,
    weights: ArrayLike | None = None,
) -> Problem:
    """Make packed points (D, N) ready; without a frame they get one of their own.

    So does a coordinate whose shift in the frame is NaN: it is centred on the points.

    ``focal`` is the focal length of the cameras, where they are known: a prior may have
    to be converted with it.  Of the ``weights`` of copies the largest counts.
    """
    num_rows = points.shape[1]
    qualities = as_quality(quality, num_rows)
    of_rows = as_weights(weights, num_rows)
    frame = NO_FRAME if frame is None else frame
    source, surplus = None, points[:, :0]
    with np.errstate(over="ignore"):  # hashing wraps around
        given = data.bounds, data.num_noisy, MULTIPLIERS, frame
        is_distinct, prepared = _enter_distinct(points, *given)
        if not is_distinct:
            order = best_first(qualities, num_rows)
            used, source, surplus, prepared = _enter_the_distinct(points, order, *given)
            qualities = None if qualities is None else qualities[used]
            if of_rows is not None:
                of_rows = _combined(of_rows, source)
    inside, region, size, scene, frame = prepared
    size.check(data.names[: len(data.dims)])
    scale = DataScale(
        unit=frame.unit,
        num_points=inside.shape[1],
        extent=scene.extent,
        precision=scene.precision,
        focal=focal,
    )
    return Problem(
        points=inside,
        surplus=surplus,
        region=region,
        precision=scale.precision / frame.unit,
        frame=frame,
        score=(DEFAULT_SCORE if score is None else score).for_data(scale),
        quality=qualities,
        weights=of_rows,
        num_rows=num_rows,
        source=source,
    )


def _combined(weights: Array, source: NDArray[np.int64]) -> Array:
    """Return the largest weight of the rows (N,) that each column stands for."""
    took_part = source >= 0
    combined = np.zeros(source.max(initial=-1) + 1)
    np.maximum.at(combined, source[took_part], weights[took_part])
    return combined


# It keeps the interpreter's lock: where the search begins soon, another thread that
# takes the lock meanwhile would keep this one waiting for longer than it takes.
@brief_kernel
def _enter_distinct(points, bounds, num_noisy, multipliers, frame):
    """Return whether all points (D, N) are finite and none repeats, then `_enter`.

    Of no points where they do not.
    """
    if not np.isfinite(points).all() or repeats_point(points, bounds, multipliers):
        none = np.empty((points.shape[0], 0))
        return False, _enter(none, bounds, num_noisy, frame)
    return True, _enter(points, bounds, num_noisy, frame)


@kernel
def _enter_the_distinct(points, order, bounds, num_noisy, multipliers, frame):
    """Bring the distinct points of (D, N) into a frame; see `find_distinct`.

    A point that no undistortion reaches is an outlier of every model, and left out too.
    Returns which points are used, where every point went, the surplus inside the frame,
    and what `_enter` returns.
    """
    distinct = find_distinct(points, order, bounds, multipliers)
    prepared = _enter(points[:, distinct.used], bounds, num_noisy, frame)
    surplus = enter_frame(points[:, distinct.surplus], prepared.frame)
    return distinct.used, distinct.source, surplus, prepared


@kernel
def _enter(points, bounds, num_noisy, frame):
    """Bring points (D, N) into a frame; one of their own where its unit is 0.

    A coordinate whose shift is NaN is centred on the points.
    """
    region = find_region(points)
    size = size_of(region, bounds, num_noisy)
    scene = size_of(find_scene(points, bounds, region), bounds, num_noisy)
    if frame.unit == 0.0:
        widest = 0.0
        for spread in region.spreads:
            widest = max(widest, spread)
        frame = Frame(region.centre, power_of_two(widest))
    else:
        shift = frame.shift.copy()
        for row in range(shift.shape[0]):
            if np.isnan(shift[row]):
                shift[row] = region.centre[row]
        frame = Frame(shift, frame.unit)
    region_inside = Region(
        (region.centre - frame.shift) / frame.unit, region.spreads / frame.unit
    )
    return Prepared(enter_frame(points, frame), region_inside, size, scene, frame)


@brief_kernel
def _to_rows(inliers, residuals, of_surplus, threshold, source):
    num, num_rows = inliers.shape[0], source.shape[0]
    labels, distances = np.empty(num_rows, dtype=np.bool_), np.empty(num_rows)
    for i in range(num_rows):
        column = source[i]
        if column < 0:
            labels[i], distances[i] = False, np.inf
        elif column < num:
            labels[i], distances[i] = inliers[column], residuals[column]
        else:
            distances[i] = of_surplus[column - num]
            labels[i] = distances[i] <= threshold
    return labels, distances
