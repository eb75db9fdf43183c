"""Pairs with labels, and how far an estimate is from what they say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvscore.calibration.pair_variances import (
    variance_given_pose,
    variance_unconstrained,
)
from cvscore.data.validation import as_intrinsics, as_real_array
from cvscore.models.relative_pose import pose_from_essential
from cvscore.models.sampson import sampson_residuals
from cvscore.two_view.image_pairs import SCENE_MATCHES
from cvscore.types import Array, Estimate, Mask


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledPair:
    """Matches of which it is known which are right, and perhaps the truth behind them.

    Attributes
    ----------
    x1, x2 : (N, 2) array
        All matches, right and wrong, in pixels.
    inliers : (N,) bool array
        Which are right.
    K1, K2 : (3, 3) array or None
        Camera matrices; needed for the essential matrix.
    R, t : (3, 3) and (3,) array, or None
        The pose, ``x_cam2 = R x_cam1 + t``; errors are then angles.
    H : (3, 3) array or None
        The homography; errors are then distances of transferred points.
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
        num = SCENE_MATCHES.pack(self.x1, self.x2).shape[1]
        if np.shape(self.inliers) != (num,) or np.asarray(self.inliers).dtype != bool:
            raise ValueError(
                f"inliers must be {num} booleans, got shape {np.shape(self.inliers)} "
                f"of {np.asarray(self.inliers).dtype}"
            )
        if (self.R is None) != (self.t is None):
            raise ValueError("R and t must be given together")
        if self.R is not None and (self.K1 is None or self.K2 is None):
            raise ValueError("a pose needs K1 and K2")
        for name in ("K1", "K2"):
            if getattr(self, name) is not None:
                as_intrinsics(getattr(self, name), name)
        for name, shape in (("R", (3, 3)), ("t", (3,)), ("H", (3, 3))):
            if getattr(self, name) is not None:
                _check_truth(getattr(self, name), name, shape)

    def variance(self, model: str) -> float | None:
        """Return the noise variance of the right matches, None if they are too few.

        Under the known pose where there is one, for E and F; else under the best fit.
        """
        x1, x2 = np.asarray(self.x1)[self.inliers], np.asarray(self.x2)[self.inliers]
        if model == "homography":
            return variance_unconstrained(x1, x2, model=model)
        if self.R is None or self.t is None or self.K1 is None:
            return variance_unconstrained(x1, x2, self.K1, self.K2, model=model)
        return variance_given_pose(
            x1, x2, self.K1, self.K2, R=self.R, t=self.t, model=model
        )

    def error(self, estimate: Estimate, model: str) -> float:
        """Return how far an estimate is from the truth.

        Infinite without a model, or without a right match.

        For E and F in degrees where there is a pose, else the root mean square residual
        of the right matches; for H the mean distance of their transferred points.
        """
        if estimate.model is None or not np.any(self.inliers):
            return np.inf
        points = SCENE_MATCHES.pack(self.x1, self.x2)
        right = np.ascontiguousarray(points[:, self.inliers])
        if model == "homography":
            truth = right[2:] if self.H is None else _transfer(self.H, right)
            missed = _transfer(estimate.model, right) - truth
            return float(np.mean(np.hypot(*missed)))
        if self.R is not None and self.t is not None:
            R, t = estimate.pose or self._pose(estimate, points)
            return max(_angle_of(R @ self.R.T), _angle_between(t, self.t))
        F = estimate.model
        if model == "essential":
            K1, K2 = self._cameras()
            F = np.linalg.inv(K2).T @ F @ np.linalg.inv(K1)
        return float(np.sqrt(np.mean(sampson_residuals(F[None], right))))

    def _cameras(self) -> tuple[Array, Array]:
        if self.K1 is None:
            raise ValueError("pairs must have K1 for the essential matrix")
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


def _check_truth(truth: Array, name: str, shape: tuple[int, ...]) -> None:
    array = as_real_array(truth, name)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has NaN or infinite entries")


def _transfer(H: Array, points: Array) -> Array:
    """Where H takes the points (4, N) of the first image, (2, N)."""
    x, y, w = H @ np.vstack([points[:2], np.ones(points.shape[1])])
    with np.errstate(divide="ignore", invalid="ignore"):
        moved: Array = np.nan_to_num(np.stack([x / w, y / w]), nan=np.inf)
    return moved


def _angle_of(rotation: Array) -> float:
    cosine = 0.5 * (np.trace(rotation) - 1.0)
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def _angle_between(a: Array, b: Array) -> float:
    cosine = a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
