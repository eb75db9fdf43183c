"""Depth maps of ETH3D, and which matches two of them agree on.

A map is raw float32, row by row, without a header, in the size of the *distorted*
image, with ``inf`` where the scanner saw nothing.  A pixel of the undistorted image is
looked up where the distorting camera sees the same ray.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.paper.datasets.colmap_model import ModelCamera
from benchmarks.paper.datasets.pairs import DataError
from cvscore.types import Array, Mask

# Of the depth: the two maps must put a match at the same place in space, to this part.
# At a focal length of 600 pixels it is 3 pixels across.
MAX_GAP = 0.005


def distort(camera: ModelCamera, rays: Array) -> Array:
    """Pixels (N, 2), COLMAP's convention, of rays (N, 2) at depth one."""
    u, v = rays.T
    if camera.model == "PINHOLE":
        fx, fy, cx, cy = camera.params
    elif camera.model == "THIN_PRISM_FISHEYE":
        fx, fy, cx, cy, k1, k2, p1, p2, k3, k4, sx, sy = camera.params
        radius = np.hypot(u, v)
        # The angle to the axis takes the place of its tangent.
        shrink = np.arctan(radius) / np.where(radius > 0, radius, 1.0)
        shrink = np.where(radius > 0, shrink, 1.0)
        u, v = shrink * u, shrink * v
        r2 = u * u + v * v
        radial = r2 * (k1 + r2 * (k2 + r2 * (k3 + r2 * k4)))
        du = u * radial + 2 * p1 * u * v + p2 * (r2 + 2 * u * u) + sx * r2
        dv = v * radial + 2 * p2 * u * v + p1 * (r2 + 2 * v * v) + sy * r2
        u, v = u + du, v + dv
    else:
        raise DataError(f"depth maps of a {camera.model} camera are not supported")
    return np.column_stack([fx * u + cx, fy * v + cy])


def undistort(camera: ModelCamera, pixels: Array, num_steps: int = 10) -> Array:
    """Rays (N, 2) at depth one of pixels (N, 2): the inverse of `distort`."""
    focal, centre = camera.params[:2], camera.params[2:4]
    rays = (pixels - centre) / focal
    for _ in range(num_steps):
        rays = rays - (distort(camera, rays) - pixels) / focal
    return rays


def read_depth(path: Path, camera: ModelCamera) -> Array:
    """Return the map (height, width) of an image taken by ``camera``."""
    if not path.is_file():
        raise DataError(f"{path} is not there")
    expected = 4 * camera.width * camera.height
    if path.stat().st_size != expected:
        raise DataError(
            f"{path} must have {expected} bytes for {camera.width} x {camera.height} "
            f"pixels, got {path.stat().st_size}"
        )
    depth = np.fromfile(path, dtype="<f4").reshape(camera.height, camera.width)
    if np.isnan(depth).any() or (depth < 0).any():
        raise DataError(f"{path} holds depths that are negative or not numbers")
    return depth


def depth_at(depth: Array, camera: ModelCamera, rays: Array) -> Array:
    """Depths (N,) along rays (N, 2); ``inf`` outside the image and where unknown."""
    # In COLMAP's convention pixel (i, j) covers i to i + 1 and j to j + 1.
    column, row = np.floor(distort(camera, rays)).T
    inside = (column >= 0) & (column < camera.width) & (row >= 0)
    inside &= row < camera.height
    found = np.full(len(rays), np.inf)
    found[inside] = depth[row[inside].astype(int), column[inside].astype(int)]
    found[found == 0] = np.inf
    return found


def consistent(
    rays1: Array, rays2: Array, depth1: Array, depth2: Array, R: Array, t: Array
) -> Mask:
    """Which matches are one point in space, by the depths in both views.

    Parameters
    ----------
    rays1, rays2 : (N, 2)
        At depth one.
    depth1, depth2 : (N,)
        ``inf`` where unknown: such a match is not called right.
    R, t : (3, 3) and (3,)
        ``X2 = R X1 + t``, in the unit of the depths.
    """
    known = np.isfinite(depth1) & np.isfinite(depth2)
    d1, d2 = np.where(known, depth1, 1.0), np.where(known, depth2, 1.0)
    ones = np.ones((len(rays1), 1))
    X1 = np.hstack([rays1, ones]) * d1[:, None]
    X2 = np.hstack([rays2, ones]) * d2[:, None]
    gap = np.linalg.norm(X1 @ R.T + t - X2, axis=1)
    return known & (gap <= MAX_GAP * np.minimum(d1, d2))
