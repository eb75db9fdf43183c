"""Fundamental matrices that share a plane: from its homography and two points off it.

Where most matches lie on a plane, few samples of seven hold enough points off it, and
those with six on it leave F open.  But the plane's homography fixes F up to the
epipole: ``F = [e2]x H``.  For a point off the plane, x2, ``H x1`` and e2 lie on one
line, so two such points give e2 as the intersection of their lines ``x2 x H x1``.

Orientation.  With the plane ``n' X = d`` in the first camera, a point ``X = d1 x1``
that the second sees at ``d2 x2`` has ``d2 x2 = d1 H x1 + (1 - n' X / d) e2``, for the
oriented H and a suitable multiple e2 of the epipole.  The depths are positive, so
``e2 x x2`` is a positive multiple of ``e2 x H x1``, even where ``H x1`` is beyond the
horizon of the plane.  Pairs that break this are dropped.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.matrix3 import line_agreement, scale_to_unit_norm

# Sine of the angle between the rays of x2 and H x1, and between two lines of parallax,
# under which they are one: ten times the rounding of coordinates stored as float32.
MIN_SINE = 1e-6


@kernel
def fundamental_from_plane_and_parallax(H, points, pairs):
    """Fundamental matrices of a plane's homography and two matches off the plane each.

    Parameters
    ----------
    H : (3, 3) array
        Oriented: the third coordinate of ``H x1`` is positive on the visible side.
    points : (4, N) array
        Rows ``x1, y1, x2, y2``, of order one.
    pairs : (B, 2) array of indices

    Returns
    -------
    (K, 3, 3) array
        Of rank two and unit norm; ``K <= B``: none for a pair with a match on the
        plane, with both matches on one line of parallax, or against orientation.
    """
    models = np.empty((pairs.shape[0], 3, 3))
    epipole = np.empty(3)
    num_models = 0
    for b in range(pairs.shape[0]):
        a0, a1, a2 = _parallax_line(H, points, pairs[b, 0])
        b0, b1, b2 = _parallax_line(H, points, pairs[b, 1])
        e0, e1, e2 = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
        # The lines are of unit length, or zero; a NaN fails as well.
        if not e0 * e0 + e1 * e1 + e2 * e2 > MIN_SINE * MIN_SINE:
            continue
        model = models[num_models]
        for j in range(3):
            model[0, j] = e1 * H[2, j] - e2 * H[1, j]
            model[1, j] = e2 * H[0, j] - e0 * H[2, j]
            model[2, j] = e0 * H[1, j] - e1 * H[0, j]
        scale_to_unit_norm(model)
        epipole[0], epipole[1], epipole[2] = e0, e1, e2
        if (
            line_agreement(model, epipole, points, pairs[b, 0]) > 0.0
            and line_agreement(model, epipole, points, pairs[b, 1]) > 0.0
        ):
            num_models += 1
    return models[:num_models]


@kernel
def _parallax_line(H, points, i):
    """Return the unit line through x2 and ``H x1``, zero for a match on the plane."""
    x1, y1, x2, y2 = points[0, i], points[1, i], points[2, i], points[3, i]
    p = H[0, 0] * x1 + H[0, 1] * y1 + H[0, 2]
    q = H[1, 0] * x1 + H[1, 1] * y1 + H[1, 2]
    w = H[2, 0] * x1 + H[2, 1] * y1 + H[2, 2]
    l0, l1, l2 = y2 * w - q, p - x2 * w, x2 * q - y2 * p
    sq_norm = l0 * l0 + l1 * l1 + l2 * l2
    rays = (x2 * x2 + y2 * y2 + 1.0) * (p * p + q * q + w * w)
    if not sq_norm > MIN_SINE * MIN_SINE * rays:
        return 0.0, 0.0, 0.0
    norm = np.sqrt(sq_norm)
    return l0 / norm, l1 / norm, l2 / norm
