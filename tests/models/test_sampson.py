"""Sampson residuals of epipolar models and their derivatives."""

import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose

from cvscore.models.sampson import sampson_normal_matrix, sampson_residuals


@pytest.fixture
def models(rng):
    return rng.normal(size=(4, 3, 3))


@pytest.fixture
def points(rng):
    return rng.normal(size=(4, 37))


def test_residuals_equal_the_formula(models, points):
    expected = [reference.fundamental_sampson(F, points) ** 2 for F in models]
    assert_allclose(sampson_residuals(models, points), expected, rtol=1e-10)


def test_residuals_do_not_depend_on_scale_and_sign_of_the_model(models, points):
    scaled = -3e5 * models
    assert_allclose(
        sampson_residuals(scaled, points), sampson_residuals(models, points), rtol=1e-12
    )


def test_images_can_be_exchanged(models, points):
    transposed = np.ascontiguousarray(models.transpose(0, 2, 1))
    assert_allclose(
        sampson_residuals(transposed, np.ascontiguousarray(points[[2, 3, 0, 1]])),
        sampson_residuals(models, points),
        rtol=1e-10,
    )


def test_residual_is_the_distance_to_the_nearest_match_of_the_model(models, points):
    for F in models:
        exact = reference.nearest_epipolar_match(F, points)
        offset = 1e-5 * reference.epipolar_gradient(F, exact)
        near = np.ascontiguousarray(exact + offset)
        distances = np.sqrt(sampson_residuals(F[None], near)[0])
        # The offset is along the normal of the constraint: it is the distance.
        assert_allclose(distances, np.linalg.norm(offset, axis=0), rtol=1e-2)
        assert_allclose(sampson_residuals(F[None], exact), 0, atol=1e-20)


# Compiled kernels divide by zero silently; NumPy's scalars, with the JIT off, warn.
silent = np.errstate(all="ignore")


@silent
def test_a_match_of_both_epipoles_has_no_residual():
    # [t]x with t = (0, 0, 1): both epipoles are the origin.
    F = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    points = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    sq_residuals = sampson_residuals(F[None], points)
    assert sq_residuals[0, 0] == np.inf
    assert sq_residuals[0, 1] == 0.0
    normal = sampson_normal_matrix(F, points, np.ones(2))
    assert_allclose(normal, sampson_normal_matrix(F, points[:, 1:].copy(), np.ones(1)))


@silent
@pytest.mark.parametrize("value", [0.0, 1e-200, 1e200, np.inf])
def test_residuals_are_never_nan(value, models):
    points = np.full((4, 3), value)
    points[0] = [0.0, 1.0, -value]
    zero_and_others = np.concatenate([np.zeros((1, 3, 3)), models])
    assert not np.isnan(sampson_residuals(zero_and_others, points)).any()


def test_normal_matrix_equals_products_of_finite_differences(models, points, rng):
    weights = rng.uniform(0, 2, points.shape[1])
    weights[::5] = 0.0
    for F in models:
        J = reference.finite_differences(
            lambda entries: reference.fundamental_sampson(
                entries.reshape(3, 3), points
            ),
            F.ravel(),
        )
        rows = np.column_stack([J, reference.fundamental_sampson(F, points)])
        expected = rows.T @ (weights[:, None] * rows)
        normal = sampson_normal_matrix(F, points, weights)
        assert_allclose(normal, expected, atol=1e-7 * np.abs(expected).max())
        assert_allclose(normal, normal.T, rtol=0, atol=0)


def test_gradient_is_that_of_the_cost(models, points, rng):
    weights = rng.uniform(0, 2, points.shape[1])
    for F in models:
        slope = reference.finite_differences(
            lambda entries: (
                sampson_residuals(entries.reshape(1, 3, 3), points) @ weights
            ),
            F.ravel(),
        )
        half_gradient = sampson_normal_matrix(F, points, weights)[:9, 9]
        assert_allclose(
            2 * half_gradient, slope[0], atol=1e-6 * np.abs(half_gradient).max()
        )


def test_no_points_cost_nothing(models):
    assert sampson_residuals(models, np.empty((4, 0))).shape == (4, 0)
    assert_allclose(sampson_normal_matrix(models[0], np.empty((4, 0)), np.empty(0)), 0)
