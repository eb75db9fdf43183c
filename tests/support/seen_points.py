"""Image points of known scene points, with the truth about them."""

from dataclasses import dataclass, replace

import numpy as np
from synthetic import HEIGHT, WIDTH, camera, homogeneous, rotation, rotation_angle


@dataclass(frozen=True)
class SeenPoints:
    x: np.ndarray  # (N, 2) pixels
    X: np.ndarray  # (N, 3) scene
    K: np.ndarray
    R: np.ndarray
    t: np.ndarray
    is_inlier: np.ndarray  # (N,) bool

    @property
    def pose(self):
        return np.column_stack([self.R, self.t])

    def packed(self):
        """Points (5, N) as the kernels take them."""
        return np.ascontiguousarray(np.hstack([self.x, self.X]).T)

    def chosen(self, rows):
        return replace(
            self, x=self.x[rows], X=self.X[rows], is_inlier=self.is_inlier[rows]
        )


def seen_points(
    rng, num=200, inlier_ratio=0.6, noise=0.5, planar=False, unit=1.0, focal=1000.0
):
    """Points of a volume or of a plane; the wrong ones are seen anywhere."""
    K = camera(focal)
    x = rng.uniform([0, 0], [WIDTH, HEIGHT], (num, 2))
    rays = homogeneous(x) @ np.linalg.inv(K).T
    depths = rng.uniform(4.0, 10.0, num)
    if planar:
        depths = 6.0 / (rays @ np.array([0.5, -0.3, 1.0]))
    R, t = rotation(rng.normal(0, 1, 3)), rng.normal(0, 5, 3)
    X = unit * (rays * depths[:, None] - t) @ R
    is_inlier = np.arange(num) < round(num * inlier_ratio)
    wrong = rng.uniform([0, 0], [WIDTH, HEIGHT], (num, 2))
    x = np.where(is_inlier[:, None], x + noise * rng.normal(size=x.shape), wrong)
    order = rng.permutation(num)
    return SeenPoints(x, X, K, R, unit * t, is_inlier).chosen(order)


def pose_error(model, seen):
    """The larger of degrees of rotation and per cent of the depth."""
    R, t = model[:, :3], model[:, 3]
    depth = np.median(seen.X @ seen.R[2] + seen.t[2])
    shift = np.linalg.norm(R.T @ t - seen.R.T @ seen.t)
    return max(rotation_angle(R @ seen.R.T), 100.0 * shift / depth)


def projected(pose, seen):
    """Where a pose shows the scene, (N, 2); NaN behind the camera."""
    p = (seen.X @ pose[:, :3].T + pose[:, 3]) @ seen.K.T
    p[p[:, 2] <= 0.0] = np.nan
    return p[:, :2] / p[:, 2:]
