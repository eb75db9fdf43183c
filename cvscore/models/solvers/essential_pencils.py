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
from cvscore.numerics.polynomial import bernstein_from_power, real_roots

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
# Samples whose constraints are written at once: their coefficients stay in L1.
LANES = 32
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
    """Three equations in x, y and 1 of each sample: (B, 3, 3, 5) coefficients.

    The axes are equation, unknown and power of z, constant first; the degree is 3 for x
    and y and 4 for 1.  Zero where the elimination fails: a family of solutions.

    ``bases`` (4, 9, B) are X, Y, Z, W of the samples, side by side.
    """
    num_samples = bases.shape[2]
    pencils = np.zeros((num_samples, 3, 3, 5))
    some = np.zeros((4, 9, LANES))
    constraints = np.empty((NUM_CUBICS, NUM_MONOMIALS, LANES))
    cubics = np.empty((NUM_CUBICS, NUM_MONOMIALS))
    for first in range(0, num_samples, LANES):
        num = min(LANES, num_samples - first)
        for k in range(4):
            for i in range(9):
                for b in range(num):
                    some[k, i, b] = bases[k, i, first + b]
        _fill_constraints(some, constraints)
        for b in range(num):
            for i in range(NUM_CUBICS):
                for j in range(NUM_MONOMIALS):
                    cubics[i, j] = constraints[i, j, b]
            _write_pencil(cubics, pencils[first + b])
    return pencils


@kernel
def _write_pencil(cubics, pencil):
    """Eliminate, and write the pencil (3, 3, 5), of zeros before, where that can be."""
    if not eliminate_below(cubics) > MIN_PIVOT:
        return
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
                pencil[i, unknown, power] += cubics[4 + 2 * i, last - power]
                pencil[i, unknown, power + 1] -= cubics[5 + 2 * i, last - power]


@kernel
def _fill_constraints(bases, constraints):
    """Write the coefficients of the ten constraints, (10, 20, LANES).

    For each pair of unknowns, the coefficients of the quadratic matrix
    ``S = E E' - trace(E E') / 2`` and of the cross product of the last two rows of E
    are multiplied with each basis matrix of (4, 9, LANES): ``S E = 0``, ``det E = 0``.
    """
    constraints[:] = 0.0
    S, cross = np.empty((9, LANES)), np.empty((3, LANES))
    for m in range(PAIRS.shape[0]):
        one, other = bases[PAIRS[m, 0]], bases[PAIRS[m, 1]]
        # A square has one term where the product of two unknowns has two.
        weight = 0.5 if PAIRS[m, 0] == PAIRS[m, 1] else 1.0
        _fill_quadratic(one, other, weight, S, cross)
        for c in range(4):
            E, column = bases[c], COLUMNS[m, c]
            for i in range(3):
                row = S[3 * i], S[3 * i + 1], S[3 * i + 2]
                for j in range(3):
                    entry = constraints[3 * i + j, column]
                    _add_product(row, (E[j], E[3 + j], E[6 + j]), entry)
            of_cross = cross[0], cross[1], cross[2]
            _add_product(of_cross, (E[0], E[1], E[2]), constraints[9, column])


@kernel
def _add_product(row, column, entry):
    """Add the product of three entries with three others, (LANES,) each."""
    r0, r1, r2 = row
    c0, c1, c2 = column
    for b in range(LANES):
        entry[b] += r0[b] * c0[b] + r1[b] * c1[b] + r2[b] * c2[b]


@kernel
def _fill_quadratic(one, other, weight, S, cross):
    """Write S (9, LANES) and the cross product (3, LANES) of a pair of unknowns."""
    S[:] = 0.0
    for i in range(3):
        a = one[3 * i], one[3 * i + 1], one[3 * i + 2]
        b = other[3 * i], other[3 * i + 1], other[3 * i + 2]
        for j in range(3):
            c = one[3 * j], one[3 * j + 1], one[3 * j + 2]
            d = other[3 * j], other[3 * j + 1], other[3 * j + 2]
            _add_product(a, d, S[3 * i + j])
            _add_product(b, c, S[3 * i + j])
    first, second, third = S[0], S[4], S[8]
    for lane in range(LANES):
        half_trace = 0.5 * (first[lane] + second[lane] + third[lane])
        first[lane] -= half_trace
        second[lane] -= half_trace
        third[lane] -= half_trace
    for i in range(9):
        for lane in range(LANES):
            S[i, lane] *= weight
    for i in range(3):
        p, q = (i + 1) % 3, (i + 2) % 3
        a, b, c, d = one[3 + p], one[3 + q], other[3 + p], other[3 + q]
        u, v, x, y = other[6 + q], other[6 + p], one[6 + q], one[6 + p]
        entry = cross[i]
        for k in range(LANES):
            total = a[k] * u[k] - b[k] * v[k] + c[k] * x[k] - d[k] * y[k]
            entry[k] = weight * total


@kernel
def solve_pencils(bases, pencils):
    """Approximate essential matrices (K, 3, 3) and the samples (K,) that they solve.

    ``bases`` as for `pencils_of`.
    """
    num_samples = pencils.shape[0]
    polynomials = np.empty((MAX_SOLUTIONS_5PT + 1, num_samples))
    regular = np.empty(num_samples, dtype=np.int64)
    polynomial = np.empty(MAX_SOLUTIONS_5PT + 1)
    num_regular = 0
    for b in range(num_samples):
        if _fill_determinant(pencils[b], polynomial):
            for k in range(polynomial.shape[0]):
                polynomials[k, num_regular] = polynomial[k]
            regular[num_regular] = b
            num_regular += 1
    roots = real_roots(polynomials[:, :num_regular].copy(), FROM_POWER)
    num_roots = roots.owners.shape[0]
    matrices = np.empty((num_roots, 3, 3))
    solved = np.empty(num_roots, dtype=np.int64)
    for k in range(num_roots):
        b = regular[roots.owners[k]]
        z, w = roots.numerators[k], roots.denominators[k]
        x, y, scale = _back_substitute(pencils[b], z, w)
        for i in range(9):
            matrices[k, i // 3, i % 3] = (
                x * bases[0, i, b]
                + y * bases[1, i, b]
                + scale * (z * bases[2, i, b] + w * bases[3, i, b])
            )
        solved[k] = b
    return matrices, solved


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
