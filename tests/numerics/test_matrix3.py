"""Small matrices against NumPy."""

import numpy as np
import pytest

from cvscore.numerics.matrix3 import inverse_of, smallest_singular_value


def test_inverse(rng):
    for _ in range(20):
        matrix = rng.normal(size=(3, 3))
        inverse = np.linalg.inv(matrix)
        scale = np.abs(inverse).max()
        np.testing.assert_allclose(inverse_of(matrix), inverse, atol=1e-10 * scale)


def test_the_smallest_singular_value_of_what_is_nearly_singular(rng):
    for size in (0.0, 1e-12, 1e-6):
        U, Vt = (np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2))
        matrix = U @ np.diag([1.0, 0.3, size]) @ Vt
        found = smallest_singular_value(matrix)
        assert found == pytest.approx(size, rel=1e-3, abs=1e-15)
    assert smallest_singular_value(np.zeros((3, 3))) == 0.0
