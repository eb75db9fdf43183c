"""The rotation behind a model, and how far it is from the true one, in degrees.

An essential matrix stands for two rotations and a calibrated homography for up to two
as well; the better one counts, so that no matches are needed to tell them apart.
"""

from __future__ import annotations

import numpy as np

from cvscore.types import Array

FAILURE = 180.0  # degrees: of a pair without a model, the largest angle there is
# Below this spread of squared singular values a homography is a rotation, its plane
# without effect, and its two factorisations are one.
MIN_SPREAD = 1e-12


def angles(R: Array, truth: Array) -> Array:
    """Angles (...) in degrees between rotations (..., 3, 3) and the true one (3, 3)."""
    D = R @ truth.T
    axis = np.stack(
        [
            D[..., 2, 1] - D[..., 1, 2],
            D[..., 0, 2] - D[..., 2, 0],
            D[..., 1, 0] - D[..., 0, 1],
        ]
    )
    trace = np.trace(D, axis1=-2, axis2=-1)
    return np.degrees(np.arctan2(np.linalg.norm(axis, axis=0), trace - 1.0))


def essential_errors(E: Array, truth: Array) -> Array:
    """Errors (K,) of essential matrices (K, 3, 3), or of matrices near them."""
    if not len(E):
        return np.empty(0)
    U, _, Vt = np.linalg.svd(E)
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    both = np.stack([U @ turn @ Vt, U @ turn.T @ Vt])
    both *= np.sign(np.linalg.det(both))[..., None, None]
    return angles(both, truth).min(axis=0)


def homography_errors(H: Array, truth: Array) -> Array:
    """Errors (K,) of homographies (K, 3, 3) between calibrated views, of any scale.

    With H scaled to a middle singular value of one, ``H = R + t n'`` leaves the plane
    of directions orthogonal to n undistorted; there are two such planes, spanned by the
    second right singular vector and a mixture of the first and the third.
    """
    if not len(H):
        return np.empty(0)
    U, S, Vt = np.linalg.svd(H)
    H = H * (np.sign(np.linalg.det(H)) / S[:, 1])[:, None, None]
    large, small = (S[:, 0] / S[:, 1]) ** 2, (S[:, 2] / S[:, 1]) ** 2
    spread = large - small
    is_rotation = spread < MIN_SPREAD
    root = np.sqrt(np.where(is_rotation, 1.0, spread))[:, None]
    a = np.sqrt(np.maximum(1.0 - small, 0.0))[:, None] / root
    b = np.sqrt(np.maximum(large - 1.0, 0.0))[:, None] / root
    errors = []
    for sign in (1.0, -1.0):
        middle, other = Vt[:, 1], a * Vt[:, 0] + sign * b * Vt[:, 2]
        before = np.stack([middle, other, np.cross(middle, other)], axis=-1)
        moved = (H @ before[..., :2]).swapaxes(1, 2)
        third = np.cross(moved[:, 0], moved[:, 1])
        after = np.stack([moved[:, 0], moved[:, 1], third], axis=-1)
        errors.append(angles(after @ before.swapaxes(1, 2), truth))
    nearest = U @ Vt
    nearest = nearest * np.sign(np.linalg.det(nearest))[:, None, None]
    return np.where(is_rotation, angles(nearest, truth), np.minimum(*errors))
