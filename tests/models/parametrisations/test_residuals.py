"""Whitened residuals of every parametrisation, and their derivatives."""

import numpy as np
import pytest

from benchmarks.methods.cvscore import estimate_pair
from benchmarks.problems import PROBLEMS
from cvscore.models.parametrisations import point_maps
from cvscore.types.parametrisation import Fit

STEP = 1e-6


@pytest.fixture(params=PROBLEMS, scope="module")
def posterior(request):
    return estimate_pair(PROBLEMS[request.param].generate("small", 0, "val")).posterior


def test_their_squares_sum_to_the_squared_residuals(posterior):
    near, within = posterior.near, posterior.reach.within
    squares = (near.residuals**2).sum(axis=0)
    np.testing.assert_allclose(squares, posterior.sq_residuals[within], rtol=1e-6)


def test_the_jacobian_is_their_derivative(posterior):
    near, fit = posterior.near, posterior.fit._replace(points=posterior.near.places)
    is_essential = posterior.parametrisation.names[-1] == "direction_2"
    # Essential matrices are scaled as [t]x R is, which has the norm of root two.
    scale = np.sqrt(2.0) / np.linalg.norm(fit.model) if is_essential else 1.0
    for k, change in enumerate(posterior.basis):
        sides = [
            posterior.parametrisation.residuals(
                fit._replace(model=scale * fit.model + sign * STEP * change)
            )
            for sign in (1.0, -1.0)
        ]
        slopes = (sides[0] - sides[1]) / (2.0 * STEP)
        size = np.abs(near.jacobian[:, :, k]).max()
        # The whitening is taken as constant, which it is but for parts of residuals.
        np.testing.assert_allclose(slopes, near.jacobian[:, :, k], atol=0.02 * size)


def test_maps_that_stretch_beyond_all_digits_have_residuals():
    """Of I + A A' nothing of I would be left, and rounding not even positive."""
    A = 1e12 * np.array([[3.0, 1.0], [9.0, 3.0]])
    points = np.vstack([np.zeros((2, 3)), np.eye(2, 3)])
    model = np.column_stack([A, np.zeros(2)])
    found = point_maps.residuals(Fit(model=model, points=points, cameras=()))
    assert np.isfinite(found).all()
    # A point in the other set moves a residual by no more than its own move.
    assert (np.linalg.norm(found, axis=0) <= 1.0 + 1e-3).all()
