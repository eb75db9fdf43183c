"""Levenberg-Marquardt on the weighted Sampson error of a fundamental matrix.

Coordinates on the manifold of rank two.  Let e1 and e2 be the epipoles, and U, V
orthonormal frames whose last vectors are e2 and e1.  A matrix of rank two is then

    F = U' [A 0; 0 0] V          (frames as rows, A 2x2 and regular)

and its neighbours of rank two are, exactly,

    U' [A + dA, b; c', c' (A + dA)^-1 b] V .

The corner is of second order, so that dA, b and c are coordinates of the tangent space:
eight, of which the direction ``dA = A`` only scales F.  Unlike a parametrisation by the
singular value decomposition this one stays regular where the two singular values are
equal, as they are for calibrated cameras.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.models.refiners.direct_linear import fundamental_8pt
from cvscore.models.sampson import sampson_normal_matrix
from cvscore.numerics.least_squares import (
    DAMPING_FACTOR,
    INITIAL_DAMPING,
    MAX_DAMPING,
    MAX_REFIT_STEPS,
    REFIT_CONVERGED,
    ROUNDING,
    damped_step,
    drop_unweighted,
)
from cvscore.numerics.matrix3 import epipoles, scale_to_unit_norm
from cvscore.types import Array

MIN_POINTS_FUNDAMENTAL = 7

NUM_COORDINATES = 8


def refit_fundamental(model: Array, points: Array, weights: Array) -> Array:
    """Minimise the weighted sum of squared Sampson residuals, starting at ``model``.

    Parameters
    ----------
    model : (3, 3) array
        Of rank two; where it is not (all zero, say, or NaN) the eight-point method
        gives the start.
    points : (4, N) array
        Rows ``x1, y1, x2, y2``, of order one.
    weights : (N,) array
        Not negative.

    Returns
    -------
    (3, 3) array
        Of rank two and unit norm; ``model`` itself if it cannot be improved.
    """
    points, weights = drop_unweighted(points, weights)
    if len(weights) < MIN_POINTS_FUNDAMENTAL:
        return model
    refined, cost = _minimise(model, points, weights, REFIT_CONVERGED)
    if np.isfinite(cost):
        return refined
    if len(weights) <= MIN_POINTS_FUNDAMENTAL:
        return model
    start = fundamental_8pt(points, weights)
    refined, cost = _minimise(start, points, weights, REFIT_CONVERGED)
    return refined if np.isfinite(cost) else model


@kernel
def refit_from_rank_two(model, points, weights, converged, _):
    """As `refit_fundamental`, without a second start for a model of lower rank.

    It ends at a step that promises less than ``converged`` of the cost.
    """
    points, weights = drop_unweighted(points, weights)
    if weights.shape[0] < MIN_POINTS_FUNDAMENTAL:
        return model
    refined, cost = _minimise(model, points, weights, converged)
    return refined if cost < np.inf else model


@kernel
def _minimise(start, points, weights, converged):
    """Levenberg-Marquardt from ``start``: the model, and its cost."""
    model = start.copy()
    scale_to_unit_norm(model)
    ambient = sampson_normal_matrix(model, points, weights)
    floor = ROUNDING * weights.sum()
    damping = INITIAL_DAMPING
    left, right = np.empty((3, 3)), np.empty((3, 3))
    gauge = np.zeros(NUM_COORDINATES)
    step = np.empty(NUM_COORDINATES)
    for _ in range(MAX_REFIT_STEPS):
        cost = ambient[9, 9]
        if not (cost < np.inf and damping < MAX_DAMPING):
            break
        if not write_frames(model, left, right):
            return model, np.inf
        normal = contract_to_tangent(ambient, left, right)
        _write_regular_block(model, left, right, gauge)
        promise = damped_step(normal, gauge, damping, step)
        if promise <= converged * cost + floor:
            break
        trial = retract(gauge, step, left, right)
        trial_ambient = sampson_normal_matrix(trial, points, weights)
        if trial_ambient[9, 9] < cost:
            model, ambient = trial, trial_ambient
            damping /= DAMPING_FACTOR
        else:
            damping *= DAMPING_FACTOR
    return model, ambient[9, 9]


@kernel
def write_frames(model, left, right):
    """Write the frames U and V, vectors as rows; False for a matrix of rank one."""
    if not epipoles(model, np.empty((3, 3)), right[2], left[2]) > 0.0:
        return False
    _complete_frame(left)
    _complete_frame(right)
    return True


@kernel
def _complete_frame(frame):
    """Write two unit vectors orthogonal to each other and to the third, given."""
    x, y, z = frame[2, 0], frame[2, 1], frame[2, 2]
    # Two of the coordinates, turned by 90 degrees: of the pairs (x, y) and (y, z) the
    # longer one, which for a unit vector is at least 0.7 long.
    if abs(x) > abs(z):
        frame[0, 0], frame[0, 1], frame[0, 2] = -y, x, 0.0
    else:
        frame[0, 0], frame[0, 1], frame[0, 2] = 0.0, -z, y
    norm = np.sqrt(y * y + max(x * x, z * z))
    for k in range(3):
        frame[0, k] /= norm
    frame[1, 0] = y * frame[0, 2] - z * frame[0, 1]
    frame[1, 1] = z * frame[0, 0] - x * frame[0, 2]
    frame[1, 2] = x * frame[0, 1] - y * frame[0, 0]


@kernel
def _write_regular_block(model, left, right, coordinates):
    """Write the block A of ``model``, of unit norm, to the first four coordinates."""
    sq_norm = 0.0
    for i in range(2):
        for j in range(2):
            entry = 0.0
            for k in range(3):
                for m in range(3):
                    entry += left[i, k] * model[k, m] * right[j, m]
            coordinates[2 * i + j] = entry
            sq_norm += entry * entry
    for k in range(4):
        coordinates[k] /= np.sqrt(sq_norm)


@kernel
def contract_to_tangent(ambient, left, right):
    """Change a normal matrix in the entries of F to one in ``(dA, b, c)``.

    Parameters
    ----------
    ambient : (10, 10) array
        From `sampson_normal_matrix`.
    left, right : (3, 3) arrays
        Frames.

    Returns
    -------
    (9, 9) array
        Coordinates ``dA`` row by row, b, c; gradient and cost as last column.
    """
    tangents = np.zeros((NUM_COORDINATES + 1, 10))
    for i in range(3):
        for j in range(3):
            entry = 3 * i + j
            for a in range(2):
                for b in range(2):
                    tangents[2 * a + b, entry] = left[a, i] * right[b, j]
                tangents[4 + a, entry] = left[a, i] * right[2, j]
                tangents[6 + a, entry] = left[2, i] * right[a, j]
    tangents[NUM_COORDINATES, 9] = 1.0
    half = np.zeros((NUM_COORDINATES + 1, 10))
    for i in range(NUM_COORDINATES + 1):
        for k in range(10):
            for j in range(10):
                half[i, j] += tangents[i, k] * ambient[k, j]
    normal = np.zeros((NUM_COORDINATES + 1, NUM_COORDINATES + 1))
    for i in range(NUM_COORDINATES + 1):
        for j in range(NUM_COORDINATES + 1):
            for k in range(10):
                normal[i, j] += half[i, k] * tangents[j, k]
    return normal


@kernel
def retract(coordinates, step, left, right):
    """Return the matrix of rank two and unit norm at ``coordinates + step``, (8,)."""
    inner = np.empty((3, 3))
    for i in range(2):
        for j in range(2):
            inner[i, j] = coordinates[2 * i + j] + step[2 * i + j]
        inner[i, 2] = coordinates[4 + i] + step[4 + i]
        inner[2, i] = coordinates[6 + i] + step[6 + i]
    # c' A^-1 b by Cramer's rule; for a singular A neither it nor the cost is finite.
    inner[2, 2] = (
        inner[2, 0] * (inner[1, 1] * inner[0, 2] - inner[0, 1] * inner[1, 2])
        + inner[2, 1] * (inner[0, 0] * inner[1, 2] - inner[1, 0] * inner[0, 2])
    ) / (inner[0, 0] * inner[1, 1] - inner[0, 1] * inner[1, 0])
    model = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                for m in range(3):
                    model[k, m] += left[i, k] * inner[i, j] * right[j, m]
    scale_to_unit_norm(model)
    return model
