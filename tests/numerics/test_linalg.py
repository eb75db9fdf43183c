"""The small linear algebra kernels, against NumPy's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from cvscore.numerics.linalg import (
    diagonalise,
    eliminate_below,
    null_spaces,
    solve_linear,
    solve_positive_definite,
)


def spanned_by_none_of(rows):
    """Bases (B, n - m, n) of the null spaces of rows (B, m, n), and their margins."""
    num, num_rows, size = rows.shape
    bases, margins = np.empty((size - num_rows, size, num)), np.empty(num)
    null_spaces(np.ascontiguousarray(rows.transpose(1, 2, 0)), bases, margins)
    return bases.transpose(2, 0, 1), margins


@pytest.mark.parametrize("num_rows", [5, 7, 8])
def test_null_spaces_are_orthonormal_and_orthogonal_to_the_rows(num_rows, rng):
    systems = rng.normal(size=(13, num_rows, 9))
    for rows, basis, margin in zip(systems, *spanned_by_none_of(systems), strict=True):
        assert_allclose(rows @ basis.T, 0, atol=1e-13)
        assert_allclose(basis @ basis.T, np.eye(9 - num_rows), atol=1e-14)
        # Row k is at its residual's share of its length from the span of those before.
        sines = []
        for k in range(1, num_rows):
            coefficients = np.linalg.lstsq(rows[:k].T, rows[k], rcond=None)[0]
            residual = rows[k] - coefficients @ rows[:k]
            sines.append(np.linalg.norm(residual) / np.linalg.norm(rows[k]))
        assert_allclose(margin, min(sines), rtol=1e-9)


def test_null_spaces_of_dependent_rows_have_no_margin(rng):
    systems = rng.normal(size=(3, 5, 9))
    systems[0, 4] = systems[0, 0] - 2 * systems[0, 2]
    systems[2, 3] = 0.0
    _, margins = spanned_by_none_of(systems)
    assert margins[0] < 1e-14
    assert margins[1] > 1e-3
    assert margins[2] == 0.0


def test_elimination_keeps_the_solutions(rng):
    matrix = rng.normal(size=(6, 9))
    expected = np.linalg.solve(matrix[:, :6], matrix[:, 6:])
    assert eliminate_below(matrix) > 0
    assert_allclose(np.diag(matrix), 1, rtol=1e-15)
    upper = np.triu(matrix[:, :6])
    assert_allclose(np.linalg.solve(upper, matrix[:, 6:]), expected, rtol=1e-10)


def test_linear_system_that_needs_pivoting():
    augmented = np.array([[0.0, 2.0, 4.0], [1.0, 1.0, 5.0]])
    solution = np.empty(2)
    assert solve_linear(augmented, solution)
    assert_allclose(solution, [3, 2])


def test_singular_system_is_reported():
    augmented = np.array([[1.0, 2.0, 1.0], [2.0, 4.0, 1.0]])
    assert not solve_linear(augmented, np.empty(2))


def test_positive_definite_system(rng):
    factor = rng.normal(size=(6, 5))
    matrix, rhs, solution = factor.T @ factor, rng.normal(size=5), np.empty(5)
    assert solve_positive_definite(matrix.copy(), rhs, solution)
    assert_allclose(matrix @ solution, rhs, rtol=1e-10, atol=1e-12)


def test_indefinite_matrix_is_reported():
    matrix = np.diag([1.0, -1.0])
    assert not solve_positive_definite(matrix, np.ones(2), np.empty(2))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 6])
def test_diagonalise(rng, size):
    for spread in (1.0, 1e-8, 0.0):  # distinct, nearly alike and equal eigenvalues
        Q, _ = np.linalg.qr(rng.normal(size=(size, size)))
        values = 1.0 + spread * rng.normal(size=size)
        matrix = Q @ np.diag(values) @ Q.T
        matrix = 0.5 * (matrix + matrix.T)
        work, vectors = matrix.copy(), np.empty((size, size))
        diagonalise(work, vectors)
        assert_allclose(np.sort(np.diag(work)), np.sort(values), atol=1e-14)
        assert_allclose(vectors.T @ vectors, np.eye(size), atol=1e-14)
        assert_allclose(
            vectors @ np.diag(np.diag(work)) @ vectors.T, matrix, atol=1e-14
        )
