"""Poses ``[R | t]`` by a turn after R, in radians, and t, in the unit of the scene.

``R`` becomes ``exp([w]x) R``, and t is added to; inside of the frame the origin is in
the middle of the points, so that the two are hardly correlated there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cvscore.models.parametrisations.turns import (
    generators,
    names_of_shift,
    names_of_turn,
    rotation_vector,
    turn_coordinates,
)
from cvscore.types import Array
from cvscore.types.parametrisation import Fit, Parametrisation


def basis(fit: Fit) -> Array:
    """Return the changes (6, 3, 4) by turn and translation."""
    changes = np.zeros((6, 3, 4))
    changes[:3, :, :3] = generators(3) @ fit.model[:, :3]
    changes[3:, :, 3] = np.eye(3)
    return changes


def jacobian(fit: Fit, changes: Array) -> Array:
    """Derivatives (2 N, n) of the reprojection errors."""
    K, scene = fit.cameras[0], np.vstack([fit.points[2:], np.ones(fit.points.shape[1])])
    seen = (K @ fit.model) @ scene  # (3, N)
    place = seen[:2] / seen[2]
    moved = np.tensordot(K @ changes, scene, axes=1)  # (n, 3, N)
    slopes = (moved[:, :2] - place * moved[:, 2:]) / seen[2]
    return slopes.reshape(len(changes), -1).T


def residuals(fit: Fit) -> Array:
    """Return the reprojection errors (2, N)."""
    K, scene = fit.cameras[0], np.vstack([fit.points[2:], np.ones(fit.points.shape[1])])
    seen = (K @ fit.model) @ scene
    errors: Array = seen[:2] / seen[2] - fit.points[:2]
    return errors


def coordinates(model: Array, changes: Array) -> Array:
    """Return turn and translation (m, 6) of changes (m, 3, 4) of a pose."""
    turns = turn_coordinates(changes[:, :, :3] @ model[:, :3].T)
    return np.hstack([turns, changes[:, :, 3]])


def offset(model: Array, other: Array, frame: Any) -> Array:
    """Return turn and translation (6,) from one pose to another."""
    turn = rotation_vector(other[:, :3] @ model[:, :3].T)
    return np.concatenate([turn, other[:, 3] - model[:, 3]])


def pose_slopes(fit: Fit) -> Array:
    """Return the derivatives (6, 6) of turn and t by themselves."""
    return np.eye(6)


ABSOLUTE_POSE_PARAMETERS = Parametrisation(
    names_of_turn(3) + names_of_shift(3),
    basis,
    jacobian,
    residuals,
    offset,
    coordinates=coordinates,
    pose_slopes=pose_slopes,
)
