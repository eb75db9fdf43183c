"""The homography of a plane that is seen from a known pose: three parameters.

It minimises the squared Sampson residuals of matches that are taken for right.
"""

from __future__ import annotations

import numpy as np

from cvscore.two_view.image_frames import camera_inside, frame_of_cameras
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
    inner1, inner2 = camera_inside(frame, K1, 0), camera_inside(frame, K2, 1)
    inverse = np.linalg.inv(inner1)

    def residuals(plane: Array) -> Array:
        H = inner2 @ (R + np.outer(t, plane)) @ inverse
        return whitened_transfer(H, inside)

    start = _linear_plane(inside, inner1, inner2, R, t)
    fitted = least_squares(residuals, start, x_scale="jac", xtol=1e-12, ftol=1e-12)
    H = K2 @ (R + np.outer(t, fitted.x)) @ np.linalg.inv(K1)
    return H, float(2.0 * fitted.cost) * frame.unit**2


def whitened_transfer(H: Array, points: Array) -> Array:
    """Residuals (2 N,) whose squares add up to the squared Sampson residuals of H."""
    x, y, u, v = points
    p, q, w = H @ np.vstack([x, y, np.ones_like(x)])
    g = np.stack([u * w - p, v * w - q])
    du = np.stack([u * H[2, 0] - H[0, 0], u * H[2, 1] - H[0, 1]])
    dv = np.stack([v * H[2, 0] - H[1, 0], v * H[2, 1] - H[1, 1]])
    # Cholesky factor of the 2x2 covariance J J' of the two constraints.
    sq_du, sq_dv = (du**2).sum(axis=0), (dv**2).sum(axis=0)
    first = np.sqrt(sq_du + w**2)
    mixed = (du * dv).sum(axis=0) / first
    # Of the determinant, as a sum of squares: no rounding makes it negative.
    cross = du[0] * dv[1] - du[1] * dv[0]
    second = np.sqrt(cross**2 + w**2 * (sq_du + sq_dv + w**2)) / first
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
