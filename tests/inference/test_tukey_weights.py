"""Slopes and efficiencies of Tukey's weights against samples."""

import numpy as np
import pytest

from cvscore.inference.tukey_weights import CUT, biweights, mean_slopes, of_normal


@pytest.mark.parametrize("narrowing", [1.0, 0.7])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_slope_and_efficiency_are_those_of_samples(dim, narrowing):
    r = np.random.default_rng(5).normal(size=(400_000, dim))
    sq = (r**2).sum(axis=1)
    u = np.minimum(sq / (narrowing * CUT) ** 2, 1.0)
    weights = (1.0 - u) ** 2
    slope = np.mean(weights - 4.0 * u * (1.0 - u) / dim)
    pull = np.mean(weights**2 * sq) / dim
    found = of_normal(dim, narrowing)
    assert found.slope == pytest.approx(slope, abs=0.01)
    assert found.efficiency == pytest.approx(slope**2 / pull, abs=0.01)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_slopes_are_derivatives_of_weighted_residuals(dim):
    r = np.random.default_rng(0).normal(size=(50, dim))
    step = 1e-6

    def pulled(r):
        return biweights((r**2).sum(axis=1), 1.0)[:, None] * r

    expected = np.zeros(50)
    for k in range(dim):
        ahead, behind = (pulled(r + s * np.eye(dim)[k]) for s in (step, -step))
        expected += (ahead - behind)[:, k] / (2.0 * step * dim)
    found = mean_slopes(biweights((r**2).sum(axis=1), 1.0), dim)
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_an_exact_fit_weighs_all_alike():
    np.testing.assert_array_equal(biweights(np.array([0.0, 4.0]), 0.0), [1.0, 1.0])
