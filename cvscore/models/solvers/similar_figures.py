"""The similarity of a segment to a segment, or of a triangle to a triangle in space.

Two triangles in space have a plane each, and the rotation that brings one closest to
the other takes plane to plane: with orthonormal frames of both, the normals on the side
from which the corners are seen in the same sense, what is left is a rotation in the
plane.  The best one has sine and cosine proportional to two sums over the corners, as
for any points of the plane, so that no matrix has to be decomposed.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.models.refiners.procrustes import FREE_SCALE, symmetric_scale, write_map
from cvscore.models.solvers.four_point import MIN_FLATNESS


@kernel
def map_of_similar_figures(points, samples, constants):
    """Least-squares ``[s R | t]`` of minimal samples.

    Parameters
    ----------
    points : (2 D, N) array
        D = 2 or 3.
    samples : (B, D) int array
    constants : (1,) array
        1 where the scale is free, 0 where it is one.

    Returns
    -------
    (K, D, D + 1) array
        Of the samples that have no two points in one place, nor three on a line.
    """
    dim = points.shape[0] // 2
    models = np.empty((samples.shape[0], dim, dim + 1))
    frames = np.zeros((2, dim, dim))
    flat, turn, centre = np.empty((4, dim)), np.empty((dim, dim)), np.empty(2 * dim)
    num_models = 0
    for b in range(samples.shape[0]):
        is_figure = True
        for side in range(2):
            corners = points[side * dim : (side + 1) * dim]
            of_side = flat[2 * side : 2 * side + 2]
            if dim == 2:
                is_figure &= _lay_segment(corners, samples[b], of_side)
            else:
                frame = frames[side]
                is_figure &= _lay_triangle(corners, samples[b], of_side, frame)
            for row in range(dim):
                total = 0.0
                for j in range(dim):
                    total += corners[row, samples[b, j]]
                centre[side * dim + row] = total / dim
        if not is_figure:
            continue
        cosine, sine, agreement, spread1, spread2 = _turn_in_plane(flat)
        if not agreement > 0.0:
            continue
        if dim == 2:
            turn[0, 0] = turn[1, 1] = cosine
            turn[1, 0] = sine
            turn[0, 1] = -sine
        else:
            _write_turn(frames[0], frames[1], cosine, sine, turn)
        scale = 1.0
        if constants[FREE_SCALE] > 0.0:
            scale = symmetric_scale(agreement, spread1, spread2)
        write_map(turn, scale, centre, models[num_models])
        num_models += 1
    return models[:num_models]


@kernel
def _lay_segment(points, sample, flat):
    """Write the ends of a segment about its middle, (2, 2); False if it has none."""
    length = 0.0
    for row in range(2):
        half = 0.5 * (points[row, sample[1]] - points[row, sample[0]])
        flat[row, 0], flat[row, 1] = -half, half
        length += abs(half)
    return length > 0.0


@kernel
def _lay_triangle(points, sample, flat, frame):
    """Write the corners of a triangle in its plane about their centre, (2, 3).

    The rows of ``frame`` (3, 3) become the axes of the plane and its normal.  Returns
    False if the corners lie on a line.
    """
    a, b, c = sample[0], sample[1], sample[2]
    ux, uy, uz = (
        points[0, b] - points[0, a],
        points[1, b] - points[1, a],
        points[2, b] - points[2, a],
    )
    vx, vy, vz = (
        points[0, c] - points[0, a],
        points[1, c] - points[1, a],
        points[2, c] - points[2, a],
    )
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    sq_u, sq_v = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    sq_w = (vx - ux) ** 2 + (vy - uy) ** 2 + (vz - uz) ** 2
    normal = math.sqrt(nx * nx + ny * ny + nz * nz)
    # Twice the area over the square of the longest side is height over longest side.
    if not normal > MIN_FLATNESS * max(sq_u, sq_v, sq_w):
        return False
    length = math.sqrt(sq_u)
    ux, uy, uz = ux / length, uy / length, uz / length
    nx, ny, nz = nx / normal, ny / normal, nz / normal
    frame[0, 0], frame[0, 1], frame[0, 2] = ux, uy, uz
    frame[1, 0] = ny * uz - nz * uy
    frame[1, 1] = nz * ux - nx * uz
    frame[1, 2] = nx * uy - ny * ux
    frame[2, 0], frame[2, 1], frame[2, 2] = nx, ny, nz
    # The corners are (0, 0), (length, 0) and (along, height).
    along, height = vx * ux + vy * uy + vz * uz, normal / length
    x, y = (length + along) / 3.0, height / 3.0
    flat[0, 0], flat[0, 1], flat[0, 2] = -x, length - x, along - x
    flat[1, 0], flat[1, 1], flat[1, 2] = -y, -y, height - y
    return True


@kernel
def _turn_in_plane(flat):
    """Cosine and sine of the best turn of points (4, D), how well they agree, spreads.

    The first two rows are the points about their centre, the others where they go.
    """
    cosine, sine, spread1, spread2 = 0.0, 0.0, 0.0, 0.0
    for j in range(flat.shape[1]):
        x, y, u, v = flat[0, j], flat[1, j], flat[2, j], flat[3, j]
        cosine += x * u + y * v
        sine += x * v - y * u
        spread1 += x * x + y * y
        spread2 += u * u + v * v
    agreement = math.hypot(cosine, sine)
    return cosine / agreement, sine / agreement, agreement, spread1, spread2


@kernel
def _write_turn(frame1, frame2, cosine, sine, turn):
    """Write the rotation (3, 3) from one frame to the other, turned in the plane."""
    for i in range(3):
        first = cosine * frame2[0, i] + sine * frame2[1, i]
        second = cosine * frame2[1, i] - sine * frame2[0, i]
        for j in range(3):
            turn[i, j] = (
                first * frame1[0, j]
                + second * frame1[1, j]
                + frame2[2, i] * frame1[2, j]
            )
