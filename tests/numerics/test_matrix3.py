"""Small matrices against NumPy."""

import numpy as np

from cvscore.numerics.matrix3 import inverse_of


def test_inverse(rng):
    for _ in range(20):
        matrix = rng.normal(size=(3, 3))
        inverse = np.linalg.inv(matrix)
        scale = np.abs(inverse).max()
        np.testing.assert_allclose(inverse_of(matrix), inverse, atol=1e-10 * scale)
