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

from cvscore._numba.compile import kernel, reordering_kernel


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
def residuals_kernel(models, points, _):
    """`sampson_residuals` in the form of `ModelKernels`."""
    return sampson_residuals(models, points)


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
    return _sum_over_points(model, points, weights)


@reordering_kernel
def _sum_over_points(model, points, weights):
    """Return `sampson_normal_matrix`.

    The derivative of ``r = e / sqrt(s)`` by an entry of F is
    ``(de - e ds / (2 s)) / sqrt(s)``, with ``de = x2_i x1_j`` and ``ds / 2`` the sum of
    ``line2_i x1_j`` (for the first two i) and ``line1_j x2_i`` (for the first two j).

    One loop with a scalar for each sum: without stores and branches in its body it
    compiles to vector instructions throughout.
    """
    f00, f01, f02 = model[0, 0], model[0, 1], model[0, 2]
    f10, f11, f12 = model[1, 0], model[1, 1], model[1, 2]
    f20, f21, f22 = model[2, 0], model[2, 1], model[2, 2]
    x1, y1, x2, y2 = points[0], points[1], points[2], points[3]
    s00 = s01 = s02 = s03 = s04 = s05 = s06 = s07 = s08 = s0r = 0.0
    s11 = s12 = s13 = s14 = s15 = s16 = s17 = s18 = s1r = 0.0
    s22 = s23 = s24 = s25 = s26 = s27 = s28 = s2r = 0.0
    s33 = s34 = s35 = s36 = s37 = s38 = s3r = 0.0
    s44 = s45 = s46 = s47 = s48 = s4r = 0.0
    s55 = s56 = s57 = s58 = s5r = 0.0
    s66 = s67 = s68 = s6r = 0.0
    s77 = s78 = s7r = 0.0
    s88 = s8r = 0.0
    cost = 0.0
    for i in range(weights.shape[0]):
        x, y, u, v = x1[i], y1[i], x2[i], y2[i]
        line2_x = f00 * x + f01 * y + f02
        line2_y = f10 * x + f11 * y + f12
        line1_x = f00 * u + f10 * v + f20
        line1_y = f01 * u + f11 * v + f21
        algebraic = u * line2_x + v * line2_y + (f20 * x + f21 * y + f22)
        sq_gradient = (
            line2_x * line2_x
            + line2_y * line2_y
            + line1_x * line1_x
            + line1_y * line1_y
        )
        inverse = 1.0 / sq_gradient if sq_gradient > 0.0 else 0.0
        scale = np.sqrt(weights[i] * inverse)
        ratio = algebraic * inverse
        g0 = scale * (u * x - ratio * (line2_x * x + line1_x * u))
        g1 = scale * (u * y - ratio * (line2_x * y + line1_y * u))
        g2 = scale * (u - ratio * line2_x)
        g3 = scale * (v * x - ratio * (line2_y * x + line1_x * v))
        g4 = scale * (v * y - ratio * (line2_y * y + line1_y * v))
        g5 = scale * (v - ratio * line2_y)
        g6 = scale * (x - ratio * line1_x)
        g7 = scale * (y - ratio * line1_y)
        g8 = scale
        r = scale * algebraic
        s00, s01, s02 = s00 + g0 * g0, s01 + g0 * g1, s02 + g0 * g2
        s03, s04, s05 = s03 + g0 * g3, s04 + g0 * g4, s05 + g0 * g5
        s06, s07, s08 = s06 + g0 * g6, s07 + g0 * g7, s08 + g0 * g8
        s0r += g0 * r
        s11, s12, s13 = s11 + g1 * g1, s12 + g1 * g2, s13 + g1 * g3
        s14, s15, s16 = s14 + g1 * g4, s15 + g1 * g5, s16 + g1 * g6
        s17, s18, s1r = s17 + g1 * g7, s18 + g1 * g8, s1r + g1 * r
        s22, s23, s24 = s22 + g2 * g2, s23 + g2 * g3, s24 + g2 * g4
        s25, s26, s27 = s25 + g2 * g5, s26 + g2 * g6, s27 + g2 * g7
        s28, s2r = s28 + g2 * g8, s2r + g2 * r
        s33, s34, s35 = s33 + g3 * g3, s34 + g3 * g4, s35 + g3 * g5
        s36, s37, s38 = s36 + g3 * g6, s37 + g3 * g7, s38 + g3 * g8
        s3r += g3 * r
        s44, s45, s46 = s44 + g4 * g4, s45 + g4 * g5, s46 + g4 * g6
        s47, s48, s4r = s47 + g4 * g7, s48 + g4 * g8, s4r + g4 * r
        s55, s56, s57 = s55 + g5 * g5, s56 + g5 * g6, s57 + g5 * g7
        s58, s5r = s58 + g5 * g8, s5r + g5 * r
        s66, s67, s68 = s66 + g6 * g6, s67 + g6 * g7, s68 + g6 * g8
        s6r += g6 * r
        s77, s78, s7r = s77 + g7 * g7, s78 + g7 * g8, s7r + g7 * r
        s88, s8r = s88 + g8 * g8, s8r + g8 * r
        cost += r * r
    return np.array(
        (
            (s00, s01, s02, s03, s04, s05, s06, s07, s08, s0r),
            (s01, s11, s12, s13, s14, s15, s16, s17, s18, s1r),
            (s02, s12, s22, s23, s24, s25, s26, s27, s28, s2r),
            (s03, s13, s23, s33, s34, s35, s36, s37, s38, s3r),
            (s04, s14, s24, s34, s44, s45, s46, s47, s48, s4r),
            (s05, s15, s25, s35, s45, s55, s56, s57, s58, s5r),
            (s06, s16, s26, s36, s46, s56, s66, s67, s68, s6r),
            (s07, s17, s27, s37, s47, s57, s67, s77, s78, s7r),
            (s08, s18, s28, s38, s48, s58, s68, s78, s88, s8r),
            (s0r, s1r, s2r, s3r, s4r, s5r, s6r, s7r, s8r, cost),
        )
    )
