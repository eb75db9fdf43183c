"""From pycolmap's cameras and matches to its two-view geometry."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore.calibration import Calibration
from cvscore.colmap.cameras import PinholeView, pinhole_view
from cvscore.colmap.database import import_pycolmap
from cvscore.colmap.pair import (
    PairGeometry,
    PairMatches,
    PairOptions,
    estimate_pair,
)
from cvscore.types import RansacOptions

# COLMAP's own limit: the mappers ignore pairs with fewer inliers.
MIN_INLIERS = 15


class Cleaned(NamedTuple):
    """Matches that can be used, and how many can't be."""

    matches: PairMatches
    num_out_of_range: int
    num_duplicates: int
    num_not_finite: int


def two_view_geometry(
    camera1: Any,
    points1: ArrayLike,
    camera2: Any,
    points2: ArrayLike,
    matches: ArrayLike | None = None,
    options: RansacOptions | None = None,
    *,
    min_inliers: int = MIN_INLIERS,
    calibration: Calibration | None = None,
) -> Any:
    """Estimate what ``pycolmap.estimate_two_view_geometry`` does, without a threshold.

    Parameters
    ----------
    camera1, camera2 : pycolmap.Camera
        Of any model.  E is estimated where both have a prior focal length, F otherwise.
    points1, points2 : (N1, 2) and (N2, 2) arrays
        Keypoints in COLMAP's pixels (see `colmap_from_opencv`).
    matches : (M, 2) array of int, optional
        Indices of keypoints; by default the first point matches the first, and so on.
    options : RansacOptions, optional
        Limits of the search.
    min_inliers : int
        Fewer right matches than this make the pair degenerate.
    calibration : Calibration, optional
        Prior and half-width learned for one model, for pairs that are of it.

    Returns
    -------
    pycolmap.TwoViewGeometry
        With inliers, E, F, H, the pose and its triangulation angle as far as they are
        known; DEGENERATE and without inliers where matches are no better than chance.
    """
    views = pinhole_view(camera1, points1), pinhole_view(camera2, points2)
    if matches is None:
        if len(views[0].points) != len(views[1].points):
            raise ValueError(
                f"without matches there must be as many points1 as points2, got "
                f"{len(views[0].points)} and {len(views[1].points)}"
            )
        matches = np.repeat(np.arange(len(views[0].points))[:, None], 2, axis=1)
    cleaned = clean_matches(np.asarray(matches).reshape(-1, 2), *views)
    ransac = RansacOptions() if options is None else options
    search = PairOptions(ransac, min_inliers, calibration)
    found = estimate_pair(cleaned.matches, search)
    return as_pycolmap(found, cleaned.matches.keypoints)


def clean_matches(
    indices: NDArray[np.integer[Any]], view1: PinholeView, view2: PinholeView
) -> Cleaned:
    """Drop matches (M, 2) of keypoints that don't exist, have no ray, or come twice."""
    num = len(indices)
    rows = indices.astype(np.int64)
    limits = len(view1.points), len(view2.points)
    rows = rows[((rows >= 0) & (rows < limits)).all(axis=1)]
    num_in_range = len(rows)
    # One number per match: unique rows take ten times as long.
    _, first = np.unique(rows[:, 0] * limits[1] + rows[:, 1], return_index=True)
    if len(first) < len(rows):
        rows = rows[np.sort(first)]
    num_distinct = len(rows)
    x1, x2 = view1.points[rows[:, 0]], view2.points[rows[:, 1]]
    finite = np.isfinite(x1).all(axis=1) & np.isfinite(x2).all(axis=1)
    rows = rows[finite]
    return Cleaned(
        matches=PairMatches(
            x1=x1[finite],
            x2=x2[finite],
            keypoints=rows,
            K1=view1.K,
            K2=view2.K,
            calibrated=view1.calibrated and view2.calibrated,
            has_image_plane=view1.has_image_plane and view2.has_image_plane,
        ),
        num_out_of_range=num - num_in_range,
        num_duplicates=num_in_range - num_distinct,
        num_not_finite=num_distinct - len(rows),
    )


def as_pycolmap(found: PairGeometry, keypoints: NDArray[np.int64]) -> Any:
    """Return a ``pycolmap.TwoViewGeometry`` of matches of these keypoints (N, 2)."""
    pycolmap = import_pycolmap()
    geometry = pycolmap.TwoViewGeometry()
    kinds = pycolmap.TwoViewGeometryConfiguration
    geometry.config = int(getattr(kinds, found.configuration))
    geometry.inlier_matches = keypoints[found.inliers].astype(np.uint32)
    for name in ("E", "F", "H"):
        matrix = getattr(found, name)
        if matrix is not None:  # before 4.0 an absent matrix is zero and not None
            setattr(geometry, name, matrix)
    if found.pose is not None:
        rotation = pycolmap.Rotation3d(found.pose.R)
        geometry.cam2_from_cam1 = pycolmap.Rigid3d(rotation, found.pose.t)
        geometry.tri_angle = found.tri_angle
    return geometry
