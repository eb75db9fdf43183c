"""The affine map of a triangle to a triangle, or of a tetrahedron to another.

Both follow from the edges at the first corner, ``A (b - a) = b' - a'``.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.models.refiners.procrustes import write_map
from cvscore.models.refiners.total_least_squares import solve_for_matrix
from cvscore.models.solvers.four_point import MIN_FLATNESS
from cvscore.numerics.linalg import eliminate_below


@kernel
def affine_of_simplices(points, samples, _):
    """Affine maps of minimal samples.

    Parameters
    ----------
    points : (2 D, N) array
        D = 2 or 3.
    samples : (B, D + 1) int array

    Returns
    -------
    (K, D, D + 1) array
        Of the samples that are flat in neither set.
    """
    dim = points.shape[0] // 2
    models = np.empty((samples.shape[0], dim, dim + 1))
    # Edges of both sets side by side, and with the sets in the other order.
    edges, swapped = np.empty((dim, 2 * dim)), np.empty((dim, 2 * dim))
    num_models = 0
    for b in range(samples.shape[0]):
        if dim == 2:
            is_solved = _map_triangle(points, samples[b], models[num_models])
        else:
            one = models[num_models]
            is_solved = _map_tetrahedron(points, samples[b], edges, swapped, one)
        num_models += is_solved
    return models[:num_models]


@kernel
def _map_triangle(points, sample, model):
    """Write the map (2, 3) of a triangle; False if one of the two is flat."""
    i, j, k = sample[0], sample[1], sample[2]
    x, y, x2, y2 = points[0, i], points[1, i], points[2, i], points[3, i]
    bx, by = points[0, j] - x, points[1, j] - y
    cx, cy = points[0, k] - x, points[1, k] - y
    ux, uy = points[2, j] - x2, points[3, j] - y2
    vx, vy = points[2, k] - x2, points[3, k] - y2
    area = _area_unless_flat(bx, by, cx, cy)
    if area == 0.0 or _area_unless_flat(ux, uy, vx, vy) == 0.0:
        return False
    model[0, 0], model[0, 1] = (ux * cy - vx * by) / area, (vx * bx - ux * cx) / area
    model[1, 0], model[1, 1] = (uy * cy - vy * by) / area, (vy * bx - uy * cx) / area
    model[0, 2] = x2 - model[0, 0] * x - model[0, 1] * y
    model[1, 2] = y2 - model[1, 0] * x - model[1, 1] * y
    return True


@kernel
def _area_unless_flat(bx, by, cx, cy):
    """Twice the signed area of a triangle at the origin, 0 if it is flat."""
    area = bx * cy - by * cx
    longest = max(bx * bx + by * by, cx * cx + cy * cy, (bx - cx) ** 2 + (by - cy) ** 2)
    # Twice the area over the square of the longest side is height over longest side.
    return area if abs(area) > MIN_FLATNESS * longest else 0.0


@kernel
def _map_tetrahedron(points, sample, edges, swapped, model):
    """Write the map (3, 4) of a tetrahedron; False if one of the two is flat.

    ``edges`` and ``swapped`` (3, 6) are scratch.
    """
    transposed, A, corner = np.empty((3, 3)), np.empty((3, 3)), np.empty(6)
    for row in range(6):
        corner[row] = points[row, sample[0]]
        for i in range(3):
            edges[i, row] = points[row, sample[i + 1]] - corner[row]
            swapped[i, (row + 3) % 6] = edges[i, row]
    if not solve_for_matrix(edges, transposed) > MIN_FLATNESS:
        return False
    if not eliminate_below(swapped) > MIN_FLATNESS:
        return False
    for i in range(3):
        for j in range(3):
            A[i, j] = transposed[j, i]
    write_map(A, 1.0, corner, model)
    return True
