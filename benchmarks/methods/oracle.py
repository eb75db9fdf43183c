"""The ceiling: least squares on the true inliers, starting from the true model.

Levenberg-Marquardt on the Sampson residuals over the model's own degrees of freedom.
It is told which matches are right, so no estimator can be expected to beat it by much.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from benchmarks.data.pair import Array, Fit, Pair, Pose, cross_matrix
from benchmarks.methods.method import Method, Settings
from benchmarks.problems import maps


def run(pair: Pair, _settings: Settings) -> Fit | None:
    """Refine the truth on the true inliers; None where these are not known."""
    if pair.is_inlier is None or pair.model is None:
        return None
    x1, x2 = pair.x1[pair.is_inlier], pair.x2[pair.is_inlier]
    return Fit(_FITS[pair.problem](pair, x1, x2), pair.is_inlier)


def epipolar_residuals(F: Array, x1: Array, x2: Array) -> Array:
    """Signed Sampson distances (N,) of x2' F x1."""
    lines2 = x1 @ F[:, :2].T + F[:, 2]
    lines1 = x2 @ F[:2] + F[2]
    algebraic = np.sum(x2 * lines2[:, :2], axis=1) + lines2[:, 2]
    slopes = np.hstack([lines1[:, :2], lines2[:, :2]])
    return algebraic / np.maximum(np.linalg.norm(slopes, axis=1), 1e-300)


def transfer_residuals(H: Array, x1: Array, x2: Array) -> Array:
    """Whitened Sampson residuals (N, 2) of the two constraints x2 ~ H x1."""
    u, v, w = (np.column_stack([x1, np.ones(len(x1))]) @ H.T).T
    x, y = x2.T
    constraints = np.stack([u - x * w, v - y * w], axis=1)
    jacobian = np.zeros((len(x1), 2, 4))
    jacobian[:, 0, :2] = H[0, :2] - x[:, None] * H[2, :2]
    jacobian[:, 1, :2] = H[1, :2] - y[:, None] * H[2, :2]
    jacobian[:, 0, 2] = jacobian[:, 1, 3] = -w
    covariance = jacobian @ jacobian.transpose(0, 2, 1)
    factor = np.linalg.cholesky(covariance)
    return np.linalg.solve(factor, constraints[..., None])[..., 0]


def _essential(pair: Pair, x1: Array, x2: Array) -> Array:
    assert isinstance(pair.truth, Pose)
    R, t = pair.truth.R, pair.truth.t / np.linalg.norm(pair.truth.t)
    tangent = np.linalg.svd(t[None])[2][1:]

    def model(step: Array) -> Array:
        moved = t + step[3:] @ tangent
        return (
            cross_matrix(moved / np.linalg.norm(moved))
            @ Rotation.from_rotvec(step[:3]).as_matrix()
            @ R
        )

    inverse1, inverse2 = np.linalg.inv(pair.K1), np.linalg.inv(pair.K2)

    def cost(step: Array) -> Array:
        # In pixels, for that is what the noise is isotropic in.
        return epipolar_residuals(inverse2.T @ model(step) @ inverse1, x1, x2)

    return model(least_squares(cost, np.zeros(5), method="lm", x_scale="jac").x)


def _fundamental(pair: Pair, x1: Array, x2: Array) -> Array:
    to1, to2 = _conditioner(x1), _conditioner(x2)
    start = np.linalg.inv(to2).T @ pair.model @ np.linalg.inv(to1)
    U, singular, Vt = np.linalg.svd(start)

    def model(step: Array) -> Array:
        left = U @ Rotation.from_rotvec(step[:3]).as_matrix()
        right = Vt.T @ Rotation.from_rotvec(step[3:6]).as_matrix()
        ratio = singular[1] / singular[0] + step[6]
        return to2.T @ (left @ np.diag([1.0, ratio, 0.0]) @ right.T) @ to1

    def cost(step: Array) -> Array:
        return epipolar_residuals(model(step), x1, x2)

    return model(least_squares(cost, np.zeros(7), method="lm", x_scale="jac").x)


def _homography(pair: Pair, x1: Array, x2: Array) -> Array:
    to1, to2 = _conditioner(x1), _conditioner(x2)
    start = to2 @ pair.model @ np.linalg.inv(to1)
    start = start.ravel() / np.linalg.norm(start)
    tangent = np.linalg.svd(start[None])[2][1:]
    back2 = np.linalg.inv(to2)

    def model(step: Array) -> Array:
        return back2 @ (start + step @ tangent).reshape(3, 3) @ to1

    def cost(step: Array) -> Array:
        return transfer_residuals(model(step), x1, x2).ravel()

    return model(least_squares(cost, np.zeros(8), method="lm", x_scale="jac").x)


def _conditioner(x: Array) -> Array:
    """Similarity (3, 3) that centres the points (N, 2) and makes them of size one."""
    centre = x.mean(axis=0)
    scale = 1.0 / np.sqrt(np.mean((x - centre) ** 2))
    return np.array(
        [[scale, 0, -scale * centre[0]], [0, scale, -scale * centre[1]], [0, 0, 1.0]]
    )


def _map(pair: Pair, x1: Array, x2: Array) -> Array:
    kind = pair.problem[:-2]  # without the dimension
    centre1, centre2 = x1.mean(axis=0), x2.mean(axis=0)
    a, b = x1 - centre1, x2 - centre2
    if kind == "translation":
        A = np.eye(x1.shape[1])
    elif kind == "affine":
        # Total least squares: matches lie on a flat, whose normals these are.
        both, dim = np.hstack([a, b]), x1.shape[1]
        normals = np.linalg.eigh(both.T @ both)[1][:, :dim]
        A = -np.linalg.solve(normals[dim:].T, normals[:dim].T)
    else:
        U, singular, Vt = np.linalg.svd(b.T @ a)
        signs = np.ones(len(singular))
        signs[-1] = np.sign(np.linalg.det(U @ Vt))
        A, p = U @ np.diag(signs) @ Vt, singular @ signs
        if kind == "similarity":
            growth = np.sum(b**2) - np.sum(a**2)
            A = A * (growth + np.hypot(growth, 2.0 * p)) / (2.0 * p)
    return np.column_stack([A, centre2 - A @ centre1])


def _absolute_pose(pair: Pair, x: Array, X: Array) -> Array:
    R, t = pair.model[:, :3], pair.model[:, 3]
    middle, depth = X.mean(axis=0), pair.truth.depth

    def model(step: Array) -> Array:
        turned = Rotation.from_rotvec(step[:3]).as_matrix() @ R
        # About the middle of the scene, and in parts of its depth.
        return np.column_stack(
            [turned, t + R @ middle - turned @ middle + depth * step[3:]]
        )

    def cost(step: Array) -> Array:
        moved = model(step)
        p = (X @ moved[:, :3].T + moved[:, 3]) @ pair.K1.T
        return (p[:, :2] / p[:, 2:] - x).ravel()

    return model(least_squares(cost, np.zeros(6), method="lm", x_scale="jac").x)


_FITS = {
    "PnP": _absolute_pose,
    "H": _homography,
    "F": _fundamental,
    "E": _essential,
    **{problem.name: _map for problem in maps.PROBLEMS},
}
NO_THRESHOLD = dict.fromkeys(_FITS, 0.0)

METHODS = [Method("oracle", "scipy", "scipy", run, NO_THRESHOLD, has_threshold=False)]
