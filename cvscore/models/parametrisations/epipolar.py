"""Essential matrices by their pose, fundamental ones by their epipoles.

Essential, five: ``R`` becomes ``exp([w]x) R``, with w in radians, and t moves along two
unit vectors orthogonal to it and to each other (`tangent_of`), in radians.

Fundamental, seven, see `cvscore.models.refiners.fundamental`: with frames U, V as rows
whose last vectors are the epipoles, ``F = U' [A 0; 0 0] V``, and its neighbours are
``U' [A + dA, b; c', .] V``.  b moves the epipole of the first image and c that of the
second: as ``-A^-1 b`` and ``-A'^-1 c`` they are turns of its direction, in radians of a
camera whose focal length is the unit of the frame.  dA has no part along A.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cvscore.data.normalization import Frame
from cvscore.models.parametrisations.turns import (
    generators,
    names_of_turn,
    rotation_vector,
)
from cvscore.models.relative_pose import choose_pose, normalise
from cvscore.types import Array
from cvscore.types.parametrisation import Fit, Parametrisation


def sampson_jacobian(F: Array, points: Array, changes: Array) -> Array:
    """Derivatives (N, n) of the Sampson residuals along changes (n, 3, 3) of F."""
    ones = np.ones(points.shape[1])
    x1, x2 = np.vstack([points[:2], ones]), np.vstack([points[2:], ones])
    line2, line1 = F @ x1, F.T @ x2
    algebraic = (x2 * line2).sum(axis=0)
    sq_gradient = (line2[:2] ** 2).sum(axis=0) + (line1[:2] ** 2).sum(axis=0)
    # Half the derivative of the squared gradient is line2 . dline2 + line1 . dline1.
    moved2 = np.tensordot(changes, x1, axes=1)  # (n, 3, N)
    moved1 = np.tensordot(changes.transpose(0, 2, 1)[:, :2], x2, axes=1)
    along = (moved2[:, :2] * line2[:2]).sum(axis=1) + (moved1 * line1[:2]).sum(axis=1)
    slopes = (moved2 * x2).sum(axis=1) - algebraic / sq_gradient * along
    by_change: Array = (slopes / np.sqrt(sq_gradient)).T
    return by_change


def sampson_residual(F: Array, points: Array) -> Array:
    """Return the signed Sampson residuals (1, N)."""
    ones = np.ones(points.shape[1])
    x1, x2 = np.vstack([points[:2], ones]), np.vstack([points[2:], ones])
    line2, line1 = F @ x1, F.T @ x2
    sq_gradient = (line2[:2] ** 2).sum(axis=0) + (line1[:2] ** 2).sum(axis=0)
    residuals: Array = (x2 * line2).sum(axis=0) / np.sqrt(sq_gradient)
    return residuals[None]


def pose_of_fit(fit: Fit) -> Array:
    """Return the pose (3, 4) of an essential matrix that has its points in front."""
    rays = normalise(np.ascontiguousarray(fit.points), *fit.cameras)
    pose: Array = choose_pose(fit.model, rays, np.ones(rays.shape[1], dtype=np.bool_))[
        0
    ]
    return pose


def tangent_of(t: Array) -> Array:
    """Return the two directions (2, 3) in which a unit vector t moves.

    The first is orthogonal to the axis that t is least parallel to.
    """
    axis = np.eye(3)[np.argmin(np.abs(t))]
    first = np.cross(axis, t)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(t, first)])


def essential_basis(fit: Fit) -> Array:
    """Return the changes (5, 3, 3) of ``[t]x R`` by turn and direction."""
    pose = pose_of_fit(fit)
    cross = generators(3)  # [e_k]x
    R, t = pose[:, :3], pose[:, 3]
    along = np.tensordot(tangent_of(t), cross, axes=1)
    across = np.tensordot(t, cross, axes=1)
    return np.concatenate([across @ cross @ R, along @ R])


def essential_jacobian(fit: Fit, changes: Array) -> Array:
    """Derivatives (N, n) of the Sampson residuals along changes of ``[t]x R``."""
    first, second = (np.linalg.inv(K) for K in fit.cameras)
    return sampson_jacobian(_of_pixels(fit), fit.points, second.T @ changes @ first)


def essential_residuals(fit: Fit) -> Array:
    """Return the signed Sampson residuals (1, N)."""
    return sampson_residual(_of_pixels(fit), fit.points)


def _of_pixels(fit: Fit) -> Array:
    """Return F of an essential matrix that is scaled as ``[t]x R`` is."""
    first, second = (np.linalg.inv(K) for K in fit.cameras)
    model = fit.model * (np.sqrt(2.0) / np.linalg.norm(fit.model))
    F: Array = second.T @ model @ first
    return F


def essential_pose_slopes(fit: Fit) -> Array:
    """Return the derivatives (6, 5) of turn and t by turn and direction."""
    slopes = np.zeros((6, 5))
    slopes[:3, :3] = np.eye(3)
    slopes[3:, 3:] = tangent_of(pose_of_fit(fit)[:, 3]).T
    return slopes


def essential_offset(model: Array, other: Array, frame: Any) -> Array:
    """Return turn and direction (5,) from one pose ``[R | t]`` (3, 4) to another."""
    turn = rotation_vector(other[:, :3] @ model[:, :3].T)
    return np.concatenate([turn, direction_offset(model[:, 3], other[:, 3])])


def direction_offset(t: Array, other: Array) -> Array:
    """Return the way (2,) on the sphere from one direction to another, radians."""
    unit = other / np.abs(other).max()  # of any length, NaN of none
    unit /= np.linalg.norm(unit)
    across = tangent_of(t) @ unit
    sine = np.linalg.norm(across)
    angle = np.arctan2(sine, t @ unit)
    return across * (angle / sine if sine > 0.0 else 1.0)


def frames_of(F: Array) -> tuple[Array, Array, Array]:
    """Return frames U and V of a fundamental matrix as rows, and A (2, 2).

    They depend on the epipoles alone, so that a matrix of another scale has the same.
    """
    U, _, Vt = np.linalg.svd(F)
    left, right = (_frame_about(epipole) for epipole in (U[:, 2], Vt[2]))
    return left, right, (left @ F @ right.T)[:2, :2]


def _frame_about(epipole: Array) -> Array:
    """Return an orthonormal frame as rows (3, 3) that ends in a direction."""
    up = epipole * np.sign(epipole[np.argmax(np.abs(epipole))])
    return np.vstack([tangent_of(up), up])


def _orthogonal_to(A: Array) -> Array:
    """Return three matrices (3, 2, 2) orthogonal to A and each other, of its norm."""
    a, b, c, d = A.ravel()
    return np.array([[[-b, a], [-d, c]], [[-c, d], [a, -b]], [[-d, -c], [b, a]]])


def fundamental_basis(fit: Fit) -> Array:
    """Return the changes (7, 3, 3) by both epipoles and the map of their lines."""
    left, right, A = frames_of(fit.model)
    inner = np.zeros((7, 3, 3))
    inner[:2, :2, 2] = -A.T  # rows: A times each unit vector
    inner[2:4, 2, :2] = -A
    inner[4:, :2, :2] = _orthogonal_to(A)
    changes: Array = left.T @ inner @ right
    return changes


def fundamental_jacobian(fit: Fit, changes: Array) -> Array:
    """Derivatives (N, n) of the Sampson residuals along changes of F."""
    return sampson_jacobian(fit.model, fit.points, changes)


def fundamental_residuals(fit: Fit) -> Array:
    """Return the signed Sampson residuals (1, N)."""
    return sampson_residual(fit.model, fit.points)


def fundamental_offset(model: Array, other: Array, frame: Frame) -> Array:
    """Return the coordinates (7,) of another matrix, both inside of the frame."""
    inside, moved = (_inside(F, frame) for F in (model, other))
    left, right, A = frames_of(inside)
    inner = left @ moved @ right.T
    # Of the scale at which the difference has no part along A.
    inner *= (A**2).sum() / (A * inner[:2, :2]).sum()
    block = inner[:2, :2]
    inverse = np.array([[block[1, 1], -block[0, 1]], [-block[1, 0], block[0, 0]]])
    inverse /= block[0, 0] * block[1, 1] - block[0, 1] * block[1, 0]
    first, second = -inverse @ inner[:2, 2], -inverse.T @ inner[2, :2]
    along = (_orthogonal_to(A) * (block - A)).sum(axis=(1, 2)) / (A**2).sum()
    return np.concatenate([first, second, along])


def _inside(F: Array, frame: Frame) -> Array:
    """Return a fundamental matrix of points as that of points inside of the frame."""
    into = np.stack([np.eye(3)] * 2) * frame.unit
    into[:, 2, 2] = 1.0
    into[0, :2, 2], into[1, :2, 2] = frame.shift[:2], frame.shift[2:]
    inside: Array = into[1].T @ F @ into[0]
    return inside / np.linalg.norm(inside)


ESSENTIAL_PARAMETERS = Parametrisation(
    (*names_of_turn(3), "direction_1", "direction_2"),
    essential_basis,
    essential_jacobian,
    essential_residuals,
    essential_offset,
    pose_slopes=essential_pose_slopes,
)
FUNDAMENTAL_PARAMETERS = Parametrisation(
    (
        *(f"epipole{image}_{axis}" for image in "12" for axis in "12"),
        *(f"lines_{k}" for k in "123"),
    ),
    fundamental_basis,
    fundamental_jacobian,
    fundamental_residuals,
    fundamental_offset,
)
