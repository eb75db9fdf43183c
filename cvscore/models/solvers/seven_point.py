"""The fundamental matrices of seven matches.

Each match gives one linear equation ``x2' F x1 = 0``; seven leave a pencil ``t F + G``,
and ``det(t F + G) = 0`` is a cubic in t with one or three real roots.

With the first match as the origin of both images its equation reads ``F[2, 2] = 0``:
six equations for eight entries remain.  Each image is also scaled to unit extent, so
that the tolerances below are relative to the sample.

Orientation.  A camera sees only what is in front of it.  Then ``e2 x x2`` (with e2 the
epipole, ``F' e2 = 0``) and ``F x1`` are not only the same line: for all matches, the
one is the other times a number of the same sign (Chum, Werner and Matas 2004, "Epipolar
geometry estimation via RANSAC benefits from the oriented epipolar constraint").  Most
wrong samples break this, and are dropped before they are scored.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.cubic import cubic_roots
from cvscore.numerics.linalg import null_spaces
from cvscore.numerics.matrix3 import (
    line_agreement,
    scale_to_unit_norm,
    write_cofactors,
    write_left_epipole,
)

MAX_SOLUTIONS_7PT = 3

# Distance, relative to the extent of the sample, under which two points are one: ten
# times the rounding of coordinates stored as float32.
MIN_DISTANCE = 1e-6

# Sine of the angle between an equation and those before it under which it says nothing
# new; rounding leaves 1e-16 of a dependent one.
MIN_INDEPENDENCE = 1e-10

# Determinants below this throughout a pencil of unit norm mean that it is singular for
# every t, as with six matches on a plane.  A generic pencil reaches 0.1.
MIN_DETERMINANT_7PT = 1e-12

SQRT_HALF = np.sqrt(0.5)


@kernel
def fundamental_7pt(points, samples):
    """Fundamental matrices through seven matches each that keep orientation.

    Parameters
    ----------
    points : (4, N) array
        Rows ``x1, y1, x2, y2``.
    samples : (B, 7) array of indices

    Returns
    -------
    (K, 3, 3) array
        Of unit norm, ``K <= 3 B``.
    """
    candidates, counts = fundamental_7pt_solutions(points, samples)
    return keep_oriented(candidates, counts, points, samples)


@kernel
def fundamental_7pt_solutions(points, samples):
    """All real fundamental matrices through seven matches each.

    Parameters
    ----------
    points : (4, N) array
        Rows ``x1, y1, x2, y2``.
    samples : (B, 7) array of indices

    Returns
    -------
    candidates : (B, 3, 3, 3) array
        Of unit norm; those of sample b are the first ``counts[b]``.
    counts : (B,) array
        1 or 3; 0 if points repeat in an image or the equations are dependent.
    """
    num_samples = samples.shape[0]
    candidates = np.empty((num_samples, MAX_SOLUTIONS_7PT, 3, 3))
    counts = np.zeros(num_samples, dtype=np.int64)
    local, scales = _localise(points, samples)
    are_distinct = _all_distinct(local)
    bases, margins = np.empty((2, 8, num_samples)), np.empty(num_samples)
    null_spaces(_equations(local), bases, margins)
    pencil = np.zeros((2, 3, 3))
    cofactors = np.empty((2, 3, 3))
    roots = np.empty(MAX_SOLUTIONS_7PT)
    for b in range(num_samples):
        if not (are_distinct[b] and margins[b] > MIN_INDEPENDENCE):
            continue
        _write_pencil(bases, b, pencil)
        counts[b] = _singular_members(pencil, cofactors, roots)
        for k in range(2):
            _undo_localise(pencil[k], scales[0, b], scales[1, b], points, samples[b, 0])
        for k in range(counts[b]):
            _write_member(pencil, roots[k], candidates[b, k])
    return candidates, counts


@kernel
def keep_oriented(candidates, counts, points, samples):
    """Select the solutions of `fundamental_7pt_solutions` that keep orientation.

    Returns (K, 3, 3); the signs of all seven matches agree in each.
    """
    models = np.empty((MAX_SOLUTIONS_7PT * counts.shape[0], 3, 3))
    cofactors = np.empty((3, 3))
    e2 = np.empty(3)
    num_models = 0
    for b in range(counts.shape[0]):
        for k in range(counts[b]):
            model = candidates[b, k]
            if not write_left_epipole(model, cofactors, e2) > 0.0:
                continue
            first = line_agreement(model, e2, points, samples[b, 0])
            is_oriented = first != 0.0
            for j in range(1, 7):
                agreement = line_agreement(model, e2, points, samples[b, j])
                if not agreement * first > 0.0:
                    is_oriented = False
                    break
            if is_oriented:
                for i in range(3):
                    for j in range(3):
                        models[num_models, i, j] = model[i, j]
                num_models += 1
    return models[:num_models]


@kernel
def _localise(points, samples):
    """Return samples (4, 7, B) relative to their first points and of unit extent.

    And the scales (2, B) of both images.
    """
    num_samples = samples.shape[0]
    local, scales = np.empty((4, 7, num_samples)), np.zeros((2, num_samples))
    for row in range(4):
        extents = scales[row // 2]
        for j in range(7):
            entry = local[row, j]
            for b in range(num_samples):
                entry[b] = points[row, samples[b, j]] - points[row, samples[b, 0]]
                extents[b] = max(extents[b], abs(entry[b]))
    for image in range(2):
        for b in range(num_samples):
            extent = scales[image, b]
            scales[image, b] = 1.0 / extent if extent > 0.0 else 0.0
    for row in range(4):
        for j in range(7):
            for b in range(num_samples):
                local[row, j, b] *= scales[row // 2, b]
    return local, scales


@kernel
def _all_distinct(local):
    """Whether no two points of an image are one, for each sample (4, 7, B)."""
    closest = np.full(local.shape[2], np.inf)
    for row in (0, 2):
        for i in range(7):
            for j in range(i):
                x, y = local[row, i], local[row + 1, i]
                other_x, other_y = local[row, j], local[row + 1, j]
                for b in range(closest.shape[0]):
                    dx, dy = x[b] - other_x[b], y[b] - other_y[b]
                    closest[b] = min(closest[b], dx * dx + dy * dy)
    return closest > MIN_DISTANCE * MIN_DISTANCE


@kernel
def _equations(local):
    """Return the constraints of points 1 to 6 on the first eight entries of F.

    (6, 8, B) for samples (4, 7, B).
    """
    num_samples = local.shape[2]
    equations = np.empty((6, 8, num_samples))
    for i in range(6):
        for row in range(2):
            second = local[2 + row, i + 1]
            for column in range(2):
                first, entry = local[column, i + 1], equations[i, 3 * row + column]
                for b in range(num_samples):
                    entry[b] = second[b] * first[b]
            for b in range(num_samples):
                equations[i, 3 * row + 2, b] = second[b]
                equations[i, 6 + row, b] = local[row, i + 1, b]
    return equations


@kernel
def _write_pencil(bases, b, pencil):
    """Write a null space of (2, 8, B) as two matrices with ``F[2, 2] = 0``."""
    for k in range(2):
        for i in range(8):
            pencil[k, i // 3, i % 3] = bases[k, i, b]
        pencil[k, 2, 2] = 0.0


@kernel
def _singular_members(pencil, cofactors, roots):
    """Find the t with ``det(t F + G) = 0``; returns their number.

    A solution near F itself has a huge t.  The pencil (2, 3, 3) is therefore turned
    first, in place, so that F is far from singular: to that of four directions which
    has the largest determinant; a cubic form cannot vanish in four unless it is zero.
    """
    c3, c2, c1, c0 = _determinant_form(pencil, cofactors)
    cos, sin, largest = 1.0, 0.0, abs(c3)
    if abs(c0) > largest:
        cos, sin, largest = 0.0, 1.0, abs(c0)
    diagonal = abs(c3 + c2 + c1 + c0) * SQRT_HALF**3
    if diagonal > largest:
        cos, sin, largest = SQRT_HALF, SQRT_HALF, diagonal
    diagonal = abs(c3 - c2 + c1 - c0) * SQRT_HALF**3
    if diagonal > largest:
        cos, sin, largest = SQRT_HALF, -SQRT_HALF, diagonal
    if not largest > MIN_DETERMINANT_7PT:
        return 0
    if sin != 0.0:
        for i in range(3):
            for j in range(3):
                f, g = pencil[0, i, j], pencil[1, i, j]
                pencil[0, i, j] = cos * f + sin * g
                pencil[1, i, j] = cos * g - sin * f
        c3, c2, c1, c0 = _determinant_form(pencil, cofactors)
    return cubic_roots(c2 / c3, c1 / c3, c0 / c3, roots)


@kernel
def _determinant_form(pencil, cofactors):
    """Coefficients of ``det(a F + b G)`` at a^3, a^2 b, a b^2, b^3."""
    write_cofactors(pencil[0], cofactors[0])
    write_cofactors(pencil[1], cofactors[1])
    c3 = c2 = c1 = c0 = 0.0
    for i in range(3):
        # Each determinant by the cofactors of its first row; the mixed terms need all.
        c3 += pencil[0, 0, i] * cofactors[0, 0, i]
        c0 += pencil[1, 0, i] * cofactors[1, 0, i]
        for j in range(3):
            c2 += cofactors[0, i, j] * pencil[1, i, j]
            c1 += cofactors[1, i, j] * pencil[0, i, j]
    return c3, c2, c1, c0


@kernel
def _undo_localise(matrix, scale1, scale2, points, first):
    """From ``F`` for points ``scale (x - x_first)`` to that for ``x``, in place."""
    x1, y1, x2, y2 = (
        points[0, first],
        points[1, first],
        points[2, first],
        points[3, first],
    )
    for i in range(3):
        matrix[i, 0] *= scale1
        matrix[i, 1] *= scale1
        matrix[i, 2] -= x1 * matrix[i, 0] + y1 * matrix[i, 1]
    for j in range(3):
        matrix[0, j] *= scale2
        matrix[1, j] *= scale2
        matrix[2, j] -= x2 * matrix[0, j] + y2 * matrix[1, j]


@kernel
def _write_member(pencil, t, model):
    """Write ``t F + G``, of unit norm."""
    for i in range(3):
        for j in range(3):
            model[i, j] = t * pencil[0, i, j] + pencil[1, i, j]
    scale_to_unit_norm(model)
