"""Small and large turns of the plane and of space, by vectors in radians."""

from __future__ import annotations

import math

import numpy as np

from cvscore.types import Array

AXES_OF_SPACE = ("x", "y", "z")
# How far a matrix may be from a rotation: one that was written with six digits is one.
ROTATION_TOLERANCE = 1e-5


def generators(dim: int) -> Array:
    """Return the skew matrices of unit turns: (1, 2, 2) or (3, 3, 3)."""
    if dim == 2:
        return np.array([[[0.0, -1.0], [1.0, 0.0]]])
    skew = np.zeros((3, 3, 3))
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        skew[k, i, j], skew[k, j, i] = -1.0, 1.0
    return skew


def turn_coordinates(skew: Array) -> Array:
    """Return the vectors (m, 1) or (m, 3) of matrices (m, D, D), by their skew part."""
    basis = generators(skew.shape[-1])
    return 0.5 * np.einsum("kij,mij->mk", basis, skew)


def rotation_vector(R: Array) -> Array:
    """Return the vector (1,) or (3,) of a rotation: axis times angle.

    Raises
    ------
    ValueError
        For a matrix that is none.
    """
    away = np.abs(R @ R.T - np.eye(len(R))).max()
    if not (away < ROTATION_TOLERANCE and np.linalg.det(R) > 0.0):
        raise ValueError("model must have a rotation in its first columns")
    if len(R) == 2:
        return np.array([math.atan2(R[1, 0], R[0, 0])])
    axis = turn_coordinates(R[None])[0]  # times the sine of the angle
    sine = float(np.linalg.norm(axis))
    angle = math.atan2(sine, 0.5 * (float(np.trace(R)) - 1.0))
    if sine > 1e-6:
        return axis * (angle / sine)
    if angle < 1.0:
        return axis
    # Half a turn: R = 2 a a' - I.
    column = np.argmax(np.diag(R))
    half = R[:, column] + np.eye(3)[column]
    return math.pi * half / np.linalg.norm(half)


def names_of_turn(dim: int) -> tuple[str, ...]:
    """Return the names of the coordinates of a turn."""
    if dim == 2:
        return ("turn",)
    return tuple(f"turn_{axis}" for axis in AXES_OF_SPACE)


def names_of_shift(dim: int) -> tuple[str, ...]:
    """Return the names of the coordinates of a translation."""
    return tuple(f"t_{axis}" for axis in AXES_OF_SPACE[:dim])
