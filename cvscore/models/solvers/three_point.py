"""The poses of a camera that sees three known points: P3P without a quartic.

With unit rays y_i and depths m_i along them, the sides of the triangle are known:

    |m_i y_i - m_j y_j|**2 = (m_i - m_j)**2 + c_ij m_i m_j = a_ij,

    c_ij = |y_i - y_j|**2.

Two ratios of these are two conics in the plane of (m_1 : m_2 : m_3), and the points
that they share are the solutions (`conic_pencil`).  A cubic and square roots do, as in
Persson and Nordberg (2018, Lambda Twist) and Ding et al. (2023); a quartic, whose close
roots lose half of their digits, never appears.  Newton's method on the three equations
then gives back what rounding has taken.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.models.solvers.conic_pencil import meet, split_lines, write_line_pair

MAX_POSES = 4
# Sine of the triangle's angle below which its points are on a line.
MIN_SINE = 1e-6
MAX_DEPTH_STEPS = 6
# Of the squared sides: where Newton's method leaves more, there is no solution.
SOLVED = 1e-9
LAST_NEWTON_STEP = 1e-15


@kernel
def absolute_poses_3pt(points, samples, inverse):
    """All poses of each sample of three points, which are in front of the camera.

    Parameters
    ----------
    points : (5, N) array
        Rows ``u, v, X, Y, Z``: image points and scene points.
    samples : (B, 3) array of int
    inverse : (3, 3) array
        Inverse of the camera matrix.

    Returns
    -------
    (K, 3, 4) array
        ``[R | t]``, at most four for each sample, none for points on a line.
    """
    num_samples = samples.shape[0]
    poses = np.empty((MAX_POSES * num_samples, 3, 4))
    rays, scene = np.empty((3, 3)), np.empty((3, 3))
    depths = np.empty((MAX_POSES, 3))
    first, second = np.empty((3, 3)), np.empty((3, 3))
    num_poses = 0
    for b in range(num_samples):
        for n in range(3):
            i = samples[b, n]
            _write_ray(points[0, i], points[1, i], inverse, rays[n])
            for k in range(3):
                scene[n, k] = points[2 + k, i]
        if not _write_frame(scene, first):
            continue
        num_depths = _write_depths(rays, scene, depths)
        for k in range(num_depths):
            for n in range(3):
                for j in range(3):
                    second[n, j] = depths[k, n] * rays[n, j]
            if _write_pose(scene, first, second, poses[num_poses]):
                num_poses += 1
    return poses[:num_poses]


@kernel
def _write_ray(u, v, inverse, ray):
    """Write the unit vector from the camera through an image point."""
    sq_norm = 0.0
    for i in range(3):
        ray[i] = inverse[i, 0] * u + inverse[i, 1] * v + inverse[i, 2]
        sq_norm += ray[i] * ray[i]
    scale = 1.0 / np.sqrt(sq_norm)
    for i in range(3):
        ray[i] *= scale


@kernel
def _write_depths(rays, scene, depths):
    """Write the depths (K, 3) of three rays (3, 3) to points (3, 3); return K."""
    sides, chords = np.empty(3), np.empty(3)  # of the pairs (2, 3), (3, 1), (1, 2)
    largest = 0.0
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        sides[k] = chords[k] = 0.0
        for m in range(3):
            sides[k] += (scene[i, m] - scene[j, m]) ** 2
            chords[k] += (rays[i, m] - rays[j, m]) ** 2
        largest = max(largest, sides[k])
        if not chords[k] > 0.0:
            return 0
    unit = np.sqrt(largest)
    for k in range(3):
        sides[k] /= largest
    a, b = np.empty((3, 3)), np.empty((3, 3))
    _write_conic(sides, chords, 2, 0, a)
    _write_conic(sides, chords, 1, 0, b)
    one, other = np.empty((3, 3)), np.empty((3, 3))
    if not write_line_pair(a, b, one, other):
        return 0
    lines = np.empty((2, 3))
    num_lines = split_lines(one, lines)
    num_depths = 0
    for n in range(num_lines):
        num_depths = meet(lines[n], other, depths, num_depths)
    num_kept = 0
    for n in range(num_depths):
        if _polish(depths[n], sides, chords):
            for k in range(3):
                depths[num_kept, k] = unit * depths[n, k]
            num_kept += 1
    return num_kept


@kernel
def _write_conic(sides, chords, p, q, conic):
    """Write the conic on which the sides opposite to p and q have their ratio."""
    for i in range(3):
        for j in range(3):
            conic[i, j] = 0.0
    for k, other, sign in ((p, q, 1.0), (q, p, -1.0)):
        i, j = (k + 1) % 3, (k + 2) % 3
        factor = sign * sides[other]
        conic[i, i] += factor
        conic[j, j] += factor
        conic[i, j] += factor * (0.5 * chords[k] - 1.0)
        conic[j, i] = conic[i, j]


@kernel
def _polish(depths, sides, chords):
    """Scale depths (3,) to the sides and solve for them by Newton's method, in place.

    False where that leaves them without a solution.
    """
    wanted = got = 0.0
    for k in range(3):
        x, y = depths[(k + 1) % 3], depths[(k + 2) % 3]
        wanted += sides[k]
        got += (x - y) ** 2 + chords[k] * x * y
    scale = np.sqrt(wanted / got)
    m0, m1, m2 = scale * depths[0], scale * depths[1], scale * depths[2]
    c0, c1, c2 = chords[0], chords[1], chords[2]
    error = np.inf
    for _ in range(MAX_DEPTH_STEPS):
        f0 = (m1 - m2) ** 2 + c0 * m1 * m2 - sides[0]
        f1 = (m2 - m0) ** 2 + c1 * m2 * m0 - sides[1]
        f2 = (m0 - m1) ** 2 + c2 * m0 * m1 - sides[2]
        error = max(abs(f0), abs(f1), abs(f2))
        if error <= LAST_NEWTON_STEP:
            break
        # Derivatives of f0 by m1 and m2, and so on round the triangle.
        a1, a2 = 2.0 * (m1 - m2) + c0 * m2, 2.0 * (m2 - m1) + c0 * m1
        b2, b0 = 2.0 * (m2 - m0) + c1 * m0, 2.0 * (m0 - m2) + c1 * m2
        d0, d1 = 2.0 * (m0 - m1) + c2 * m1, 2.0 * (m1 - m0) + c2 * m0
        inverse = 1.0 / (a1 * b2 * d0 + a2 * b0 * d1)
        if not abs(inverse) < np.inf:
            break
        m0 -= (d1 * (a2 * f1 - b2 * f0) + a1 * b2 * f2) * inverse
        m1 -= (d0 * (b2 * f0 - a2 * f1) + a2 * b0 * f2) * inverse
        m2 -= (d0 * a1 * f1 + b0 * (d1 * f0 - a1 * f2)) * inverse
    depths[0], depths[1], depths[2] = m0, m1, m2
    return error <= SOLVED and m0 > 0.0 and m1 > 0.0 and m2 > 0.0


@kernel
def _write_frame(corners, frame):
    """Write orthonormal axes (rows) of a triangle (3, 3); false if it is a line."""
    ax, ay, az = (
        corners[1, 0] - corners[0, 0],
        corners[1, 1] - corners[0, 1],
        corners[1, 2] - corners[0, 2],
    )
    bx, by, bz = (
        corners[2, 0] - corners[0, 0],
        corners[2, 1] - corners[0, 1],
        corners[2, 2] - corners[0, 2],
    )
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    along = np.sqrt(ax * ax + ay * ay + az * az)
    normal = np.sqrt(nx * nx + ny * ny + nz * nz)
    if not normal > MIN_SINE * along * np.sqrt(bx * bx + by * by + bz * bz):
        return False
    frame[0, 0], frame[0, 1], frame[0, 2] = ax / along, ay / along, az / along
    frame[2, 0], frame[2, 1], frame[2, 2] = nx / normal, ny / normal, nz / normal
    for j in range(3):
        k, m = (j + 1) % 3, (j + 2) % 3
        frame[1, j] = frame[2, k] * frame[0, m] - frame[2, m] * frame[0, k]
    return True


@kernel
def _write_pose(scene, axes, seen, pose):
    """Write the pose that takes a triangle (3, 3) with these axes to another one."""
    turned = np.empty((3, 3))
    if not _write_frame(seen, turned):
        return False
    for i in range(3):
        pose[i, 3] = 0.0
        for j in range(3):
            pose[i, j] = 0.0
            for n in range(3):
                pose[i, j] += turned[n, i] * axes[n, j]
    for i in range(3):
        for n in range(3):
            moved = 0.0
            for j in range(3):
                moved += pose[i, j] * scene[n, j]
            pose[i, 3] += (seen[n, i] - moved) / 3.0
    return True
