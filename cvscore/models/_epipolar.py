"""Sampson kernels shared by the two epipolar models.

For a matrix ``F`` with ``x2' F x1 = 0`` and a match ``(x1, x2)``, write ``l2 = F x1``
and ``l1 = F' x2`` for the epipolar lines.  The Sampson residual

    r = x2' F x1 / sqrt(l2_x^2 + l2_y^2 + l1_x^2 + l1_y^2)

is the first-order distance, in the 4-D space of matches, to the nearest match that
satisfies the constraint; it has the unit of the coordinates and does not depend on the
scale of ``F``.

A refit needs the Jacobian of ``r`` only through weighted sums of products, so one
kernel, `sampson_normal_matrix`, differentiates by the nine entries of ``F``; each model
contracts its result with the tangent space of its own manifold.
"""

from __future__ import annotations

import numpy as np

from cvscore._kernel import kernel

# Points summed side by side: the sums of a block are independent, so that the compiler
# may vectorise them without reordering any addition (two AVX2 registers of doubles).
LANES = 8

# Nine derivatives and the residual itself.
NUM_ROWS = 10


@kernel
def sampson_residuals(models, points):
    """Squared Sampson residuals; ``inf`` where a point has none, never NaN.

    Parameters
    ----------
    models : (K, 3, 3) array
        Matrices with ``x2' F x1 = 0``, of any scale.
    points : (4, N) array
        Rows ``x1, y1, x2, y2``.

    Returns
    -------
    (K, N) array
        In the squared unit of ``points``.
    """
    num_models = models.shape[0]
    num_points = points.shape[1]
    x1, y1, x2, y2 = points[0], points[1], points[2], points[3]
    sq_residuals = np.empty((num_models, num_points))
    for k in range(num_models):
        f00, f01, f02 = models[k, 0, 0], models[k, 0, 1], models[k, 0, 2]
        f10, f11, f12 = models[k, 1, 0], models[k, 1, 1], models[k, 1, 2]
        f20, f21, f22 = models[k, 2, 0], models[k, 2, 1], models[k, 2, 2]
        row = sq_residuals[k]
        for i in range(num_points):
            line2_x = f00 * x1[i] + f01 * y1[i] + f02
            line2_y = f10 * x1[i] + f11 * y1[i] + f12
            line2_w = f20 * x1[i] + f21 * y1[i] + f22
            line1_x = f00 * x2[i] + f10 * y2[i] + f20
            line1_y = f01 * x2[i] + f11 * y2[i] + f21
            algebraic = x2[i] * line2_x + y2[i] * line2_y + line2_w
            sq_gradient = (
                line2_x * line2_x
                + line2_y * line2_y
                + line1_x * line1_x
                + line1_y * line1_y
            )
            ratio = algebraic * algebraic / sq_gradient
            # Both points at the epipoles give 0/0.  NaN fails every comparison, so one
            # branch-free select turns it into inf.
            row[i] = ratio if ratio >= 0.0 else np.inf
    return sq_residuals


@kernel
def sampson_normal_matrix(model, points, weights):
    """Weighted sums of products of the Sampson residual and its derivatives.

    With ``J`` (N, 9) the derivatives of the residuals ``r`` by the entries of ``model``
    in row-major order, this is ``A = [J r]' diag(weights) [J r]``.  For a
    parametrisation of the model with tangent ``T`` (9, p), the Gauss-Newton matrix is
    ``T' A[:9, :9] T``, half the gradient of the cost is ``T' A[:9, 9]`` and the cost,
    the weighted sum of squared residuals, is ``A[9, 9]``.

    Parameters
    ----------
    model : (3, 3) array
    points : (4, N) array
    weights : (N,) array
        A point without a residual (see `sampson_residuals`) counts as weight 0.

    Returns
    -------
    (10, 10) array
        Symmetric.
    """
    num_points = points.shape[1]
    rows = np.zeros((NUM_ROWS, LANES))
    sums = np.zeros((NUM_ROWS, NUM_ROWS, LANES))
    for start in range(0, num_points, LANES):
        stop = min(start + LANES, num_points)
        _fill_weighted_rows(model, points, weights, start, stop, rows)
        for i in range(NUM_ROWS):
            for j in range(i, NUM_ROWS):
                for lane in range(LANES):
                    sums[i, j, lane] += rows[i, lane] * rows[j, lane]
    normal = np.empty((NUM_ROWS, NUM_ROWS))
    for i in range(NUM_ROWS):
        for j in range(i, NUM_ROWS):
            normal[i, j] = sums[i, j].sum()
            normal[j, i] = normal[i, j]
    return normal


@kernel
def _fill_weighted_rows(model, points, weights, start, stop, rows):
    """Write sqrt(weight) times derivatives and residual of some points to (10, LANES).

    The derivative of ``r = e / sqrt(s)`` by an entry of F is
    ``(de - r ds / (2 sqrt(s))) / sqrt(s)``, with ``de = x2_i x1_j`` and ``ds / 2`` the
    sum of ``line2_i x1_j`` (for the first two i) and ``line1_j x2_i`` (first two j).
    Lanes from ``stop - start`` on are set to zero.
    """
    for lane in range(LANES):
        if start + lane >= stop:
            rows[:, lane] = 0.0
            continue
        i = start + lane
        x1, y1, x2, y2 = points[0, i], points[1, i], points[2, i], points[3, i]
        line2_x = model[0, 0] * x1 + model[0, 1] * y1 + model[0, 2]
        line2_y = model[1, 0] * x1 + model[1, 1] * y1 + model[1, 2]
        line2_w = model[2, 0] * x1 + model[2, 1] * y1 + model[2, 2]
        line1_x = model[0, 0] * x2 + model[1, 0] * y2 + model[2, 0]
        line1_y = model[0, 1] * x2 + model[1, 1] * y2 + model[2, 1]
        algebraic = x2 * line2_x + y2 * line2_y + line2_w
        sq_gradient = line2_x**2 + line2_y**2 + line1_x**2 + line1_y**2
        if not sq_gradient > 0.0:
            rows[:, lane] = 0.0
            continue
        scale = np.sqrt(weights[i] / sq_gradient)
        ratio = algebraic / sq_gradient
        rows[0, lane] = scale * (x2 * x1 - ratio * (line2_x * x1 + line1_x * x2))
        rows[1, lane] = scale * (x2 * y1 - ratio * (line2_x * y1 + line1_y * x2))
        rows[2, lane] = scale * (x2 - ratio * line2_x)
        rows[3, lane] = scale * (y2 * x1 - ratio * (line2_y * x1 + line1_x * y2))
        rows[4, lane] = scale * (y2 * y1 - ratio * (line2_y * y1 + line1_y * y2))
        rows[5, lane] = scale * (y2 - ratio * line2_y)
        rows[6, lane] = scale * (x1 - ratio * line1_x)
        rows[7, lane] = scale * (y1 - ratio * line1_y)
        rows[8, lane] = scale
        rows[9, lane] = scale * algebraic
