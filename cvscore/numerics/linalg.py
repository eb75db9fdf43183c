"""Small fixed-size linear algebra for the solvers: in place, no allocation, no BLAS.

A call into LAPACK costs more than these problems themselves; loops over a handful of
entries, compiled, do not.  Functions that can fail return a flag or a margin.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel

EPSILON = float(np.finfo(np.float64).eps)
# Of Jacobi's method, which converges quadratically: small matrices take five or so.
MAX_SWEEPS = 30


@kernel
def null_spaces(rows, bases, margins):
    """Orthonormal bases of the null spaces of B systems, by Householder reflections.

    The systems lie side by side: every step is a loop over them without a branch, which
    runs in vector registers and takes a fifth of the time of one system after another.

    Parameters
    ----------
    rows : (m, n, B) array, m < n
        Overwritten.
    bases : (n - m, n, B) array
        Written: orthonormal vectors, orthogonal to all of ``rows``.
    margins : (B,) array
        Written: the smallest sine of the angle between a row and the span of the rows
        before it: 0 for dependent rows (the basis then means nothing), 1 for orthogonal
        ones.
    """
    num_rows, size, num = rows.shape
    sq_norms, dots = np.empty(num), np.empty(num)
    margins[:] = 1.0
    for k in range(num_rows):
        _add_squares(rows[k, k:], sq_norms)
        _add_squares(rows[k, :k], dots)
        head = rows[k, k]
        for b in range(num):
            whole = sq_norms[b] + dots[b]
            margins[b] = min(margins[b], sq_norms[b] / whole if whole > 0.0 else 0.0)
            # The sign that avoids cancellation; the reflection is I - v v', v'v = 2.
            norm = np.sqrt(sq_norms[b])
            head[b] += norm if head[b] >= 0.0 else -norm
            product = norm * abs(head[b])
            sq_norms[b] = 1.0 / np.sqrt(product) if product > 0.0 else 0.0
        for i in range(k, size):
            entry = rows[k, i]
            for b in range(num):
                entry[b] *= sq_norms[b]
        for j in range(k + 1, num_rows):
            _reflect_all(rows[k, k:], rows[j, k:], dots)
    bases[:] = 0.0
    for j in range(size - num_rows):
        bases[j, num_rows + j] = 1.0
        for k in range(num_rows - 1, -1, -1):
            _reflect_all(rows[k, k:], bases[j, k:], dots)
    for b in range(num):
        margins[b] = np.sqrt(margins[b])


@kernel
def _add_squares(vectors, sums):
    """Write the squared norms of vectors (n, B) into ``sums`` (B,)."""
    sums[:] = 0.0
    for i in range(vectors.shape[0]):
        entry = vectors[i]
        for b in range(sums.shape[0]):
            sums[b] += entry[b] * entry[b]


@kernel
def _reflect_all(reflectors, vectors, dots):
    """Apply reflectors (n, B) to vectors (n, B), one to one; ``dots`` is scratch."""
    dots[:] = 0.0
    for i in range(vectors.shape[0]):
        reflector, entry = reflectors[i], vectors[i]
        for b in range(dots.shape[0]):
            dots[b] += reflector[b] * entry[b]
    for i in range(vectors.shape[0]):
        reflector, entry = reflectors[i], vectors[i]
        for b in range(dots.shape[0]):
            entry[b] -= dots[b] * reflector[b]


@kernel
def eliminate_below(matrix):
    """Bring (m, n) rows, m <= n, to upper triangular form with partial pivoting.

    In place; the pivots are scaled to 1 and what is below them is undefined.  Returns
    the smallest pivot relative to the largest, 0 if the left (m, m) block is singular.
    """
    num_rows, size = matrix.shape
    smallest, largest = np.inf, 0.0
    for k in range(num_rows):
        pivot, magnitude = k, abs(matrix[k, k])
        for i in range(k + 1, num_rows):
            # Two selects: a branch would be mispredicted half of the time.
            candidate = abs(matrix[i, k])
            pivot = i if candidate > magnitude else pivot
            magnitude = candidate if candidate > magnitude else magnitude
        if not magnitude > 0.0:
            return 0.0
        smallest, largest = min(smallest, magnitude), max(largest, magnitude)
        inverse = 1.0 / matrix[pivot, k]
        # Whole rows, though the part left of the pivot is of no more use: loops of one
        # length run in vector registers from end to end.
        for j in range(size):
            entry = matrix[pivot, j] * inverse
            matrix[pivot, j] = matrix[k, j]
            matrix[k, j] = entry
        for i in range(k + 1, num_rows):
            factor = matrix[i, k]
            for j in range(size):
                matrix[i, j] -= factor * matrix[k, j]
    return smallest / largest


@kernel
def solve_linear(augmented, solution):
    """Solve a square system given as (n, n + 1) rows; in place, partial pivoting.

    ``solution`` (n,) is written.  Returns False if the matrix is singular.
    """
    size = solution.shape[0]
    if not eliminate_below(augmented) > 0.0:
        return False
    for i in range(size - 1, -1, -1):
        value = augmented[i, size]
        for j in range(i + 1, size):
            value -= augmented[i, j] * solution[j]
        solution[i] = value
    return True


@kernel
def solve_positive_definite(matrix, rhs, solution):
    """Solve ``matrix @ solution = rhs`` by Cholesky factorisation.

    ``matrix`` (n, n) is overwritten, only its lower triangle is read; ``solution`` (n,)
    is written.  Returns False if the matrix is not positive definite.
    """
    size = rhs.shape[0]
    for j in range(size):
        diagonal = matrix[j, j]
        for k in range(j):
            diagonal -= matrix[j, k] * matrix[j, k]
        if not diagonal > 0.0:
            return False
        diagonal = np.sqrt(diagonal)
        matrix[j, j] = diagonal
        for i in range(j + 1, size):
            entry = matrix[i, j]
            for k in range(j):
                entry -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = entry / diagonal
    for i in range(size):
        value = rhs[i]
        for k in range(i):
            value -= matrix[i, k] * solution[k]
        solution[i] = value / matrix[i, i]
    for i in range(size - 1, -1, -1):
        value = solution[i]
        for k in range(i + 1, size):
            value -= matrix[k, i] * solution[k]
        solution[i] = value / matrix[i, i]
    return True


@kernel
def diagonalise(matrix, vectors):
    """Make a symmetric (n, n) matrix diagonal, in place, by Jacobi's rotations.

    What is left on the diagonal are the eigenvalues, in no particular order; the
    columns of ``vectors`` (n, n), which is written, are the eigenvectors.
    """
    size = matrix.shape[0]
    for i in range(size):
        for j in range(size):
            vectors[i, j] = 1.0 if i == j else 0.0
    for _ in range(MAX_SWEEPS):
        on_diagonal, off_diagonal = 0.0, 0.0
        for i in range(size):
            on_diagonal += matrix[i, i] ** 2
            for j in range(i):
                off_diagonal += matrix[i, j] ** 2
        if off_diagonal <= EPSILON**2 * on_diagonal:
            return
        for p in range(size):
            for q in range(p + 1, size):
                if matrix[p, q] != 0.0:
                    _rotate_to_zero(matrix, vectors, p, q)


@kernel
def _rotate_to_zero(matrix, vectors, p, q):
    """Turn the axes p and q such that the entry of both is zero."""
    # Of the two angles the smaller one: it undoes least of what was done before.
    cotangent = (matrix[q, q] - matrix[p, p]) / (2.0 * matrix[p, q])
    tangent = 1.0 / (abs(cotangent) + np.sqrt(cotangent**2 + 1.0))
    tangent = tangent if cotangent >= 0.0 else -tangent
    cosine = 1.0 / np.sqrt(tangent**2 + 1.0)
    sine = tangent * cosine
    for k in range(matrix.shape[0]):
        a, b = matrix[k, p], matrix[k, q]
        matrix[k, p], matrix[k, q] = cosine * a - sine * b, sine * a + cosine * b
        a, b = vectors[k, p], vectors[k, q]
        vectors[k, p], vectors[k, q] = cosine * a - sine * b, sine * a + cosine * b
    for k in range(matrix.shape[0]):
        a, b = matrix[p, k], matrix[q, k]
        matrix[p, k], matrix[q, k] = cosine * a - sine * b, sine * a + cosine * b
