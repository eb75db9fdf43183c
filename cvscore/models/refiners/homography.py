"""Levenberg-Marquardt on the weighted Sampson error of a homography.

The cost is ``sum_i weight_i q_i`` with ``q = g' M^-1 g``, ``M = J J'`` (see
`cvscore.models.homography`), over matrices of unit norm.

Its exact gradient.  M depends on H too, and freezing it would move the minimum.  With
``lam = M^-1 g`` and the Sampson correction ``d = J' lam``, the product rule gives

    dq / 2 = lam' dg - lam' dJ J' lam = lam' (dg - dJ d)

where ``dg`` and ``dJ`` are the changes with H at a fixed match.  So with the 2x9 matrix
G that takes a change of H to ``dg - dJ d``, the gradient is exactly twice the sum of
``weight G' lam``, and ``A = sum weight G' M^-1 G`` approximates half the Hessian as in
any Gauss-Newton method: a step that vanishes does so at a stationary point of the cost.

Gauge.  q does not change with the scale of H, and ``G H = g - J d = 0`` holds exactly:
the direction of H is a null vector of A and orthogonal to the gradient.

Entries of G.  With ``X = (x - d0, y - d1, 1)``, the first constraint ``u w - p`` has
derivative ``-X`` by the first row of H, 0 by the second, and by the third

    s = (u - d2) (x, y, 1) - u (d0, d1, 0);

the second constraint has 0, ``-X`` and the same ``t`` with ``v, d3`` for ``u, d2``.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel, reordering_kernel
from cvscore.models.refiners.direct_linear import homography_dlt
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
from cvscore.numerics.matrix3 import scale_to_unit_norm
from cvscore.types import Array

MIN_POINTS_HOMOGRAPHY = 4


def refit_homography(model: Array, points: Array, weights: Array) -> Array:
    """Minimise the weighted sum of squared Sampson residuals, starting at ``model``.

    Parameters
    ----------
    model : (3, 3) array
        Oriented: ``w > 0`` on the visible side.  Where a point of positive weight is
        not visible the cost is infinite, and the direct linear transform is the start.
    points : (4, N) array
        Rows ``x1, y1, x2, y2``, of order one.
    weights : (N,) array
        Not negative.

    Returns
    -------
    (3, 3) array
        Oriented, of unit norm; ``model`` itself if it cannot be improved.
    """
    points, weights = drop_unweighted(points, weights)
    if len(weights) < MIN_POINTS_HOMOGRAPHY:
        return model
    refined, cost = _minimise(model, points, weights, REFIT_CONVERGED)
    if np.isfinite(cost):
        return refined
    start = homography_dlt(points, weights)
    refined, cost = _minimise(start, points, weights, REFIT_CONVERGED)
    return refined if np.isfinite(cost) else model


@kernel
def refit_from_visible(model, points, weights, converged, _):
    """As `refit_homography`, for weights that are zero wherever ``w <= 0``.

    So they are where they come from the residuals of ``model`` itself.  It ends at a
    step that promises less than ``converged`` of the cost.
    """
    points, weights = drop_unweighted(points, weights)
    if weights.shape[0] < MIN_POINTS_HOMOGRAPHY:
        return model
    refined, cost = _minimise(model, points, weights, converged)
    return refined if cost < np.inf else model


@kernel
def _minimise(start, points, weights, converged):
    """Levenberg-Marquardt from ``start``: the model, and its cost."""
    model = start.copy()
    scale_to_unit_norm(model)
    normal = homography_normal_matrix(model, points, weights)
    floor = ROUNDING * weights.sum()
    damping = INITIAL_DAMPING
    gauge, step = np.empty(9), np.empty(9)
    for _ in range(MAX_REFIT_STEPS):
        cost = normal[9, 9]
        if not (cost < np.inf and damping < MAX_DAMPING):
            break
        for k in range(9):
            gauge[k] = model[k // 3, k % 3]
        promise = damped_step(normal, gauge, damping, step)
        if promise <= converged * cost + floor:
            break
        trial = np.empty((3, 3))
        for k in range(9):
            trial[k // 3, k % 3] = gauge[k] + step[k]
        scale_to_unit_norm(trial)
        trial_normal = homography_normal_matrix(trial, points, weights)
        if trial_normal[9, 9] < cost:
            model, normal = trial, trial_normal
            damping /= DAMPING_FACTOR
        else:
            damping *= DAMPING_FACTOR
    return model, normal[9, 9]


@kernel
def homography_normal_matrix(model, points, weights):
    """Gauss-Newton matrix, gradient and cost in the nine entries of H, row by row.

    Parameters
    ----------
    model : (3, 3) array
    points : (4, N) array
    weights : (N,) array

    Returns
    -------
    (10, 10) array
        Symmetric: A as in the module's docstring, half the gradient as last column,
        and the cost in the corner, ``inf`` if a point has ``w <= 0``.
    """
    normal = np.zeros((10, 10))
    _sum_over_points(model, points, weights, normal)
    for i in range(10):
        for j in range(i):
            normal[i, j] = normal[j, i]
    return normal


@reordering_kernel
def _sum_over_points(model, points, weights, normal):
    """Write the upper triangle of `homography_normal_matrix`.

    One loop with a scalar for each sum: its body has no stores and no branches, so that
    it compiles to vector instructions throughout.  Sums are named by their factors:
    ``k`` (weighted entries of M^-1), ``x, y`` (of X), ``c = k00 s + k01 t``,
    ``e = k01 s + k11 t``, ``l`` (weighted lam).
    """
    h00, h01, h02 = model[0, 0], model[0, 1], model[0, 2]
    h10, h11, h12 = model[1, 0], model[1, 1], model[1, 2]
    h20, h21, h22 = model[2, 0], model[2, 1], model[2, 2]
    x1, y1, x2, y2 = points[0], points[1], points[2], points[3]
    k00xx = k00xy = k00yy = k00x = k00y = k00_ = 0.0
    k01xx = k01xy = k01yy = k01x = k01y = k01_ = 0.0
    k11xx = k11xy = k11yy = k11x = k11y = k11_ = 0.0
    c0x = c0y = c0_ = c1x = c1y = c1_ = c2x = c2y = c2_ = 0.0
    e0x = e0y = e0_ = e1x = e1y = e1_ = e2x = e2y = e2_ = 0.0
    a66 = a67 = a68 = a77 = a78 = a88 = 0.0
    l0x = l0y = l0_ = l1x = l1y = l1_ = 0.0
    ls0 = ls1 = ls2 = cost = 0.0
    for i in range(weights.shape[0]):
        x, y, u, v, weight = x1[i], y1[i], x2[i], y2[i], weights[i]
        w = h20 * x + h21 * y + h22
        g0 = u * w - (h00 * x + h01 * y + h02)
        g1 = v * w - (h10 * x + h11 * y + h12)
        a0, a1 = u * h20 - h00, u * h21 - h01
        b0, b1 = v * h20 - h10, v * h21 - h11
        m00 = w * w + a0 * a0 + a1 * a1
        m01 = a0 * b0 + a1 * b1
        m11 = w * w + b0 * b0 + b1 * b1
        minor = a0 * b1 - a1 * b0
        inv_det = 1.0 / (w * w * (m00 + b0 * b0 + b1 * b1) + minor * minor)
        lam0 = (m11 * g0 - m01 * g1) * inv_det
        lam1 = (m00 * g1 - m01 * g0) * inv_det
        d0, d1 = a0 * lam0 + b0 * lam1, a1 * lam0 + b1 * lam1
        d2, d3 = w * lam0, w * lam1

        x_hat, y_hat = x - d0, y - d1
        s0, s1, s2 = (u - d2) * x - u * d0, (u - d2) * y - u * d1, u - d2
        t0, t1, t2 = (v - d3) * x - v * d0, (v - d3) * y - v * d1, v - d3
        k00 = weight * m11 * inv_det
        k01 = -weight * m01 * inv_det
        k11 = weight * m00 * inv_det
        c0, c1, c2 = k00 * s0 + k01 * t0, k00 * s1 + k01 * t1, k00 * s2 + k01 * t2
        e0, e1, e2 = k01 * s0 + k11 * t0, k01 * s1 + k11 * t1, k01 * s2 + k11 * t2
        l0, l1 = weight * lam0, weight * lam1
        xx, xy, yy = x_hat * x_hat, x_hat * y_hat, y_hat * y_hat

        k00xx, k00xy, k00yy = k00xx + k00 * xx, k00xy + k00 * xy, k00yy + k00 * yy
        k00x, k00y, k00_ = k00x + k00 * x_hat, k00y + k00 * y_hat, k00_ + k00
        k01xx, k01xy, k01yy = k01xx + k01 * xx, k01xy + k01 * xy, k01yy + k01 * yy
        k01x, k01y, k01_ = k01x + k01 * x_hat, k01y + k01 * y_hat, k01_ + k01
        k11xx, k11xy, k11yy = k11xx + k11 * xx, k11xy + k11 * xy, k11yy + k11 * yy
        k11x, k11y, k11_ = k11x + k11 * x_hat, k11y + k11 * y_hat, k11_ + k11
        c0x, c0y, c0_ = c0x + c0 * x_hat, c0y + c0 * y_hat, c0_ + c0
        c1x, c1y, c1_ = c1x + c1 * x_hat, c1y + c1 * y_hat, c1_ + c1
        c2x, c2y, c2_ = c2x + c2 * x_hat, c2y + c2 * y_hat, c2_ + c2
        e0x, e0y, e0_ = e0x + e0 * x_hat, e0y + e0 * y_hat, e0_ + e0
        e1x, e1y, e1_ = e1x + e1 * x_hat, e1y + e1 * y_hat, e1_ + e1
        e2x, e2y, e2_ = e2x + e2 * x_hat, e2y + e2 * y_hat, e2_ + e2
        a66, a67 = a66 + c0 * s0 + e0 * t0, a67 + c0 * s1 + e0 * t1
        a68, a77 = a68 + c0 * s2 + e0 * t2, a77 + c1 * s1 + e1 * t1
        a78, a88 = a78 + c1 * s2 + e1 * t2, a88 + c2 * s2 + e2 * t2
        l0x, l0y, l0_ = l0x + l0 * x_hat, l0y + l0 * y_hat, l0_ + l0
        l1x, l1y, l1_ = l1x + l1 * x_hat, l1y + l1 * y_hat, l1_ + l1
        ls0, ls1 = ls0 + l0 * s0 + l1 * t0, ls1 + l0 * s1 + l1 * t1
        ls2 = ls2 + l0 * s2 + l1 * t2
        cost += l0 * g0 + l1 * g1 if w > 0.0 else np.inf

    normal[0, 0], normal[0, 1], normal[0, 2] = k00xx, k00xy, k00x
    normal[1, 1], normal[1, 2], normal[2, 2] = k00yy, k00y, k00_
    normal[0, 3], normal[0, 4], normal[0, 5] = k01xx, k01xy, k01x
    normal[1, 3], normal[1, 4], normal[1, 5] = k01xy, k01yy, k01y
    normal[2, 3], normal[2, 4], normal[2, 5] = k01x, k01y, k01_
    normal[3, 3], normal[3, 4], normal[3, 5] = k11xx, k11xy, k11x
    normal[4, 4], normal[4, 5], normal[5, 5] = k11yy, k11y, k11_
    normal[0, 6], normal[0, 7], normal[0, 8] = -c0x, -c1x, -c2x
    normal[1, 6], normal[1, 7], normal[1, 8] = -c0y, -c1y, -c2y
    normal[2, 6], normal[2, 7], normal[2, 8] = -c0_, -c1_, -c2_
    normal[3, 6], normal[3, 7], normal[3, 8] = -e0x, -e1x, -e2x
    normal[4, 6], normal[4, 7], normal[4, 8] = -e0y, -e1y, -e2y
    normal[5, 6], normal[5, 7], normal[5, 8] = -e0_, -e1_, -e2_
    normal[6, 6], normal[6, 7], normal[6, 8] = a66, a67, a68
    normal[7, 7], normal[7, 8], normal[8, 8] = a77, a78, a88
    normal[0, 9], normal[1, 9], normal[2, 9] = -l0x, -l0y, -l0_
    normal[3, 9], normal[4, 9], normal[5, 9] = -l1x, -l1y, -l1_
    normal[6, 9], normal[7, 9], normal[8, 9] = ls0, ls1, ls2
    normal[9, 9] = cost
