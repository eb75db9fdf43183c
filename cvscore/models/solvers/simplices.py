"""The affine map of a triangle to a triangle, or of a tetrahedron to another."""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.models.refiners.procrustes import write_map
from cvscore.models.refiners.total_least_squares import solve_for_matrix
from cvscore.models.solvers.four_point import MIN_FLATNESS
from cvscore.numerics.linalg import eliminate_below


@kernel
def affine_of_simplices(points, samples, _):
    """Solve for A by the edges from the first corner, ``A (b - a) = b' - a'``.

    Parameters
    ----------
    points : (2 D, N) array
    samples : (B, D + 1) int array

    Returns
    -------
    (K, D, D + 1) array
        Of the samples that are flat in neither set.
    """
    dim = points.shape[0] // 2
    models = np.empty((samples.shape[0], dim, dim + 1))
    edges, swapped = np.empty((dim, 2 * dim)), np.empty((dim, 2 * dim))
    transposed, A = np.empty((dim, dim)), np.empty((dim, dim))
    corner = np.empty(2 * dim)
    num_models = 0
    for b in range(samples.shape[0]):
        for row in range(2 * dim):
            corner[row] = points[row, samples[b, 0]]
            for i in range(dim):
                edges[i, row] = points[row, samples[b, i + 1]] - corner[row]
                swapped[i, (row + dim) % (2 * dim)] = edges[i, row]
        if not solve_for_matrix(edges, transposed) > MIN_FLATNESS:
            continue
        if not eliminate_below(swapped) > MIN_FLATNESS:
            continue
        for i in range(dim):
            for j in range(dim):
                A[i, j] = transposed[j, i]
        write_map(A, 1.0, corner, models[num_models])
        num_models += 1
    return models[:num_models]
