"""Total least squares of affine maps, in closed form.

With noise in both sets the residual is the distance of a match, a point of 2 D
coordinates, to the D-dimensional flat of all matches that the map explains (see
`cvscore.models.point_map`).  The flat of least weighted squared distances goes through
the centre, and its normals are the D eigenvectors of the scatter that have the smallest
eigenvalues (Golub, Van Loan 1980).  With these as the columns of ``[N1; N2]`` a match
on the flat has ``N1' x1 + N2' x2 = 0``, so ``A = -N2^-T N1'``.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.models.refiners.moments import weighted_moments
from cvscore.models.refiners.procrustes import write_map
from cvscore.numerics.linalg import EPSILON, diagonalise, eliminate_below
from cvscore.numerics.shell_sort import write_order


@kernel
def refit_affine(model, points, weights, _, __):
    """Fit ``[A | t]``; ``model`` itself where the points fix none.

    Parameters
    ----------
    model : (D, D + 1) array
    points : (2 D, N) array
    weights : (N,) array
        Not negative.
    """
    dim = model.shape[0]
    centre, scatter = np.empty(2 * dim), np.empty((2 * dim, 2 * dim))
    if weighted_moments(points, weights, centre, scatter) <= dim:
        return model
    vectors = np.empty((2 * dim, 2 * dim))
    diagonalise(scatter, vectors)
    variances, order = np.empty(2 * dim), np.empty(2 * dim, dtype=np.int64)
    for i in range(2 * dim):
        variances[i] = scatter[i, i]
    write_order(variances, order)
    # Points of one line or plane lie on many flats.
    spread = variances[order[2 * dim - 1]]
    if not variances[order[dim]] > EPSILON * spread:
        return model
    system, A = np.empty((dim, 2 * dim)), np.empty((dim, dim))
    for i in range(dim):
        for j in range(dim):
            system[i, j] = vectors[dim + j, order[i]]
            system[i, dim + j] = -vectors[j, order[i]]
    if not solve_for_matrix(system, A) > EPSILON:
        return model
    refined = np.empty(model.shape)
    write_map(A, 1.0, centre, refined)
    return refined


@kernel
def solve_for_matrix(system, solution):
    """Solve ``P X = Q`` given as rows ``[P | Q]`` (D, 2 D), overwritten.

    ``solution`` (D, D) is written.  Returns the smallest pivot over the largest, 0 for
    a singular P.
    """
    dim = solution.shape[0]
    margin = eliminate_below(system)
    for i in range(dim - 1, -1, -1):
        for j in range(dim):
            value = system[i, dim + j]
            for k in range(i + 1, dim):
                value -= system[i, k] * solution[k, j]
            solution[i, j] = value
    return margin
