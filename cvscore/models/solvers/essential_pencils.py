"""The essential matrices in a space of four: ``E = x X + y Y + z Z + w W``.

E is essential if and only if

    det E = 0    and    2 E E' E - trace(E E') E = 0,

ten cubics in (x, y, z) once w = 1.  Eliminating the ten monomials with two or more
factors x or y leaves six of the cubics with these as leading terms:

    x^2 z, x^2, y^2 z, y^2, xy z, xy.

"First minus z times second" of each pair has no such term left: a pencil of three
equations linear in x, y and 1 whose coefficients are polynomials in z of degree 3, 3
and 4.  They have a solution where the determinant, of degree 10, vanishes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.numerics.linalg import eliminate_below
from cvscore.numerics.polynomial import MAX_DEPTH, bernstein_from_power, real_roots

MAX_SOLUTIONS_5PT = 10

# Cubics with a smaller pivot, relative to the largest, are dependent: matches without
# any translation have a family of solutions.  A translation of a thousandth of a pixel
# gives pivots above this, an ordinary one above 1e-6.
MIN_PIVOT = 1e-11

# Exponents of x, y, z of the columns of the cubics: first those that are eliminated, in
# the order that leaves the six equations above as the last rows.
MONOMIALS = (
    *((3, 0, 0), (0, 3, 0), (2, 1, 0), (1, 2, 0)),
    *((2, 0, 1), (2, 0, 0), (0, 2, 1), (0, 2, 0), (1, 1, 1), (1, 1, 0)),
    *((1, 0, 2), (1, 0, 1), (1, 0, 0), (0, 1, 2), (0, 1, 1), (0, 1, 0)),
    *((0, 0, 3), (0, 0, 2), (0, 0, 1), (0, 0, 0)),
)
NUM_CUBICS = 10
NUM_MONOMIALS = len(MONOMIALS)

# The ten products of two of the four unknowns.
PAIRS = np.array([(a, b) for a in range(4) for b in range(a, 4)])


def _product_columns() -> NDArray[np.int64]:
    """(10, 4) columns of the products of a pair of unknowns with a third unknown."""
    columns = np.empty((len(PAIRS), 4), dtype=np.int64)
    for m, (a, b) in enumerate(PAIRS):
        for c in range(4):
            exponents = tuple((a, b, c).count(unknown) for unknown in range(3))
            columns[m, c] = MONOMIALS.index(exponents)
    return columns


COLUMNS = _product_columns()
FROM_POWER = bernstein_from_power(MAX_SOLUTIONS_5PT)


@kernel
def pencils_of(bases):
    """Three equations in x, y and 1 of each sample: (K, 3, 3, 5) coefficients.

    The axes are equation, unknown and power of z, constant first; the degree is 3 for x
    and y and 4 for 1.  Zero where the elimination fails: a family of solutions.
    """
    pencils = np.zeros((bases.shape[0], 3, 3, 5))
    cubics = np.empty((NUM_CUBICS, NUM_MONOMIALS))
    for b in range(bases.shape[0]):
        _fill_cubics(bases[b], cubics)
        if not eliminate_below(cubics) > MIN_PIVOT:
            continue
        for i in range(NUM_CUBICS - 1, 3, -1):
            for r in range(4, i):
                factor = cubics[r, i]
                for j in range(NUM_CUBICS, NUM_MONOMIALS):
                    cubics[r, j] -= factor * cubics[i, j]
        for i in range(3):
            for unknown in range(3):
                # The columns of each unknown hold falling powers of z; "first minus z
                # times second" shifts the second by one of them.
                degree = 3 if unknown == 2 else 2
                last = NUM_CUBICS + 3 * unknown + degree
                for power in range(degree + 1):
                    pencils[b, i, unknown, power] += cubics[4 + 2 * i, last - power]
                    pencils[b, i, unknown, power + 1] -= cubics[5 + 2 * i, last - power]
    return pencils


@kernel
def _fill_cubics(basis, cubics):
    """Write the coefficients of the ten constraints, one a row, to (10, 20).

    For each pair of unknowns, the coefficients of the quadratic matrix
    ``S = E E' - trace(E E') / 2`` and of the cross product of the last two rows of E
    are multiplied with each basis matrix: ``S E = 0`` and ``det E = 0``.
    """
    cubics[:] = 0.0
    quadratic = np.empty((4, 3))
    for m in range(PAIRS.shape[0]):
        a, b = PAIRS[m, 0], PAIRS[m, 1]
        # A square has one term where the product of two unknowns has two.
        weight = 0.5 if a == b else 1.0
        for i in range(3):
            for j in range(3):
                total = 0.0
                for k in range(3):
                    total += basis[a, i, k] * basis[b, j, k]
                    total += basis[b, i, k] * basis[a, j, k]
                quadratic[i, j] = weight * total
        half_trace = 0.5 * (quadratic[0, 0] + quadratic[1, 1] + quadratic[2, 2])
        for i in range(3):
            quadratic[i, i] -= half_trace
            p, q = (i + 1) % 3, (i + 2) % 3
            quadratic[3, i] = weight * (
                basis[a, 1, p] * basis[b, 2, q]
                - basis[a, 1, q] * basis[b, 2, p]
                + basis[b, 1, p] * basis[a, 2, q]
                - basis[b, 1, q] * basis[a, 2, p]
            )
        for c in range(4):
            column = COLUMNS[m, c]
            for k in range(3):
                cubics[9, column] += quadratic[3, k] * basis[c, 0, k]
            for i in range(3):
                for j in range(3):
                    cubics[3 * i + j, column] += (
                        quadratic[i, 0] * basis[c, 0, j]
                        + quadratic[i, 1] * basis[c, 1, j]
                        + quadratic[i, 2] * basis[c, 2, j]
                    )


@kernel
def solve_pencils(bases, pencils, samples):
    """Approximate essential matrices (K, 3, 3) and the samples that they solve."""
    num_samples = samples.shape[0]
    matrices = np.empty((num_samples * MAX_SOLUTIONS_5PT, 3, 3))
    solved = np.empty(num_samples * MAX_SOLUTIONS_5PT, dtype=np.int64)
    polynomial = np.empty(MAX_SOLUTIONS_5PT + 1)
    stack = np.empty((MAX_DEPTH + 1, MAX_SOLUTIONS_5PT + 3))
    roots = np.empty((2, MAX_SOLUTIONS_5PT))
    count = 0
    for b in range(num_samples):
        if not _fill_determinant(pencils[b], polynomial):
            continue
        for k in range(real_roots(polynomial, FROM_POWER, stack, roots)):
            z, w = roots[0, k], roots[1, k]
            x, y, scale = _back_substitute(pencils[b], z, w)
            for i in range(3):
                for j in range(3):
                    matrices[count, i, j] = (
                        x * bases[b, 0, i, j]
                        + y * bases[b, 1, i, j]
                        + scale * (z * bases[b, 2, i, j] + w * bases[b, 3, i, j])
                    )
            solved[count] = samples[b]
            count += 1
    return matrices[:count], solved[:count]


@kernel
def _fill_determinant(pencil, polynomial):
    """Write the determinant of a pencil (3, 3, 5), with largest coefficient 1.

    Returns False if it is zero everywhere, or not finite.
    """
    polynomial[:] = 0.0
    minor = np.empty(7)
    for i in range(3):
        p, q = (i + 1) % 3, (i + 2) % 3
        minor[:] = 0.0
        for j in range(4):
            for k in range(4):
                minor[j + k] += pencil[p, 0, j] * pencil[q, 1, k]
                minor[j + k] -= pencil[q, 0, j] * pencil[p, 1, k]
        for j in range(7):
            for k in range(5):
                polynomial[j + k] += minor[j] * pencil[i, 2, k]
    largest = 0.0
    for k in range(polynomial.shape[0]):
        largest = max(largest, abs(polynomial[k]))
    if not 0.0 < largest < np.inf:
        return False
    for k in range(polynomial.shape[0]):
        polynomial[k] /= largest
    return True


@kernel
def _back_substitute(pencil, z, w):
    """Return x, y and 1, times a common factor, where the determinant vanishes."""
    a0, a1, a2 = _equation_at(pencil[0], z, w)
    b0, b1, b2 = _equation_at(pencil[1], z, w)
    c0, c1, c2 = _equation_at(pencil[2], z, w)
    # (x, y, 1) is orthogonal to all three; the longest product of two is most accurate.
    x, y, one = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    longest = x * x + y * y + one * one
    p, q, r = b1 * c2 - b2 * c1, b2 * c0 - b0 * c2, b0 * c1 - b1 * c0
    if p * p + q * q + r * r > longest:
        x, y, one, longest = p, q, r, p * p + q * q + r * r
    p, q, r = c1 * a2 - c2 * a1, c2 * a0 - c0 * a2, c0 * a1 - c1 * a0
    if p * p + q * q + r * r > longest:
        x, y, one = p, q, r
    return x, y, one


@kernel
def _equation_at(equation, z, w):
    """Return the coefficients of x, y and 1 of an equation (3, 5), made homogeneous."""
    zz, ww = z * z, w * w
    m0, m1, m2, m3 = ww * w, ww * z, zz * w, zz * z
    x, y, one = equation[0], equation[1], equation[2]
    return (
        x[0] * m0 + x[1] * m1 + x[2] * m2 + x[3] * m3,
        y[0] * m0 + y[1] * m1 + y[2] * m2 + y[3] * m3,
        (one[0] * m0 + one[1] * m1 + one[2] * m2) * w + (one[3] * w + one[4] * z) * m3,
    )
