"""Pairs with labels, and how far an estimate is from what they say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvscore.calibration.pair_variances import (
    variance_given_pose,
    variance_unconstrained,
)
from cvscore.data.validation import as_intrinsics, as_real_array
from cvscore.estimators.registry import data_of
from cvscore.models.relative_pose import pose_from_essential
from cvscore.models.sampson import sampson_residuals
from cvscore.two_view.image_pairs import SCENE_MATCHES
from cvscore.types import Array, Estimate, Mask

# Models that map no point to a point.
EPIPOLAR = ("fundamental", "essential")


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledPair:
    """Matches of which it is known which are right, and perhaps the truth behind them.

    Attributes
    ----------
    x1, x2 : (N, D) arrays
        All matches, right and wrong, as an estimator takes them: pixels, or image
        points and scene points, or two clouds.
    inliers : (N,) bool array
        Which are right.
    K1, K2 : (3, 3) array or None
        Camera matrices of images; needed for the essential matrix, and the first for
        absolute poses.
    R, t : (3, 3) and (3,) array, or None
        The pose, ``x_cam2 = R x_cam1 + t``; errors are then angles.  Of scene points:
        ``x_cam = R X + t``; errors are then distances of points in the image.
    H : (3, 3) array or None
        The homography, or the matrix (D, D + 1) of another map; errors are then
        distances of transferred points.
    """

    x1: Array
    x2: Array
    inliers: Mask
    K1: Array | None = None
    K2: Array | None = None
    R: Array | None = None
    t: Array | None = None
    H: Array | None = None

    def __post_init__(self) -> None:
        data = data_of(self.x1, self.x2)
        num = data.pack(self.x1, self.x2).shape[1]
        if np.shape(self.inliers) != (num,) or np.asarray(self.inliers).dtype != bool:
            raise ValueError(
                f"inliers must be {num} booleans, got shape {np.shape(self.inliers)} "
                f"of {np.asarray(self.inliers).dtype}"
            )
        if (self.R is None) != (self.t is None):
            raise ValueError("R and t must be given together")
        needed = ("K1", "K2")[: data.dims.count(2)]
        if self.R is not None and any(getattr(self, K) is None for K in needed):
            raise ValueError(f"a pose needs {' and '.join(needed)}")
        for name in ("K1", "K2"):
            if getattr(self, name) is not None:
                as_intrinsics(getattr(self, name), name)
        last = data.dims[-1]
        shapes: dict[str, list[tuple[int, ...]]]
        shapes = {"R": [(3, 3)], "t": [(3,)], "H": [(3, 3), (last, last + 1)]}
        for name, allowed in shapes.items():
            if getattr(self, name) is not None:
                _check_truth(getattr(self, name), name, allowed)

    def variance(self, model: str) -> float | None:
        """Return the noise variance of the right matches, None if they are too few.

        Under the known pose where there is one, for E and F; else under the best fit.
        """
        x1, x2 = np.asarray(self.x1)[self.inliers], np.asarray(self.x2)[self.inliers]
        if model in EPIPOLAR and self.R is not None and self.t is not None:
            assert self.K1 is not None
            return variance_given_pose(
                x1, x2, self.K1, self.K2, R=self.R, t=self.t, model=model
            )
        return variance_unconstrained(x1, x2, self.K1, self.K2, model=model)

    def error(self, estimate: Estimate, model: str) -> float:
        """Return how far an estimate is from the truth.

        Infinite without a model, or without a right match.

        For E and F in degrees where there is a pose, else the root mean square residual
        of the right matches; for other models the mean distance of where it puts them
        to where the truth does, or to where they are.
        """
        if estimate.model is None or not np.any(self.inliers):
            return np.inf
        if model not in EPIPOLAR:
            return self._distance(estimate.model)
        points = SCENE_MATCHES.pack(self.x1, self.x2)
        right = np.ascontiguousarray(points[:, self.inliers])
        if self.R is not None and self.t is not None:
            R, t = estimate.pose or self._pose(estimate, points)
            return max(_angle_of(R @ self.R.T), _angle_between(t, self.t))
        F = estimate.model
        if model == "essential":
            K1, K2 = self._cameras()
            F = np.linalg.inv(K2).T @ F @ np.linalg.inv(K1)
        return float(np.sqrt(np.mean(sampson_residuals(F[None], right))))

    def _distance(self, model: Array) -> float:
        """Mean distance of where a map, or a camera, puts the right matches."""
        x1, x2 = (np.asarray(x, np.float64)[self.inliers].T for x in (self.x1, self.x2))
        if len(x1) == len(x2):
            matrix = _homogeneous(model)
            truth = None if self.H is None else _homogeneous(self.H)
        else:  # a camera sees scene points, the second set
            K, _ = self._cameras()
            matrix, truth = K @ model, None
            if self.R is not None and self.t is not None:
                truth = K @ np.column_stack([self.R, self.t])
            x1, x2 = x2, x1
        with np.errstate(all="ignore"):  # of points that go to infinity
            expected = x2 if truth is None else _transfer(truth, x1)
            missed = _transfer(matrix, x1) - expected
            distance = float(np.mean(np.hypot.reduce(missed, axis=0)))
        return np.inf if np.isnan(distance) else distance

    def _cameras(self) -> tuple[Array, Array]:
        if self.K1 is None:
            raise ValueError("pairs must have K1 for models of cameras")
        K1 = as_intrinsics(self.K1, "K1")
        return K1, K1 if self.K2 is None else as_intrinsics(self.K2, "K2")

    def _pose(self, estimate: Estimate, points: Array) -> tuple[Array, Array]:
        """Pose behind an estimated fundamental matrix, by its own inliers."""
        K1, K2 = self._cameras()
        chosen = points[:, estimate.inliers]
        ones = np.ones(chosen.shape[1])
        rays1 = np.linalg.solve(K1, np.vstack([chosen[:2], ones]))[:2]
        rays2 = np.linalg.solve(K2, np.vstack([chosen[2:], ones]))[:2]
        rays = np.ascontiguousarray(np.vstack([rays1, rays2]))
        assert estimate.model is not None
        U, _, Vt = np.linalg.svd(K2.T @ estimate.model @ K1)
        R, t, _ = pose_from_essential(U @ np.diag([1.0, 1.0, 0.0]) @ Vt, rays)
        return R, t


def _check_truth(truth: Array, name: str, shapes: list[tuple[int, ...]]) -> None:
    array = as_real_array(truth, name)
    if array.shape not in shapes:
        allowed = " or ".join(map(str, shapes))
        raise ValueError(f"{name} must have shape {allowed}, got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has NaN or infinite entries")


def _homogeneous(model: Array) -> Array:
    """Return a map ``[A | t]`` as one of homogeneous points; a homography is one."""
    if model.shape[0] == model.shape[1]:
        return model
    return np.vstack([model, np.eye(model.shape[1])[-1]])


def _transfer(matrix: Array, points: Array) -> Array:
    """Where a matrix of homogeneous points takes points (D, N)."""
    moved = matrix @ np.vstack([points, np.ones(points.shape[1])])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(moved[:-1] / moved[-1], nan=np.inf)


def _angle_of(rotation: Array) -> float:
    cosine = 0.5 * (np.trace(rotation) - 1.0)
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def _angle_between(a: Array, b: Array) -> float:
    cosine = a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
