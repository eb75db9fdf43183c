"""Where on its epipolar line a match lies: in front or behind, and at what angle."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.matrix3 import inverse_of, product_of
from cvscore.numerics.quickselect import move_smallest_first
from cvscore.types import Array, Mask


class Parallax(NamedTuple):
    """Matches along their epipolar lines, under a pose.

    Attributes
    ----------
    in_front : (N,) bool array
        Whether the two rays meet, or come closest, in front of both cameras.
    from_infinity : (N,) array
        Distance in pixels, in image 2, from where the first point would be seen if it
        were infinitely far; infinite where that is behind camera 2.
    angles : (N,) array
        Triangulation angles, radians.
    turns : (N,) array
        From the ray that the first point would have in camera 2 if it were infinitely
        far, to that of the second point, in the plane of the former and the baseline;
        radians from -pi to pi, positive in front and small for far points.
    """

    in_front: Mask
    from_infinity: Array
    angles: Array
    turns: Array


@kernel
def parallax_of(points, K1, K2, R, t):
    """Place matches on their epipolar lines.

    Parameters
    ----------
    points : (4, N) array
        Pixels of the two images.
    K1, K2 : (3, 3) arrays
        Camera matrices.
    R, t : (3, 3) and (3,) array
        Camera 2 from camera 1; the translation may be zero.

    Returns
    -------
    Parallax

    Notes
    -----
    Rays ``a`` (turned into camera 2) and ``b`` meet where ``a + r t = l b``, with ``r``
    the inverse depth in camera 1 and ``l`` the ratio of depths.  Its cross product with
    ``b`` gives ``r``, that with ``t`` gives ``l``.
    """
    num = points.shape[1]
    turned, inverse2 = product_of(R, inverse_of(K1)), inverse_of(K2)
    in_front = np.empty(num, dtype=np.bool_)
    from_infinity, angles, turns = np.empty(num), np.empty(num), np.empty(num)
    a, b, c = np.empty(3), np.empty(3), np.empty(3)
    for i in range(num):
        for j in range(3):
            a[j] = turned[j, 0] * points[0, i] + turned[j, 1] * points[1, i]
            a[j] += turned[j, 2]
            b[j] = inverse2[j, 0] * points[2, i] + inverse2[j, 1] * points[3, i]
            b[j] += inverse2[j, 2]
        bt, ba, at = _cross(b, t), _cross(b, a), _cross(a, t)
        sq_norm = bt[0] ** 2 + bt[1] ** 2 + bt[2] ** 2
        r = -(ba[0] * bt[0] + ba[1] * bt[1] + ba[2] * bt[2])
        ratio = at[0] * bt[0] + at[1] * bt[1] + at[2] * bt[2]
        in_front[i] = r > 0.0 and ratio > 0.0
        r = r / sq_norm if sq_norm > 0.0 else 0.0
        from_infinity[i] = np.inf
        w = K2[2, 0] * a[0] + K2[2, 1] * a[1] + K2[2, 2] * a[2]
        if w > 0.0:
            u = (K2[0, 0] * a[0] + K2[0, 1] * a[1] + K2[0, 2] * a[2]) / w
            v = (K2[1, 0] * a[0] + K2[1, 1] * a[1] + K2[1, 2] * a[2]) / w
            from_infinity[i] = math.hypot(points[2, i] - u, points[3, i] - v)
        for j in range(3):
            c[j] = a[j] + r * t[j]
        n = _cross(a, c)
        sine = math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
        angle = math.atan2(sine, a[0] * c[0] + a[1] * c[1] + a[2] * c[2])
        angles[i] = min(angle, math.pi - angle)
        turns[i] = angle if r > 0.0 else -angle
        if ratio < 0.0:  # the second ray points the other way
            turns[i] -= math.copysign(math.pi, turns[i])
    return Parallax(in_front, from_infinity, angles, turns)


@kernel
def are_behind(parallax, tolerance):
    """Whether matches (N,) lie behind a camera, and not by noise alone.

    A far point may be seen on the wrong side of infinity, by as many pixels as the
    ``tolerance`` for noise.
    """
    return ~parallax.in_front & (parallax.from_infinity > tolerance)


@kernel
def median_angle(angles, chosen):
    """Return the median of the angles (N,) that are chosen, -1 where none is."""
    some = angles[chosen]
    num = some.shape[0]
    if num == 0:
        return -1.0
    move_smallest_first(some, num // 2 + 1)
    upper = some[num // 2]
    if num % 2 == 1:
        return upper
    lower = some[0]
    for i in range(1, num // 2):
        lower = max(lower, some[i])
    return 0.5 * (lower + upper)


@kernel
def _cross(u, v):
    return (
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    )
