"""Levenberg-Marquardt on the weighted reprojection error of a camera pose.

The parameters are a small rotation ``w``, multiplied from the left, and a change ``v``
of t.  A scene point is at ``P = Y + t`` before the camera, with ``Y = R X``, and moves
by ``w x Y + v``.  So a coordinate of its image with the derivative g by P has the
derivative ``Y x g`` by w and g by v.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel, reordering_kernel
from cvscore.models.relative_pose import turn_columns
from cvscore.numerics.least_squares import (
    DAMPING_FACTOR,
    INITIAL_DAMPING,
    MAX_DAMPING,
    MAX_REFIT_STEPS,
    ROUNDING,
    damped_step,
    drop_unweighted,
)

NUM_POSE_PARAMS = 6
MIN_POINTS = 3


@kernel
def refit_absolute_pose(pose, points, weights, camera, converged):
    """Minimise the weighted sum of squared reprojection errors, starting at ``pose``.

    Parameters
    ----------
    pose : (3, 4) array
        ``[R | t]``.
    points : (5, N) array
        Rows ``u, v, X, Y, Z``; the scene about its origin.
    weights : (N,) array
        Not negative.
    camera : (3, 3) array
        Camera matrix, upper triangular.
    converged : float
        It ends at a step that promises less than this fraction of the cost.

    Returns
    -------
    (3, 4) array
        ``pose`` itself if it cannot be improved, as where a point of positive weight is
        behind the camera.
    """
    points, weights = drop_unweighted(points, weights)
    if weights.shape[0] < MIN_POINTS:
        return pose
    trial = pose
    normal = np.zeros((NUM_POSE_PARAMS + 1, NUM_POSE_PARAMS + 1))
    step, no_gauge = np.empty(NUM_POSE_PARAMS), np.zeros(NUM_POSE_PARAMS)
    floor = ROUNDING * weights.sum()
    cost = np.inf
    # The start is the first trial; accepting it lowers the damping once.
    damping = INITIAL_DAMPING * DAMPING_FACTOR
    for _ in range(MAX_REFIT_STEPS):
        trial_normal = pose_normal_matrix(trial, points, weights, camera)
        if trial_normal[NUM_POSE_PARAMS, NUM_POSE_PARAMS] < cost:
            pose, normal = trial, trial_normal
            cost = normal[NUM_POSE_PARAMS, NUM_POSE_PARAMS]
            damping /= DAMPING_FACTOR
        else:
            damping *= DAMPING_FACTOR
        promise = damped_step(normal, no_gauge, damping, step)
        if damping > MAX_DAMPING or not promise > converged * cost + floor:
            break
        trial = pose.copy()
        turn_columns(trial, step, 3)
        for i in range(3):
            trial[i, 3] += step[3 + i]
    return pose


@kernel
def pose_normal_matrix(pose, points, weights, camera):
    """Gauss-Newton matrix, half the gradient and the cost in the six parameters.

    Parameters
    ----------
    pose : (3, 4) array
    points : (5, N) array
    weights : (N,) array
    camera : (3, 3) array

    Returns
    -------
    (7, 7) array
        Symmetric; half the gradient as last column and the cost in the corner, ``inf``
        if a point is behind the camera.
    """
    normal = np.zeros((NUM_POSE_PARAMS + 1, NUM_POSE_PARAMS + 1))
    _sum_over_points(pose, points, weights, camera, normal)
    for i in range(NUM_POSE_PARAMS + 1):
        for j in range(i):
            normal[i, j] = normal[j, i]
    return normal


@reordering_kernel
def _sum_over_points(pose, points, weights, camera, normal):
    """Write the upper triangle of `pose_normal_matrix`.

    One loop with a scalar for each sum: its body has no stores and no branches, so that
    it compiles to vector instructions throughout.  Sums are named by the two parameters
    (``a b c`` the rotation, ``d e f`` the translation) or by one and ``r``.
    """
    r00, r01, r02, t0 = pose[0, 0], pose[0, 1], pose[0, 2], pose[0, 3]
    r10, r11, r12, t1 = pose[1, 0], pose[1, 1], pose[1, 2], pose[1, 3]
    r20, r21, r22, t2 = pose[2, 0], pose[2, 1], pose[2, 2], pose[2, 3]
    fx, skew, cx = camera[0, 0], camera[0, 1], camera[0, 2]
    fy, cy = camera[1, 1], camera[1, 2]
    us, vs, xs, ys, zs = points[0], points[1], points[2], points[3], points[4]
    aa = ab = ac = ad = ae = af = ar = 0.0
    bb = bc = bd = be = bf = br = cc = cd = ce = cf = cr = 0.0
    dd = de = df = dr = ee = ef = er = ff = fr = cost = 0.0
    for i in range(weights.shape[0]):
        x, y, z, weight = xs[i], ys[i], zs[i], weights[i]
        yx = r00 * x + r01 * y + r02 * z
        yy = r10 * x + r11 * y + r12 * z
        yz = r20 * x + r21 * y + r22 * z
        depth = yz + t2
        inverse = 1.0 / depth
        px, py = (yx + t0) * inverse, (yy + t1) * inverse
        # Errors of the two coordinates, and their slopes in P, the error's sign in g.
        ru = us[i] - (fx * px + skew * py + cx)
        rv = vs[i] - (fy * py + cy)
        gd, ge = fx * inverse, skew * inverse
        gf = -(fx * px + skew * py) * inverse
        he = fy * inverse
        hf = -fy * py * inverse
        ga, gb, gc = yy * gf - yz * ge, yz * gd - yx * gf, yx * ge - yy * gd
        ha, hb, hc = yy * hf - yz * he, -yx * hf, yx * he
        wa, wb, wc = weight * ga, weight * gb, weight * gc
        ka, kb, kc = weight * ha, weight * hb, weight * hc
        wd, we, wf = weight * gd, weight * ge, weight * gf
        ke, kf = weight * he, weight * hf
        aa, ab, ac = (
            aa + wa * ga + ka * ha,
            ab + wa * gb + ka * hb,
            ac + wa * gc + ka * hc,
        )
        ad, ae, af = ad + wa * gd, ae + wa * ge + ka * he, af + wa * gf + ka * hf
        bb, bc = bb + wb * gb + kb * hb, bc + wb * gc + kb * hc
        bd, be, bf = bd + wb * gd, be + wb * ge + kb * he, bf + wb * gf + kb * hf
        cc, cd = cc + wc * gc + kc * hc, cd + wc * gd
        ce, cf = ce + wc * ge + kc * he, cf + wc * gf + kc * hf
        dd, de, df = dd + wd * gd, de + wd * ge, df + wd * gf
        ee, ef, ff = (
            ee + we * ge + ke * he,
            ef + we * gf + ke * hf,
            ff + wf * gf + kf * hf,
        )
        ar, br, cr = (
            ar + wa * ru + ka * rv,
            br + wb * ru + kb * rv,
            cr + wc * ru + kc * rv,
        )
        dr, er, fr = dr + wd * ru, er + we * ru + ke * rv, fr + wf * ru + kf * rv
        cost += weight * (ru * ru + rv * rv) if depth > 0.0 else np.inf
    normal[0, 0], normal[0, 1], normal[0, 2] = aa, ab, ac
    normal[0, 3], normal[0, 4], normal[0, 5] = ad, ae, af
    normal[1, 1], normal[1, 2] = bb, bc
    normal[1, 3], normal[1, 4], normal[1, 5] = bd, be, bf
    normal[2, 2], normal[2, 3], normal[2, 4], normal[2, 5] = cc, cd, ce, cf
    normal[3, 3], normal[3, 4], normal[3, 5] = dd, de, df
    normal[4, 4], normal[4, 5], normal[5, 5] = ee, ef, ff
    normal[0, 6], normal[1, 6], normal[2, 6] = -ar, -br, -cr
    normal[3, 6], normal[4, 6], normal[5, 6] = -dr, -er, -fr
    normal[6, 6] = cost
