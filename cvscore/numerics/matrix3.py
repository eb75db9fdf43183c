"""Functions of one 3x3 matrix: norm, cofactors, epipoles, orientation."""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import brief_kernel, kernel


@brief_kernel
def scale_to_unit_norm(matrix):
    """Divide a (3, 3) matrix by its Frobenius norm, in place."""
    sq_norm = 0.0
    for i in range(3):
        for j in range(3):
            sq_norm += matrix[i, j] * matrix[i, j]
    norm = np.sqrt(sq_norm)
    for i in range(3):
        for j in range(3):
            matrix[i, j] /= norm


@kernel
def write_cofactors(matrix, cofactors):
    """Write the derivative of the determinant by each entry: (3, 3) to (3, 3)."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        cofactors[i, 0] = matrix[j, 1] * matrix[k, 2] - matrix[j, 2] * matrix[k, 1]
        cofactors[i, 1] = matrix[j, 2] * matrix[k, 0] - matrix[j, 0] * matrix[k, 2]
        cofactors[i, 2] = matrix[j, 0] * matrix[k, 1] - matrix[j, 1] * matrix[k, 0]


@brief_kernel
def smallest_singular_value(matrix):
    """Return about what it is for a (3, 3) matrix that nearly has rank two."""
    cofactors = np.empty((3, 3))
    write_cofactors(matrix, cofactors)
    determinant = sq_norm = 0.0
    for j in range(3):
        determinant += matrix[0, j] * cofactors[0, j]
        for i in range(3):
            sq_norm += cofactors[i, j] ** 2
    return abs(determinant) / np.sqrt(sq_norm) if sq_norm > 0.0 else 0.0


@brief_kernel
def inverse_of(matrix):
    """Return the inverse of a (3, 3) matrix; not finite where there is none."""
    cofactors, inverse = np.empty((3, 3)), np.empty((3, 3))
    write_cofactors(matrix, cofactors)
    determinant = 0.0
    for j in range(3):
        determinant += matrix[0, j] * cofactors[0, j]
    for i in range(3):
        for j in range(3):
            inverse[i, j] = cofactors[j, i] / determinant
    return inverse


@brief_kernel
def product_of(a, b):
    """Return the product of two (3, 3) matrices."""
    product = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            product[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]
    return product


@brief_kernel
def form_of_images(matrix, K1, K2):
    """Return the fundamental matrix ``K2^-T E K1^-1`` of an essential one, (3, 3)."""
    return product_of(inverse_of(K2).T, product_of(matrix, inverse_of(K1)))


@kernel
def epipoles(matrix, cofactors, right, left):
    """Write unit null vectors of a rank-two matrix: ``F right = 0``, ``F' left = 0``.

    For rank two the cofactors are the product ``left right'`` up to scale; its row and
    column through the largest entry are the ones least touched by rounding.

    Parameters
    ----------
    matrix : (3, 3) array
    cofactors : (3, 3) array
        Work space.
    right, left : (3,) arrays
        Written.

    Returns
    -------
    float
        The largest cofactor, 0 for a matrix of rank one (the vectors are then
        undefined).
    """
    write_cofactors(matrix, cofactors)
    row = column = 0
    for i in range(3):
        for j in range(3):
            if abs(cofactors[i, j]) > abs(cofactors[row, column]):
                row, column = i, j
    _write_unit(cofactors[row, 0], cofactors[row, 1], cofactors[row, 2], right)
    _write_unit(cofactors[0, column], cofactors[1, column], cofactors[2, column], left)
    return abs(cofactors[row, column])


@kernel
def write_left_epipole(matrix, cofactors, left):
    """Write a null vector ``F' left = 0`` of a rank-two matrix, of any length.

    Returns its largest entry, 0 for a matrix of rank one; see `epipoles`.
    """
    write_cofactors(matrix, cofactors)
    largest, column = 0.0, 0
    for j in range(3):
        for i in range(3):
            # Two selects: a branch would be mispredicted half of the time.
            size = abs(cofactors[i, j])
            column = j if size > largest else column
            largest = size if size > largest else largest
    for i in range(3):
        left[i] = cofactors[i, column]
    return largest


@kernel
def _write_unit(x, y, z, vector):
    norm = np.sqrt(x * x + y * y + z * z)
    vector[0], vector[1], vector[2] = x / norm, y / norm, z / norm


@kernel
def line_agreement(model, e2, points, i):
    """Multiply the lines ``e2 x x2`` and ``F x1``: the sign is that of their ratio.

    Parameters
    ----------
    model : (3, 3) array
    e2 : (3,) array
        Epipole in the second image.
    points : (4, N) array
    i : int
        Index of a match that satisfies ``x2' F x1 = 0``.
    """
    x1, y1, x2, y2 = points[0, i], points[1, i], points[2, i], points[3, i]
    line_x = model[0, 0] * x1 + model[0, 1] * y1 + model[0, 2]
    line_y = model[1, 0] * x1 + model[1, 1] * y1 + model[1, 2]
    line_w = model[2, 0] * x1 + model[2, 1] * y1 + model[2, 2]
    return (
        (e2[1] - e2[2] * y2) * line_x
        + (e2[2] * x2 - e2[0]) * line_y
        + (e2[0] * y2 - e2[1] * x2) * line_w
    )
