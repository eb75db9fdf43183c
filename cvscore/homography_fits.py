"""Homographies with fewer parameters than eight: of a known pose, and of a rotation.

Both minimise the squared Sampson residuals of matches that are taken for right.
"""

from __future__ import annotations

import numpy as np

from cvscore.frames import frame_of_cameras
from cvscore.types import Array


def fit_plane(
    points: Array, K1: Array, K2: Array, R: Array, t: Array
) -> tuple[Array, float]:
    """Fit the plane n in ``H = K2 (R + t n') K1^-1``.

    Parameters
    ----------
    points : (4, N) array
        Right matches, in pixels.
    K1, K2 : (3, 3) array
        Camera matrices.
    R, t : (3, 3) and (3,) array
        The known pose, ``x_cam2 = R x_cam1 + t``.

    Returns
    -------
    H : (3, 3) array
        The homography of the plane.
    rss : float
        The sum of its squared residuals, pixels squared.
    """
    from scipy.optimize import least_squares

    frame = frame_of_cameras(K1, K2)
    inside = frame.enter(points)
    inner1, inner2 = frame.camera(K1, 0), frame.camera(K2, 1)
    inverse = np.linalg.inv(inner1)

    def residuals(plane: Array) -> Array:
        H = inner2 @ (R + np.outer(t, plane)) @ inverse
        return whitened_transfer(H, inside)

    start = _linear_plane(inside, inner1, inner2, R, t)
    fitted = least_squares(residuals, start, x_scale="jac", xtol=1e-12, ftol=1e-12)
    H = K2 @ (R + np.outer(t, fitted.x)) @ np.linalg.inv(K1)
    return H, float(2.0 * fitted.cost) * frame.unit**2


def fit_rotation(points: Array, K1: Array, K2: Array, start: Array) -> Array:
    """Fit the rotation R in ``H = K2 R K1^-1``, from a homography close to it.

    Parameters
    ----------
    points : (4, N) array
        Right matches, in pixels.
    K1, K2 : (3, 3) array
        Camera matrices.
    start : (3, 3) array
        A homography that takes the points of image 1 to positive multiples.

    Returns
    -------
    (3, 3) array
        The homography of the rotation; it takes points to positive multiples too.
    """
    from scipy.optimize import least_squares

    frame = frame_of_cameras(K1, K2)
    inside = frame.enter(points)
    inner1, inner2 = frame.camera(K1, 0), frame.camera(K2, 1)
    inverse = np.linalg.inv(inner1)
    nearest = _nearest_rotation(np.linalg.inv(K2) @ start @ K1)

    def residuals(axis_angle: Array) -> Array:
        H = inner2 @ _rotation(axis_angle) @ nearest @ inverse
        return whitened_transfer(H, inside)

    fitted = least_squares(residuals, np.zeros(3), xtol=1e-12, ftol=1e-12)
    return K2 @ _rotation(fitted.x) @ nearest @ np.linalg.inv(K1)


def whitened_transfer(H: Array, points: Array) -> Array:
    """Residuals (2 N,) whose squares add up to the squared Sampson residuals of H."""
    x, y, u, v = points
    p, q, w = H @ np.vstack([x, y, np.ones_like(x)])
    g = np.stack([u * w - p, v * w - q])
    du = np.stack([u * H[2, 0] - H[0, 0], u * H[2, 1] - H[0, 1]])
    dv = np.stack([v * H[2, 0] - H[1, 0], v * H[2, 1] - H[1, 1]])
    # Cholesky factor of the 2x2 covariance J J' of the two constraints.
    first = np.sqrt((du**2).sum(axis=0) + w**2)
    mixed = (du * dv).sum(axis=0) / first
    second = np.sqrt((dv**2).sum(axis=0) + w**2 - mixed**2)
    one = g[0] / first
    return np.concatenate([one, (g[1] - mixed * one) / second])


def _linear_plane(points: Array, K1: Array, K2: Array, R: Array, t: Array) -> Array:
    """Solve ``x2 x (R + t n') x1 = 0``, linear in the plane n, for a start."""
    ones = np.ones(points.shape[1])
    rays1 = np.linalg.solve(K1, np.vstack([points[:2], ones])).T
    rays2 = np.linalg.solve(K2, np.vstack([points[2:], ones])).T
    towards = np.cross(rays2, t)
    rows = (towards[:, :, None] * rays1[:, None, :]).reshape(-1, 3)
    plane: Array
    plane, *_ = np.linalg.lstsq(rows, -np.cross(rays2, rays1 @ R.T).ravel(), rcond=None)
    return plane


def _nearest_rotation(matrix: Array) -> Array:
    U, _, Vt = np.linalg.svd(matrix)
    nearest: Array = U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt
    return nearest


def _rotation(axis_angle: Array) -> Array:
    """Rotate about an axis by its length in radians (Rodrigues)."""
    angle = float(np.linalg.norm(axis_angle))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = axis_angle / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn: Array = np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return np.eye(3) + turn
