"""Scenes with known truth: two views of a plane, of a volume, or from one place."""

from dataclasses import dataclass

import numpy as np

WIDTH, HEIGHT = 1280.0, 960.0


@dataclass(frozen=True)
class Scene:
    x1: np.ndarray  # (N, 2) pixels
    x2: np.ndarray
    is_inlier: np.ndarray  # (N,) bool
    H: np.ndarray | None = None
    K1: np.ndarray | None = None
    K2: np.ndarray | None = None
    R: np.ndarray | None = None
    t: np.ndarray | None = None

    @property
    def E(self):
        return cross_matrix(self.t) @ self.R

    @property
    def F(self):
        return np.linalg.inv(self.K2).T @ self.E @ np.linalg.inv(self.K1)


def homogeneous(x):
    return np.hstack([x, np.ones((len(x), 1))])


def packed(x1, x2):
    """Matches (4, N) as the kernels take them."""
    return np.ascontiguousarray(np.hstack([x1, x2]).T)


def project(M, x):
    y = homogeneous(x) @ M.T
    return y[:, :2] / y[:, 2:]


def cross_matrix(t):
    return np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0.0]])


def rotation(axis_angle):
    angle = np.linalg.norm(axis_angle)
    if angle == 0.0:
        return np.eye(3)
    axis = cross_matrix(axis_angle / angle)
    return np.eye(3) + np.sin(angle) * axis + (1 - np.cos(angle)) * axis @ axis


def camera(focal=1000.0):
    return np.array([[focal, 0, WIDTH / 2], [0, focal, HEIGHT / 2], [0, 0, 1.0]])


def _image_points(rng, num):
    return rng.uniform([0, 0], [WIDTH, HEIGHT], (num, 2))


def _with_outliers(rng, x1, x2, num_outliers, noise):
    x1 = x1 + rng.normal(0, 1, x1.shape) * noise
    x2 = x2 + rng.normal(0, 1, x2.shape) * noise
    is_inlier = np.repeat([True, False], [len(x1), num_outliers])
    x1 = np.vstack([x1, _image_points(rng, num_outliers)])
    x2 = np.vstack([x2, _image_points(rng, num_outliers)])
    order = rng.permutation(len(x1))
    return x1[order], x2[order], is_inlier[order]


def planar_scene(rng, num=300, inlier_ratio=0.5, noise=0.5):
    corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]])
    moved = corners + rng.uniform(-150, 150, (4, 2))
    rows = []
    for (x, y), (u, v) in zip(corners, moved, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    H = np.append(np.linalg.solve(rows, moved.ravel()), 1.0).reshape(3, 3)
    num_inliers = round(num * inlier_ratio)
    x1 = _image_points(rng, num_inliers)
    x1, x2, is_inlier = _with_outliers(
        rng, x1, project(H, x1), num - num_inliers, noise
    )
    return Scene(x1, x2, is_inlier, H=H)


def two_view_scene(
    rng, num=300, inlier_ratio=0.5, noise=0.5, focals=(1000.0, 1000.0), planar=False
):
    K1, K2 = camera(focals[0]), camera(focals[1])
    R = rotation(rng.normal(0, 0.15, 3))
    t = rng.normal(0, 1, 3)
    t /= np.linalg.norm(t)
    num_inliers = round(num * inlier_ratio)
    X = np.empty((0, 3))
    while len(X) < num_inliers:
        depth = rng.uniform(4, 10, 4 * num)
        x = _image_points(rng, 4 * num)
        rays = homogeneous(x) @ np.linalg.inv(K1).T
        if planar:
            normal = np.array([0.2, -0.1, 1.0])
            depth = 6.0 / (rays @ normal)
        some = rays * depth[:, None]
        seen = (some @ R.T + t) @ K2.T
        y = seen[:, :2] / seen[:, 2:]
        visible = (
            (seen[:, 2] > 0.5) & (y > 0).all(axis=1) & (y < [WIDTH, HEIGHT]).all(1)
        )
        X = np.vstack([X, some[visible]])
    X = X[:num_inliers]
    x1 = project(K1, X[:, :2] / X[:, 2:])
    Y = X @ R.T + t
    x2 = project(K2, Y[:, :2] / Y[:, 2:])
    x1, x2, is_inlier = _with_outliers(rng, x1, x2, num - num_inliers, noise)
    return Scene(x1, x2, is_inlier, K1=K1, K2=K2, R=R, t=t)


def angle_between(a, b):
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


def rotation_angle(R):
    return np.degrees(np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1)))


def pose_error(R, t, scene):
    """The larger of the angles of rotation and direction, degrees."""
    return max(rotation_angle(R @ scene.R.T), angle_between(t, scene.t))


def corner_error(H, scene):
    corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]])
    return np.linalg.norm(
        project(H, corners) - project(scene.H, corners), axis=1
    ).mean()


def sampson_homography(H, x1, x2):
    """Sampson distance (N,) of matches to x2 ~ H x1, point by point."""
    distances = []
    for (x, y), (u, v) in zip(x1, x2, strict=True):
        h = H @ [x, y, 1.0]
        g = np.array([h[0] - u * h[2], h[1] - v * h[2]])
        J = np.array(
            [
                [H[0, 0] - u * H[2, 0], H[0, 1] - u * H[2, 1], -h[2], 0],
                [H[1, 0] - v * H[2, 0], H[1, 1] - v * H[2, 1], 0, -h[2]],
            ]
        )
        distances.append(np.sqrt(g @ np.linalg.solve(J @ J.T, g)))
    return np.array(distances)


def sampson_epipolar(F, x1, x2):
    """Sampson distance (N,) of matches to x2' F x1 = 0, point by point."""
    p, q = homogeneous(x1), homogeneous(x2)
    l2, l1 = p @ F.T, q @ F
    scale = np.sqrt((l2[:, :2] ** 2).sum(1) + (l1[:, :2] ** 2).sum(1))
    return np.abs((q * l2).sum(1)) / scale
