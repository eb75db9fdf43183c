"""The rotation that is closest to pairs of vectors."""

import numpy as np
from scipy.spatial.transform import Rotation

from cvscore.numerics.rotation import closest_rotation


def test_it_is_that_of_the_singular_value_decomposition(rng):
    for _ in range(300):
        products = rng.normal(size=(3, 3))
        R, largest = closest_rotation(products)
        U, values, Vt = np.linalg.svd(products.T)
        signs = np.array([1.0, 1.0, np.linalg.det(U @ Vt)])
        np.testing.assert_allclose(R, U @ np.diag(signs) @ Vt, atol=1e-6)
        assert np.isclose(largest, values @ signs)
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)


def test_it_takes_vectors_of_a_plane_to_where_they_went(rng):
    a = rng.normal(size=(3, 20))
    a[2] = 0.0
    R = Rotation.random(random_state=rng).as_matrix()
    found, largest = closest_rotation(np.ascontiguousarray(a @ (R @ a).T))
    np.testing.assert_allclose(found, R, atol=1e-9)
    assert np.isclose(largest, np.sum(a**2))
