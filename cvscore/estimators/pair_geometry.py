"""The geometry of one image pair, from arrays to arrays.

Nothing here knows of databases or pycolmap, so that it runs in any thread, process or
cluster worker: what goes in and comes out is plain and small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cvscore.estimators import (
    estimate_essential,
    estimate_fundamental,
    estimate_homography,
)
from cvscore.estimators.pair_configuration import Choice, Explanation
from cvscore.models.homography_decomposition import essential_of_pose, pose_of_plane
from cvscore.scores.calibration import Calibration, check_calibration
from cvscore.two_view.labelling.match_labels import (
    label_matches,
    label_matches_in_depth,
    may_be_right,
)
from cvscore.two_view.model_selection import fundamental_of
from cvscore.types import Array, Estimate, Mask, Pose, RansacOptions, whole_number

MOST_INLIERS = 2**32  # COLMAP numbers keypoints by 32 bits


@dataclass(frozen=True)
class PairMatches:
    """Distinct matches of a pair of images.

    Attributes
    ----------
    x1, x2 : (N, 2) arrays
        Pixels of the pinhole cameras.
    keypoints : (N, 2) array of int
        Which keypoints of the two images they are.
    K1, K2 : (3, 3) arrays
        Camera matrices.
    calibrated : bool
        Whether both are known.
    has_image_plane : bool
        False where a camera is spherical.
    """

    x1: Array
    x2: Array
    keypoints: NDArray[np.int64]
    K1: Array
    K2: Array
    calibrated: bool
    has_image_plane: bool = True


@dataclass(frozen=True)
class PairOptions:
    """How to search a pair, and when to reject it.

    Attributes
    ----------
    search : RansacOptions
        Limits of the search.
    min_inliers : int
        A pair with fewer right matches is rejected.
    calibration : Calibration or None
        What was learned about one of the models.
    """

    search: RansacOptions
    min_inliers: int
    calibration: Calibration | None = None

    def __post_init__(self) -> None:
        num = whole_number(self.min_inliers, "min_inliers", 0, MOST_INLIERS)
        object.__setattr__(self, "min_inliers", num)
        if self.calibration is not None:
            check_calibration(self.calibration)

    def calibration_of(self, model: str) -> Calibration | None:
        """Return what was learned about a model, if it is that which was."""
        learned = self.calibration
        return learned if learned is not None and learned.model == model else None


@dataclass(frozen=True, kw_only=True)
class PairGeometry:
    """What the matches of a pair tell; false where they tell nothing.

    Attributes
    ----------
    configuration : str
        COLMAP's name for it.
    inliers : (N,) bool array
        Which matches belong to it.
    E, F, H : (3, 3) arrays or None
        As `cvscore.estimate_essential` and its siblings have them.
    pose : Pose or None
        Second camera from first, where cameras are known; t is zero for a rotation.
    tri_angle : float
        Median triangulation angle of the inliers, radians; -1 where it is not known.
    scale : float
        Standard deviation of the noise of right matches, pixels; NaN if rejected.
    evidence : float
        Log evidence of the epipolar geometry over "by chance", nats; NaN where there
        was none to look at.
    reason : str
        Why the pair was rejected; empty where it was not.
    """

    configuration: str
    inliers: Mask
    E: Array | None = None
    F: Array | None = None
    H: Array | None = None
    pose: Pose | None = None
    tri_angle: float = -1.0
    scale: float = np.nan
    evidence: float = np.nan
    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason


def estimate_pair(matches: PairMatches, options: PairOptions) -> PairGeometry:
    """Find the geometry of a pair, and which of its matches are right."""
    num = len(matches.x1)
    if num < options.min_inliers:
        return _rejected(num, "too few matches")
    epipolar = _epipolar(matches, options)
    if not epipolar:
        return _rejected(num, "degenerate")
    points = np.ascontiguousarray(np.hstack([matches.x1, matches.x2]).T)
    found = _explain(matches, points, epipolar, options)
    if found is None:
        return _rejected(num, "no better than chance", epipolar.evidence)
    geometry = _geometry(matches, points, epipolar, found)
    if np.count_nonzero(geometry.inliers) < options.min_inliers:
        return _rejected(num, "too few inliers", epipolar.evidence)
    return geometry


def _rejected(num: int, reason: str, evidence: float = np.nan) -> PairGeometry:
    return PairGeometry(
        configuration="DEGENERATE",
        inliers=np.zeros(num, dtype=np.bool_),
        evidence=evidence,
        reason=reason,
    )


def _epipolar(matches: PairMatches, options: PairOptions) -> Estimate:
    if not matches.calibrated:
        return estimate_fundamental(
            matches.x1,
            matches.x2,
            options=options.search,
            calibration=options.calibration_of("fundamental"),
        )
    return estimate_essential(
        matches.x1,
        matches.x2,
        matches.K1,
        matches.K2,
        options=options.search,
        calibration=options.calibration_of("essential"),
    )


def _explain(
    matches: PairMatches, points: Array, epipolar: Estimate, options: PairOptions
) -> Explanation | None:
    """Return what explains the matches best, None where chance does as well.

    Where the epipolar geometry is itself in doubt, a homography is searched for.
    """
    cameras = (matches.K1, matches.K2) if matches.calibrated else None
    if epipolar.is_significant:
        return Choice(points, epipolar, cameras).by_look(options.search.seed)
    homography = estimate_homography(
        matches.x1,
        matches.x2,
        options=options.search,
        calibration=options.calibration_of("homography"),
    )
    if not homography.is_significant:
        return None
    return Choice(points, epipolar, cameras).by_search(homography)


def _geometry(
    matches: PairMatches, points: Array, epipolar: Estimate, found: Explanation
) -> PairGeometry:
    """Label the matches by what explains them best, and fill in every field."""
    log_odds = found.mixture.log_odds(found.sq_residuals)
    pose = _pose(matches, epipolar, found, points, log_odds > 0.0)
    keypoints, cameras = matches.keypoints, (matches.K1, matches.K2)
    if pose is None:
        inliers, tri_angle = may_be_right(log_odds, keypoints), -1.0
    elif found.kind == "general":
        known = cameras, pose, found.F, found.mixture.threshold
        inliers, tri_angle = label_matches_in_depth(
            log_odds, keypoints, found.matches, *known
        )
    else:
        inliers, tri_angle = label_matches(log_odds, keypoints, points, cameras, pose)
    E, F = _matrices(matches, epipolar, found, pose)
    return PairGeometry(
        configuration=_configuration(matches, epipolar, found),
        inliers=inliers,
        E=E,
        F=F if matches.has_image_plane else None,
        H=found.H if matches.has_image_plane else None,
        pose=pose,
        tri_angle=tri_angle,
        scale=found.mixture.scale,
        evidence=epipolar.evidence,
    )


def _pose(
    matches: PairMatches,
    epipolar: Estimate,
    found: Explanation,
    points: Array,
    is_inlying: Mask,
) -> Pose | None:
    if found.H is None or found.kind in ("general", "planar_or_rotation"):
        return epipolar.pose
    if found.kind == "planar":
        return pose_of_plane(found.H, points, is_inlying, matches.K1, matches.K2)
    rotation = np.linalg.solve(matches.K2, found.H @ matches.K1)
    return Pose(np.asarray(rotation, dtype=np.float64), np.zeros(3))


def _matrices(
    matches: PairMatches, epipolar: Estimate, found: Explanation, pose: Pose | None
) -> tuple[Array | None, Array]:
    """Return E where cameras are known, and F."""
    if not matches.calibrated:
        return None, found.F
    # Of the two essential matrices of a plane, the one that goes with the pose.
    if found.kind == "planar" and pose is not None:
        E = essential_of_pose(pose)
        return E, fundamental_of(E, (matches.K1, matches.K2))
    return epipolar.model, found.F


def _configuration(matches: PairMatches, epipolar: Estimate, found: Explanation) -> str:
    """Return COLMAP's name; planes of spherical cameras have none of their own.

    What is nearly a plane is none of its uncalibrated pairs: global mapping finds focal
    lengths by the fundamental matrices of these, and a facade may give it any.  Nor is
    a pair a calibrated one if its matches leave the direction of translation open.
    """
    if found.kind == "rotation":
        return "PANORAMIC"
    if found.kind == "planar" and matches.has_image_plane:
        return "PLANAR"
    if found.kind == "planar_or_rotation" or found.is_nearly_planar:
        return "PLANAR_OR_PANORAMIC"
    if not matches.calibrated:
        return "UNCALIBRATED"
    return "CALIBRATED" if epipolar.is_determined else "PLANAR_OR_PANORAMIC"
