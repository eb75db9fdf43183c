"""Two random views of a random scene: the exact geometry behind synthetic pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.data.pair import Array, cross_matrix
from benchmarks.protocols.homography import apply_homography

WIDTH = (640.0, 4000.0)  # pixels, log-uniform
RESIZED = (0.7, 1.4)  # width of camera 2 over that of camera 1, log-uniform
HEIGHT = (0.6, 0.8)  # widths
FOCAL = (0.7, 1.5)  # widths
FAR_OVER_NEAR = (1.3, 4.0)  # depth range of a scene whose nearest point is at 1
BASELINE = (0.05, 0.5)  # mean depths
AIM = 8.0  # degrees: how far camera 2 looks past the centre of the scene
ROLL = 20.0  # degrees
# Fewer common points than this fraction and the pair would not have been matched.
MIN_OVERLAP = 0.3
# A plane seen under a change of scale beyond this would not have been matched.
MAX_MAGNIFICATION = 3.0


@dataclass(frozen=True)
class Camera:
    """A pinhole camera: intrinsics (3, 3) and (width, height) in pixels."""

    K: Array
    size: tuple[float, float]

    def rays(self, x: Array) -> Array:
        """Return the (N, 3) rays of depth one through the pixels (N, 2)."""
        n = (x - self.K[:2, 2]) / np.diag(self.K)[:2]
        return np.column_stack([n, np.ones(len(n))])

    def random_pixels(self, rng: np.random.Generator, num: int) -> Array:
        """Return (num, 2) pixels, uniform over the image."""
        return rng.uniform(size=(num, 2)) * self.size

    def sees(self, x: Array) -> np.ndarray:
        """Which of the pixels (N, 2) lie inside the image."""
        return np.all((x >= 0) & (x < self.size), axis=1)


@dataclass(frozen=True)
class Views:
    """Two cameras, X2 = R X1 + t, and the depths (near, far) of the scene in view 1."""

    camera1: Camera
    camera2: Camera
    R: Array
    t: Array
    depths: tuple[float, float]

    def project(self, points3d: Array) -> tuple[Array, np.ndarray]:
        """Pixels in view 2 of points in camera 1's frame, and which are visible."""
        seen = points3d @ self.R.T + self.t
        with np.errstate(divide="ignore", invalid="ignore"):
            x2 = seen[:, :2] / seen[:, 2:] * np.diag(self.camera2.K)[:2]
        x2 += self.camera2.K[:2, 2]
        return x2, (seen[:, 2] > 0) & self.camera2.sees(x2)

    def random_matches(self, rng: np.random.Generator, num: int) -> Array:
        """Return (num, 4) wrong matches, from anywhere to anywhere."""
        cameras = self.camera1, self.camera2
        return np.hstack([camera.random_pixels(rng, num) for camera in cameras])

    def essential(self) -> Array:
        """E with x2' E x1 = 0 on normalised coordinates."""
        return cross_matrix(self.t / np.linalg.norm(self.t)) @ self.R

    def fundamental(self) -> Array:
        """F with x2' F x1 = 0 on pixels."""
        K1, K2 = self.camera1.K, self.camera2.K
        return np.linalg.inv(K2).T @ self.essential() @ np.linalg.inv(K1)

    def homography(self, plane: Array) -> Array:
        """Homography of the plane n' X = 1, camera 1's frame: x2 ~ H x1 on pixels."""
        H = self.R + np.outer(self.t, plane)
        H = self.camera2.K @ H @ np.linalg.inv(self.camera1.K)
        return H / np.linalg.norm(H)


def next_frame(views: Views, part: float) -> Views:
    """Return what the first camera sees after a part of the motion between views."""
    cos = 0.5 * (np.trace(views.R) - 1.0)
    skew = views.R - views.R.T
    axis = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
    angle = part * float(np.degrees(np.arccos(np.clip(cos, -1.0, 1.0))))
    turn = rotation(axis, angle)
    return replace(views, camera2=views.camera1, R=turn, t=part * views.t)


def rotation(axis: Array, degrees: float) -> Array:
    """Rotation (3, 3) about ``axis`` by an angle (Rodrigues)."""
    cross = cross_matrix(axis / np.linalg.norm(axis))
    angle = np.radians(degrees)
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw a positive number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def random_camera(rng: np.random.Generator, like: Camera | None = None) -> Camera:
    """Draw a camera with square pixels, about as large as ``like`` if that is given."""
    width = log_uniform(rng, *WIDTH)
    if like is not None:
        width = float(np.clip(like.size[0] * log_uniform(rng, *RESIZED), *WIDTH))
    size = (width, width * rng.uniform(*HEIGHT))
    focal = width * rng.uniform(*FOCAL)
    cx, cy = np.array(size) * rng.uniform(0.48, 0.52, size=2)
    return Camera(np.array([[focal, 0, cx], [0, focal, cy], [0, 0, 1.0]]), size)


def looking_at(
    centre: Array, target: Array, down: ArrayLike = (0.0, 1.0, 0.0)
) -> Array:
    """Rotation (camera from world) of a camera at ``centre`` that sees ``target``."""
    forward = target - centre
    forward = forward / np.linalg.norm(forward)
    right = np.cross(down, forward)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(forward, right), forward])


def _looking_about(rng: np.random.Generator, centre: Array, target: Array) -> Array:
    """Rotation of a camera at ``centre`` that looks about ``target``, rolled a bit."""
    aim = looking_at(centre, target)
    aim = rotation(rng.normal(size=3), rng.uniform(0, AIM)) @ aim
    return rotation(np.array([0.0, 0.0, 1.0]), rng.uniform(-ROLL, ROLL)) @ aim


def random_views(rng: np.random.Generator) -> Views:
    """Draw two overlapping views of a scene."""
    while True:
        depths = (1.0, rng.uniform(*FAR_OVER_NEAR))
        mean_depth = np.mean(depths)
        direction = rng.normal(size=3)
        centre = direction / np.linalg.norm(direction)
        centre *= rng.uniform(*BASELINE) * mean_depth
        R = _looking_about(rng, centre, np.array([0.0, 0.0, mean_depth]))
        camera1 = random_camera(rng)
        # Half of the pairs come from one camera, half from two.
        camera2 = camera1 if rng.random() < 0.5 else random_camera(rng, camera1)
        views = Views(camera1, camera2, R, -R @ centre, depths)
        _, visible = views.project(_cloud(rng, views, 200))
        if visible.mean() > MIN_OVERLAP:
            return views


def other_motion(rng: np.random.Generator, views: Views) -> Views:
    """Return the views as an object that moves by itself sees them."""
    mean_depth = np.mean(views.depths)
    while True:
        turn = rotation(rng.normal(size=3), rng.uniform(2, 15))
        shift = rng.normal(size=3) * 0.15 * mean_depth
        about = np.array([0.0, 0.0, mean_depth])
        moved = replace(
            views,
            R=views.R @ turn,
            t=views.R @ (about - turn @ about + shift) + views.t,
        )
        _, visible = moved.project(_cloud(rng, moved, 200))
        if visible.mean() > 0.1:
            return moved


def _cloud(rng: np.random.Generator, views: Views, num: int) -> Array:
    """Points (num, 3) that fill view 1 between the near and the far depth."""
    rays = views.camera1.rays(views.camera1.random_pixels(rng, num))
    return rays * rng.uniform(*views.depths, size=(num, 1))


def cloud_matches(rng: np.random.Generator, views: Views, num: int) -> Array:
    """Exact matches (num, 4) of points spread in depth."""
    matches = np.empty((0, 4))
    while len(matches) < num:
        x1 = views.camera1.random_pixels(rng, 4 * num)
        depths = rng.uniform(*views.depths, size=(4 * num, 1))
        x2, visible = views.project(depths * views.camera1.rays(x1))
        matches = np.vstack([matches, np.hstack([x1, x2])[visible]])
    return matches[:num]


def random_plane(rng: np.random.Generator, views: Views) -> Array:
    """Draw a plane n' X = 1 (3,) that is a fair part of what both views show."""
    mean_depth = np.mean(views.depths)
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * views.camera1.size
    while True:
        tilt = rotation(np.append(rng.normal(size=2), 0.0), rng.uniform(0, 50))
        plane = tilt[:, 2] / (tilt[2, 2] * mean_depth)
        H = views.homography(plane)
        grid = views.camera1.random_pixels(rng, 200)
        mapped = apply_homography(H, np.vstack([corners, grid]))
        sign = np.sign(np.linalg.det(H))
        in_front = sign * np.column_stack([corners, np.ones(4)]) @ H[2] > 0
        overlap = views.camera2.sees(mapped[4:]).mean()
        if in_front.all() and overlap > MIN_OVERLAP and _is_moderate(corners, mapped):
            return plane


def _is_moderate(corners: Array, mapped: Array) -> bool:
    """Whether no side of the image grows or shrinks beyond MAX_MAGNIFICATION."""
    sides = np.linalg.norm(np.roll(mapped[:4], -1, axis=0) - mapped[:4], axis=1)
    sides /= np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    return bool(sides.max() < MAX_MAGNIFICATION * max(sides.min(), 1 / 3))


def plane_matches(
    rng: np.random.Generator, views: Views, plane: Array, num: int, patch: float
) -> Array:
    """Exact matches (num, 4) on a plane, inside a patch of image 1.

    The patch is a rectangle of ``patch`` times the image's sides (1 is the whole
    image), put where both views see enough of it.
    """
    H = views.homography(plane)
    side = patch * np.array(views.camera1.size)
    while True:
        corner = rng.uniform(size=2) * (np.array(views.camera1.size) - side)
        if (
            views.camera2.sees(
                apply_homography(H, corner + side * rng.uniform(size=(100, 2)))
            ).mean()
            > MIN_OVERLAP
        ):
            break
    matches = np.empty((0, 4))
    while len(matches) < num:
        x1 = corner + side * rng.uniform(size=(4 * num, 2))
        x2 = apply_homography(H, x1)
        visible = views.camera2.sees(x2)
        matches = np.vstack([matches, np.hstack([x1, x2])[visible]])
    return matches[:num]
