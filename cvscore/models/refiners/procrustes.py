"""Least squares of rigid motions and similarities, in closed form.

The cost is ``sum_i weight_i |x2 - s R x1 - t|^2 / (1 + s^2)``, see
`cvscore.models.point_map`: noise is in both sets.  For every s and R the best t joins
the weighted centres.  With centred points, ``p = sum weight x2 . R x1`` and the spreads
``v1, v2 = sum weight |x|^2`` of the two sets, what is left is

    (v2 - 2 s p + s^2 v1) / (1 + s^2).

So R maximises p whatever s > 0 is: the Procrustes problem (Kabsch, 1976; Horn, 1987).
The derivative by s vanishes where ``p s^2 + (v1 - v2) s - p = 0``, whose positive root
is the scale.  Unlike that of Umeyama (1991), who puts all noise into the second set, it
becomes its inverse when the sets change places.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.models.refiners.moments import weighted_moments
from cvscore.numerics.rotation import closest_rotation

# Which entry of a model's constants says whether the scale is free.
FREE_SCALE = 0


@kernel
def refit_procrustes(model, points, weights, _, constants):
    """Fit ``[s R | t]``; ``model`` itself where the points fix none.

    Parameters
    ----------
    model : (D, D + 1) array
        Rigid motion or similarity, D = 2 or 3.
    points : (2 D, N) array
    weights : (N,) array
        Not negative.
    constants : (1,) array
        1 where the scale is free, 0 where it is one.
    """
    dim = model.shape[0]
    centre, scatter = np.empty(2 * dim), np.empty((2 * dim, 2 * dim))
    if weighted_moments(points, weights, centre, scatter) < dim:
        return model
    products = scatter[:dim, dim:].copy()
    if dim == 2:
        turn, agreement = _closest_turn(products)
    else:
        turn, agreement = closest_rotation(products)
    if not agreement > 0.0:
        return model
    scale = 1.0
    if constants[FREE_SCALE] > 0.0:
        spread1, spread2 = 0.0, 0.0
        for i in range(dim):
            spread1 += scatter[i, i]
            spread2 += scatter[dim + i, dim + i]
        scale = symmetric_scale(agreement, spread1, spread2)
    refined = np.empty(model.shape)
    write_map(turn, scale, centre, refined)
    return refined


@kernel
def symmetric_scale(agreement, spread1, spread2):
    """Return the positive root s of ``p s^2 + (v1 - v2) s - p = 0``, for p > 0."""
    growth = spread2 - spread1
    root = math.sqrt(growth * growth + 4.0 * agreement * agreement)
    # Of the two forms of a root the one in which nothing cancels.
    if growth > 0.0:
        return (growth + root) / (2.0 * agreement)
    return 2.0 * agreement / (root - growth)


@kernel
def write_map(turn, scale, centre, model):
    """Write ``[s R | t]`` with the t that takes the first centre to the second."""
    dim = turn.shape[0]
    for i in range(dim):
        shift = centre[dim + i]
        for j in range(dim):
            model[i, j] = scale * turn[i, j]
            shift -= model[i, j] * centre[j]
        model[i, dim] = shift


@kernel
def _closest_turn(products):
    """Rotation (2, 2) of the plane that maximises p, and p; see `closest_rotation`."""
    cosine = products[0, 0] + products[1, 1]
    sine = products[0, 1] - products[1, 0]
    agreement = math.hypot(cosine, sine)
    turn = np.empty((2, 2))
    turn[0, 0] = turn[1, 1] = cosine / agreement
    turn[1, 0] = sine / agreement
    turn[0, 1] = -turn[1, 0]
    return turn, agreement
