"""Maps ``x2 = A x1 + t`` of the plane and of space by what is free in them.

- affine: the entries of A row by row, then t;
- similarity: the logarithm of the scale, a turn after the rotation (radians), then t;
- rigid: the turn, then t;
- translation: t.

t is in the unit of the points, and is where the origin goes.  Inside of the frame the
origin is in the middle of the points.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from cvscore.models.parametrisations.turns import (
    ROTATION_TOLERANCE,
    generators,
    names_of_shift,
    names_of_turn,
    rotation_vector,
    turn_coordinates,
)
from cvscore.types import Array
from cvscore.types.parametrisation import Fit, Parametrisation


def jacobian(fit: Fit, changes: Array) -> Array:
    """Derivatives (D N, n) of the whitened residuals, the whitening being constant."""
    first = np.vstack([fit.points[: len(fit.model)], np.ones(fit.points.shape[1])])
    moved = np.tensordot(_whitening(fit) @ changes, first, axes=1)  # (n, D, N)
    return moved.reshape(len(changes), -1).T


def residuals(fit: Fit) -> Array:
    """Return the whitened residuals (D, N)."""
    dim = len(fit.model)
    mapped = fit.model[:, :dim] @ fit.points[:dim] + fit.model[:, dim:]
    whitened: Array = _whitening(fit) @ (mapped - fit.points[dim:])
    return whitened


def _whitening(fit: Fit) -> Array:
    """Return what noise of one in both sets makes of one in each residual, (D, D)."""
    dim = len(fit.model)
    A = fit.model[:, :dim]
    # The factor of I + A A', without the product: there a large A would leave no I.
    _, root = np.linalg.qr(np.vstack([np.eye(dim), A.T]))
    inverse: Array = np.linalg.inv(root.T * np.sign(np.diagonal(root)))
    return inverse


def predict(model: Array, points: Array) -> tuple[Array, Array]:
    """Return mapped points (D, M), and their derivatives (D, M, D, D + 1)."""
    dim = len(model)
    first = np.vstack([points, np.ones(points.shape[1])])
    slopes = np.zeros((dim, points.shape[1], dim, dim + 1))
    for k in range(dim):
        slopes[k, :, k] = first.T
    return model @ first, slopes


def _with_shifts(linear: Array, dim: int) -> Array:
    """Changes (n, D, D) of A, then those of t, as (n + D, D, D + 1)."""
    changes = np.zeros((len(linear) + dim, dim, dim + 1))
    changes[: len(linear), :, :dim] = linear
    changes[len(linear) :, :, dim] = np.eye(dim)
    return changes


def affine_basis(fit: Fit) -> Array:
    """Return the changes by the entries of A, and by t."""
    dim = len(fit.model)
    return _with_shifts(np.eye(dim * dim).reshape(-1, dim, dim), dim)


def affine_coordinates(model: Array, changes: Array) -> Array:
    """Return the entries of A and t of changes (m, D, D + 1)."""
    dim = len(model)
    return np.hstack([changes[:, :, :dim].reshape(-1, dim * dim), changes[:, :, dim]])


def affine_offset(model: Array, other: Array, frame: Any) -> Array:
    """Return the differences of A and t."""
    return affine_coordinates(model, (other - model)[None])[0]


def similarity_basis(fit: Fit) -> Array:
    """Return the changes by log scale, turn and t."""
    dim = len(fit.model)
    A = fit.model[:, :dim]
    return _with_shifts(np.concatenate([A[None], generators(dim) @ A]), dim)


def similarity_coordinates(model: Array, changes: Array) -> Array:
    """Return log scale, turn and t of changes (m, D, D + 1)."""
    dim = len(model)
    relative = changes[:, :, :dim] @ np.linalg.inv(model[:, :dim])
    scale = np.trace(relative, axis1=1, axis2=2)[:, None] / dim
    return np.hstack([scale, turn_coordinates(relative), changes[:, :, dim]])


def similarity_offset(model: Array, other: Array, frame: Any) -> Array:
    """Return log scale, turn and translation from one map to another."""
    dim = len(model)
    scales = [np.linalg.norm(one[:, :dim]) for one in (model, other)]
    first, second = (
        one[:, :dim] * (math.sqrt(dim) / scale)
        for one, scale in zip((model, other), scales, strict=True)
    )
    turn = rotation_vector(second @ first.T)
    growth = np.log(scales[1]) - np.log(scales[0])
    return np.concatenate([[growth], turn, (other - model)[:, dim]])


def rigid_basis(fit: Fit) -> Array:
    """Return the changes by turn and t."""
    return similarity_basis(fit)[1:]


def rigid_coordinates(model: Array, changes: Array) -> Array:
    """Return turn and t of changes (m, D, D + 1)."""
    return similarity_coordinates(model, changes)[:, 1:]


def rigid_offset(model: Array, other: Array, frame: Any) -> Array:
    """Return turn and translation from one motion to another."""
    growth, *offset = similarity_offset(model, other, frame)
    return np.where(abs(growth) < ROTATION_TOLERANCE, offset, np.inf)


def translation_basis(fit: Fit) -> Array:
    """Return the changes by t."""
    dim = len(fit.model)
    return _with_shifts(np.empty((0, dim, dim)), dim)


def translation_coordinates(model: Array, changes: Array) -> Array:
    """Return t of changes (m, D, D + 1)."""
    return changes[:, :, len(model)]


def translation_offset(model: Array, other: Array, frame: Any) -> Array:
    """Return the difference of the translations."""
    dim = len(model)
    turned = np.abs(other[:, :dim] - np.eye(dim)).max()
    return np.where(turned < ROTATION_TOLERANCE, (other - model)[:, dim], np.inf)


_map = partial(Parametrisation, jacobian=jacobian, residuals=residuals, predict=predict)


def _names_of_matrix(dim: int) -> tuple[str, ...]:
    return tuple(f"a{i + 1}{j + 1}" for i in range(dim) for j in range(dim))


AFFINE = {
    dim: _map(
        names=_names_of_matrix(dim) + names_of_shift(dim),
        basis=affine_basis,
        coordinates=affine_coordinates,
        offset=affine_offset,
    )
    for dim in (2, 3)
}
SIMILARITY = {
    dim: _map(
        names=("log_scale", *names_of_turn(dim), *names_of_shift(dim)),
        basis=similarity_basis,
        coordinates=similarity_coordinates,
        offset=similarity_offset,
    )
    for dim in (2, 3)
}
RIGID = {
    dim: _map(
        names=names_of_turn(dim) + names_of_shift(dim),
        basis=rigid_basis,
        coordinates=rigid_coordinates,
        offset=rigid_offset,
    )
    for dim in (2, 3)
}
TRANSLATION = {
    dim: _map(
        names=names_of_shift(dim),
        basis=translation_basis,
        coordinates=translation_coordinates,
        offset=translation_offset,
    )
    for dim in (2, 3)
}
