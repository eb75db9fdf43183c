"""The real points that two conics share, by a pair of lines of their pencil.

One member of the pencil is a pair of lines, found from one real root of a cubic; each
line meets another conic of the pencil in up to two points.  The line pair is split by
the adjugate of its matrix (Richter-Gebert 2011), and the cubic is one in the angle of
the pencil, so that no choice of the two conics makes its leading coefficient vanish.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.cubic import cubic_roots
from cvscore.numerics.matrix3 import write_cofactors

# A discriminant or adjugate this far below zero (its terms being of order one) is zero
# with rounding: two solutions that coincide.
ROUNDING_OF_DOUBLE = 1e-9
SQRT_HALF = np.sqrt(0.5)


@kernel
def write_line_pair(a, b, one, other):
    """Write a degenerate conic (3, 3) of the pencil of a and b, and another one of it.

    False where the pencil has none that can be told.
    """
    # The cubic form det(x a + y b) cannot vanish in four directions: begin in the one
    # where it is largest.
    form, roots = np.empty(4), np.empty(3)
    _write_determinants(a, b, form)
    cos, sin, most = 1.0, 0.0, abs(form[0])
    if abs(form[3]) > most:
        cos, sin, most = 0.0, 1.0, abs(form[3])
    even, odd = form[0] + form[2], form[1] + form[3]
    half = 0.5 * SQRT_HALF
    if half * abs(even + odd) > most:
        cos, sin, most = SQRT_HALF, SQRT_HALF, half * abs(even + odd)
    if half * abs(even - odd) > most:
        cos, sin, most = SQRT_HALF, -SQRT_HALF, half * abs(even - odd)
    if not most > 0.0:
        return False
    for i in range(3):
        for j in range(3):
            one[i, j] = cos * a[i, j] + sin * b[i, j]
            other[i, j] = cos * b[i, j] - sin * a[i, j]
    _write_determinants(one, other, form)
    # det(t one + other) = 0.
    num_roots = cubic_roots(
        form[1] / form[0], form[2] / form[0], form[3] / form[0], roots
    )
    best, steepest = 0.0, -1.0
    for k in range(num_roots):
        t = roots[k]
        slope = abs((3.0 * form[0] * t + 2.0 * form[1]) * t + form[2]) / (1.0 + t * t)
        if slope > steepest:
            best, steepest = t, slope
    scale = 1.0 / np.sqrt(1.0 + best * best)
    for i in range(3):
        for j in range(3):
            x, y = one[i, j], other[i, j]
            one[i, j] = scale * (best * x + y)
            other[i, j] = scale * (x - best * y)
    return True


@kernel
def _write_determinants(a, b, form):
    """Write det(x a + y b) as a form in (x, y), the power of x falling."""
    cofactors = np.empty((3, 3))
    write_cofactors(a, cofactors)
    form[0] = form[1] = form[2] = form[3] = 0.0
    for j in range(3):
        form[0] += a[0, j] * cofactors[0, j]
        for i in range(3):
            form[1] += b[i, j] * cofactors[i, j]
    write_cofactors(b, cofactors)
    for j in range(3):
        form[3] += b[0, j] * cofactors[0, j]
        for i in range(3):
            form[2] += a[i, j] * cofactors[i, j]


@kernel
def split_lines(conic, lines):
    """Write the lines (2, 3) of a degenerate conic; return how many are real.

    The adjugate of a pair of lines is minus the outer square of the point where they
    meet; with the cross product of that point added, the matrix has rank one.
    """
    adjugate, sq_norm = np.empty((3, 3)), 0.0
    write_cofactors(conic, adjugate)
    for i in range(3):
        for j in range(3):
            sq_norm += conic[i, j] * conic[i, j]
    k = 0
    for i in range(1, 3):
        if abs(adjugate[i, i]) > abs(adjugate[k, k]):
            k = i
    if adjugate[k, k] > ROUNDING_OF_DOUBLE * sq_norm:
        return 0  # the lines are complex: none of the points is real
    x = y = z = 0.0
    if adjugate[k, k] < 0.0:
        scale = 1.0 / np.sqrt(-adjugate[k, k])
        x, y, z = scale * adjugate[0, k], scale * adjugate[1, k], scale * adjugate[2, k]
    split = adjugate
    split[0, 0], split[1, 1], split[2, 2] = conic[0, 0], conic[1, 1], conic[2, 2]
    split[0, 1], split[1, 0] = conic[0, 1] - z, conic[1, 0] + z
    split[0, 2], split[2, 0] = conic[0, 2] + y, conic[2, 0] - y
    split[1, 2], split[2, 1] = conic[1, 2] - x, conic[2, 1] + x
    row = column = 0
    for i in range(3):
        for j in range(3):
            if abs(split[i, j]) > abs(split[row, column]):
                row, column = i, j
    for i in range(3):
        lines[0, i], lines[1, i] = split[row, i], split[i, column]
    return 2


@kernel
def meet(line, conic, points, num):
    """Append the points with positive coordinates where a line meets a conic.

    ``points`` has ``num`` rows that are filled; returns how many then are.
    """
    k = 0
    for i in range(1, 3):
        if abs(line[i]) > abs(line[k]):
            k = i
    i, j = (k + 1) % 3, (k + 2) % 3
    u, v = -line[i] / line[k], -line[j] / line[k]
    # On the line, the conic is a x**2 + 2 b x y + c y**2 in coordinates i and j.
    a = conic[i, i] + u * (2.0 * conic[i, k] + u * conic[k, k])
    c = conic[j, j] + v * (2.0 * conic[j, k] + v * conic[k, k])
    b = conic[i, j] + v * conic[i, k] + u * (conic[j, k] + v * conic[k, k])
    discriminant = b * b - a * c
    if not discriminant >= -ROUNDING_OF_DOUBLE * (b * b + abs(a * c)):
        return num
    root = np.sqrt(max(discriminant, 0.0))
    stable = -b - root if b > 0.0 else -b + root
    for n in range(2):
        x, y = (stable, a) if n == 0 else (c, stable)
        if y < 0.0:
            x, y = -x, -y
        z = u * x + v * y
        if x > 0.0 and y > 0.0 and z > 0.0:
            points[num, i], points[num, j], points[num, k] = x, y, z
            num += 1
    return num
