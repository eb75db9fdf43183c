"""The homography of four matches, in closed form.

For four points A, B, C, D in homogeneous coordinates write

    alpha = det[B C D],  beta = -det[A C D],  gamma = det[A B D],  delta = det[A B C],

twice the signed areas of the four triangles.  Then ``alpha A + beta B + gamma C =
delta D``, so that the columns ``alpha A, beta B, gamma C`` are a projective basis with
D as its unit point.  Composing the basis of the second image (primed) with the inverse
of the first one gives, up to scale,

    H = alpha'/alpha A' (B x C)' + beta'/beta B' (C x A)' + gamma'/gamma C' (A x B)'

and, by substitution, the third coordinates of ``H A, H B, H C, H D`` are delta times
``alpha'/alpha, beta'/beta, gamma'/gamma, delta'/delta``.  The four points are therefore
on one side of the horizon (the line that H sends to infinity) exactly if each triangle
keeps its orientation, or each one reverses it, as in a mirror.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel

# Height over longest side under which three points count as collinear (or repeated).
# Coordinates stored as float32 are rounded at 1e-7 of their range: a triangle flatter
# than ten times that may be made of rounding.
MIN_FLATNESS = 1e-6

# |det H| / |H|^3 under which H counts as singular.  With coordinates of order one a
# zoom by s between the images has s^2 or 1/s: this admits a factor of 30,000.
MIN_DETERMINANT_4PT = 1e-9


@kernel
def homography_4pt(points, samples):
    """Homographies through four matches each, oriented and of unit norm.

    Parameters
    ----------
    points : (4, N) array
        Rows ``x1, y1, x2, y2``, of order one.
    samples : (B, 4) array of indices

    Returns
    -------
    (K, 3, 3) array
        ``K <= B``: none for a sample with three collinear (or repeated) points in
        either image, with points on both sides of the horizon, or with a nearly
        singular homography.
    """
    models = np.empty((samples.shape[0], 3, 3))
    num_models = 0
    for b in range(samples.shape[0]):
        a = samples[b, 0]
        bx, by, cx, cy, dx, dy = _relative_to_first(points, 0, samples, b)
        ux, uy, vx, vy, wx, wy = _relative_to_first(points, 2, samples, b)
        alpha1, beta1, gamma1, delta1 = _triangle_areas(bx, by, cx, cy, dx, dy)
        alpha2, beta2, gamma2, delta2 = _triangle_areas(ux, uy, vx, vy, wx, wy)
        sign = _common_sign(
            alpha1 * alpha2, beta1 * beta2, gamma1 * gamma2, delta1 * delta2
        )
        if sign == 0.0:
            continue

        # The formula above with A and A' at the origin, divided by delta: there
        # B x C = (by - cy, cx - bx, delta), C x A = (cy, -cx, 0), A x B = (-by, bx, 0).
        # ``sign`` makes the third coordinates of H A ... H D positive.
        ka = sign * alpha2 / alpha1
        kb = sign * beta2 / (beta1 * delta1)
        kc = sign * gamma2 / (gamma1 * delta1)
        h00 = kb * ux * cy - kc * vx * by
        h01 = kc * vx * bx - kb * ux * cx
        h10 = kb * uy * cy - kc * vy * by
        h11 = kc * vy * bx - kb * uy * cx
        h20 = ka * (by - cy) / delta1 + kb * cy - kc * by
        h21 = ka * (cx - bx) / delta1 - kb * cx + kc * bx
        determinant = ka * (h00 * h11 - h01 * h10)

        # Back from A and A' as origins.
        ax1, ay1, ax2, ay2 = points[0, a], points[1, a], points[2, a], points[3, a]
        h22 = ka - h20 * ax1 - h21 * ay1
        h02 = ax2 * h22 - h00 * ax1 - h01 * ay1
        h12 = ay2 * h22 - h10 * ax1 - h11 * ay1
        h00, h01 = h00 + ax2 * h20, h01 + ax2 * h21
        h10, h11 = h10 + ay2 * h20, h11 + ay2 * h21
        norm = np.sqrt(
            (h00 * h00 + h01 * h01 + h02 * h02)
            + (h10 * h10 + h11 * h11 + h12 * h12)
            + (h20 * h20 + h21 * h21 + h22 * h22)
        )
        # Written so that a NaN, from an overflow, is rejected too.
        if not abs(determinant) > MIN_DETERMINANT_4PT * norm * norm * norm:
            continue

        model = models[num_models]
        model[0, 0], model[0, 1], model[0, 2] = h00 / norm, h01 / norm, h02 / norm
        model[1, 0], model[1, 1], model[1, 2] = h10 / norm, h11 / norm, h12 / norm
        model[2, 0], model[2, 1], model[2, 2] = h20 / norm, h21 / norm, h22 / norm
        num_models += 1
    return models[:num_models]


@kernel
def orientations_4pt(points, samples):
    """Tell +1 or -1 (mirrored) for samples with a homography, 0 for degenerate ones.

    The test of `homography_4pt` alone, for solvers without it: (4, N), (B, 4) to (B,).
    """
    signs = np.empty(samples.shape[0])
    for b in range(samples.shape[0]):
        bx, by, cx, cy, dx, dy = _relative_to_first(points, 0, samples, b)
        ux, uy, vx, vy, wx, wy = _relative_to_first(points, 2, samples, b)
        alpha1, beta1, gamma1, delta1 = _triangle_areas(bx, by, cx, cy, dx, dy)
        alpha2, beta2, gamma2, delta2 = _triangle_areas(ux, uy, vx, vy, wx, wy)
        signs[b] = _common_sign(
            alpha1 * alpha2, beta1 * beta2, gamma1 * gamma2, delta1 * delta2
        )
    return signs


@kernel
def _relative_to_first(points, row, samples, b):
    """Coordinates of B, C, D in the image of rows ``row, row + 1``, A as origin."""
    ax, ay = points[row, samples[b, 0]], points[row + 1, samples[b, 0]]
    bx, by = points[row, samples[b, 1]], points[row + 1, samples[b, 1]]
    cx, cy = points[row, samples[b, 2]], points[row + 1, samples[b, 2]]
    dx, dy = points[row, samples[b, 3]], points[row + 1, samples[b, 3]]
    return bx - ax, by - ay, cx - ax, cy - ay, dx - ax, dy - ay


@kernel
def _triangle_areas(bx, by, cx, cy, dx, dy):
    """Find alpha, beta, gamma, delta of 0, B, C, D; all zero if a triangle is flat."""
    alpha = (cx - bx) * (dy - by) - (cy - by) * (dx - bx)
    beta = cy * dx - cx * dy
    gamma = bx * dy - by * dx
    delta = bx * cy - by * cx
    ab, ac, ad = bx * bx + by * by, cx * cx + cy * cy, dx * dx + dy * dy
    bc = (cx - bx) ** 2 + (cy - by) ** 2
    bd = (dx - bx) ** 2 + (dy - by) ** 2
    cd = (dx - cx) ** 2 + (dy - cy) ** 2
    # Twice the area over the square of the longest side is height over longest side.
    if (
        abs(alpha) > MIN_FLATNESS * max(bc, bd, cd)
        and abs(beta) > MIN_FLATNESS * max(ac, ad, cd)
        and abs(gamma) > MIN_FLATNESS * max(ab, ad, bd)
        and abs(delta) > MIN_FLATNESS * max(ab, ac, bc)
    ):
        return alpha, beta, gamma, delta
    return 0.0, 0.0, 0.0, 0.0


@kernel
def _common_sign(a, b, c, d):
    """Return the sign that four numbers share, or 0."""
    if a > 0.0 and b > 0.0 and c > 0.0 and d > 0.0:
        return 1.0
    if a < 0.0 and b < 0.0 and c < 0.0 and d < 0.0:
        return -1.0
    return 0.0
