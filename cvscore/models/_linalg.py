"""Small fixed-size linear algebra for the solvers: in place, no allocation, no BLAS.

A call into LAPACK costs more than these problems themselves; loops over a handful of
entries, compiled, do not.  Functions that can fail return a flag or a margin.
"""

from __future__ import annotations

import numpy as np

from cvscore._kernel import kernel


@kernel
def null_space(rows, basis):
    """Orthonormal basis of the null space of ``m`` rows, by Householder reflections.

    Parameters
    ----------
    rows : (m, n) array, m < n
        Overwritten.
    basis : (n - m, n) array
        Written: orthonormal rows, each orthogonal to all of ``rows``.

    Returns
    -------
    float
        The smallest sine of the angle between a row and the span of the rows before it:
        0 for dependent rows (the basis is then incomplete), 1 for orthogonal ones.
    """
    num_rows, size = rows.shape
    sq_margin = 1.0
    for k in range(num_rows):
        sq_norm, sq_before = 0.0, 0.0
        for i in range(k, size):
            sq_norm += rows[k, i] * rows[k, i]
        for i in range(k):
            sq_before += rows[k, i] * rows[k, i]
        if not sq_norm > 0.0:
            return 0.0
        sq_margin = min(sq_margin, sq_norm / (sq_norm + sq_before))
        # The sign that avoids cancellation; the reflection is I - v v' with v'v = 2.
        norm = np.sqrt(sq_norm)
        head = rows[k, k] + norm if rows[k, k] >= 0.0 else rows[k, k] - norm
        scale = 1.0 / np.sqrt(norm * abs(head))
        rows[k, k] = head
        for i in range(k, size):
            rows[k, i] *= scale
        for j in range(k + 1, num_rows):
            _reflect(rows, k, rows, j)
    basis[:] = 0.0
    for j in range(size - num_rows):
        basis[j, num_rows + j] = 1.0
        for k in range(num_rows - 1, -1, -1):
            _reflect(rows, k, basis, j)
    return np.sqrt(sq_margin)


@kernel
def _reflect(reflectors, k, vectors, j):
    """Apply the k-th reflector, which acts on the entries from k on, to a row."""
    size = reflectors.shape[1]
    dot = 0.0
    for i in range(k, size):
        dot += reflectors[k, i] * vectors[j, i]
    for i in range(k, size):
        vectors[j, i] -= dot * reflectors[k, i]


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
