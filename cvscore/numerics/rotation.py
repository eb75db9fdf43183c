"""The rotation that brings one set of vectors closest to another (Horn, 1987)."""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.linalg import diagonalise


@kernel
def closest_rotation(products):
    """Rotation R (3, 3) that maximises the sum of ``b . R a`` over pairs of vectors.

    In unit quaternions that sum is a quadratic form, and the best one its eigenvector
    of largest eigenvalue.

    Parameters
    ----------
    products : (3, 3) array
        The sum of ``a b'`` over the pairs, with any weights.

    Returns
    -------
    R : (3, 3) array
    largest : float
        The sum that it reaches; never negative.
    """
    form = np.empty((4, 4))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        form[0, i + 1] = form[i + 1, 0] = products[j, k] - products[k, j]
        form[j + 1, k + 1] = form[k + 1, j + 1] = products[j, k] + products[k, j]
        form[i + 1, i + 1] = products[i, i] - products[j, j] - products[k, k]
    form[0, 0] = products[0, 0] + products[1, 1] + products[2, 2]
    vectors = np.empty((4, 4))
    diagonalise(form, vectors)
    best = 0
    for i in range(1, 4):
        best = i if form[i, i] > form[best, best] else best
    return _rotation_of_quaternion(vectors[:, best]), form[best, best]


@kernel
def _rotation_of_quaternion(quaternion):
    """Rotation (3, 3) of a unit quaternion (4,), the real part first."""
    w, v = quaternion[0], quaternion[1:]
    R = np.empty((3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        R[i, i] = w * w + v[i] * v[i] - v[j] * v[j] - v[k] * v[k]
        R[i, j] = 2.0 * (v[i] * v[j] - w * v[k])
        R[j, i] = 2.0 * (v[i] * v[j] + w * v[k])
    return R
