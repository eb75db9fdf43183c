"""Which matches belong to a model, and which of them a mapper gets."""

import numpy as np
import pytest
from scipy import special

from cvscore.inference.inlier_mixture import fit_mixture


def mixture(rng, dim, num=20_000, share=0.6, scale=2.0, half_width=300.0):
    """Residuals of right matches, and of chance with a constant density."""
    is_right = rng.random(num) < share
    noise = np.linalg.norm(rng.normal(0, scale, (num, dim)), axis=1)
    radius = half_width * rng.random(num) ** (1 / dim)  # uniform in a ball
    volume = np.pi ** (dim / 2) / special.gamma(dim / 2 + 1) * half_width**dim
    return np.where(is_right, noise, radius), is_right, 1.0 / volume


@pytest.mark.parametrize("dim", [1, 2, 3, 6])
@pytest.mark.parametrize("start", [0.5, 2.0, 5.0])
def test_share_and_scale_are_found_from_afar(rng, dim, start):
    residuals, is_right, density = mixture(rng, dim)
    found = fit_mixture(residuals**2, dim, density, 0.3, start)
    assert found.share == pytest.approx(0.6, abs=0.02)
    assert found.scale == pytest.approx(2.0, rel=0.03)
    # At the threshold the two densities, weighted by their shares, are equal.
    noise = np.exp(-0.5 * (found.threshold / found.scale) ** 2)
    noise /= (2 * np.pi * found.scale**2) ** (dim / 2)
    odds = found.share * noise / ((1 - found.share) * density)
    assert odds == pytest.approx(1.0, rel=1e-6)
    labels = residuals < found.threshold
    # No other threshold has fewer wrong labels, up to chance.
    num_wrong = np.count_nonzero(labels != is_right)
    for other in np.linspace(0.3, 3, 28) * found.threshold:
        assert num_wrong <= np.count_nonzero((residuals < other) != is_right) + 60


def test_log_odds_are_those_of_the_mixture(rng):
    residuals, _, density = mixture(rng, 1, num=500)
    found = fit_mixture(residuals**2, 1, density, 0.5, 1.0)
    noise = np.exp(-0.5 * (residuals / found.scale) ** 2)
    noise /= np.sqrt(2 * np.pi) * found.scale
    right = found.share * noise / density
    near = residuals < 20 * found.scale
    expected = np.log(right[near] / (1 - found.share))
    np.testing.assert_allclose(found.log_odds(residuals**2)[near], expected, rtol=1e-6)
    likelihood = np.log(right + 1 - found.share).sum()
    assert found.log_likelihood == pytest.approx(likelihood, abs=0.05)


def test_unit_does_not_matter(rng):
    residuals, _, density = mixture(rng, 2, num=500)
    found = fit_mixture(residuals**2, 2, density, 0.5, 1.0)
    small = fit_mixture((residuals / 1000) ** 2, 2, density * 1e6, 0.5, 1e-3)
    assert small.threshold == pytest.approx(found.threshold / 1000, rel=1e-9)


def test_clean_and_exact_data_keep_all(rng):
    residuals = np.abs(rng.normal(0, 1.0, 200))
    found = fit_mixture(residuals**2, 1, 1 / 1000, 0.9, 1.0)
    assert (residuals < found.threshold).mean() > 0.98
    exact = fit_mixture(np.zeros(50), 1, 1 / 1000, 0.9, 1e-9)
    assert np.isfinite(exact.threshold)
    assert (exact.log_odds(np.zeros(50)) > 0).all()
