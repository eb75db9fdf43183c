"""From pycolmap's cameras and matches to its two-view geometry."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore.colmap.cameras import pinhole_view
from cvscore.colmap.cleaning import clean_matches
from cvscore.colmap.pycolmap_module import import_pycolmap
from cvscore.estimators.pair_geometry import PairGeometry, PairOptions, estimate_pair
from cvscore.scores.calibration import Calibration
from cvscore.types import RansacOptions

# COLMAP's own limit: the mappers ignore pairs with fewer inliers.
MIN_INLIERS = 15


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
    search = PairOptions(RansacOptions.given(options), min_inliers, calibration)
    found = estimate_pair(cleaned.matches, search)
    return as_pycolmap(found, cleaned.matches.keypoints)


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
