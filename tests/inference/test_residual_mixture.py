"""The mixture about a model: a density, whose shares are those of the matches."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

from cvscore.inference.residual_mixture import (
    ResidualMixture,
    density_of_wrong,
    expected,
    fit_residuals,
)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_shares_and_variance_are_those_of_the_matches(dim):
    rng = np.random.default_rng(dim)
    right = np.linalg.norm(rng.normal(0, 0.7, (4000, dim)), axis=1)
    wrong = 56.0 * rng.random(6000) ** (1 / dim)
    sq_residuals = np.append(right, wrong) ** 2
    found = fit_residuals(sq_residuals, dim, 5, 1.0, 3000.0, 1e-24, 100.0)
    assert np.sqrt(found.variance) == pytest.approx(0.7, rel=0.04)
    assert found.share == pytest.approx(0.4, abs=0.03)
    total = found.share + found.balls.sum() + found.lines.sum()
    assert total == pytest.approx(1.0)


def test_the_variance_stays_between_its_bounds(rng):
    sq_residuals = rng.normal(0, 1.0, 500) ** 2
    for least, most in ((4.0, 9.0), (0.01, 0.25), (0.5, 0.5)):
        found = fit_residuals(sq_residuals, 1, 5, most, 400.0, least, most)
        assert least <= found.variance <= most


@pytest.mark.parametrize("dim", [1, 2])
def test_wrong_matches_have_a_density(dim):
    shares = np.array([0.1, 0.2, 0.3])
    balls, lines = (shares, 0.0 * shares) if dim == 1 else (0.0 * shares, shares)
    mixture = ResidualMixture(0.4, 0.49, np.inf, balls, lines)
    radii = np.linspace(0.0, 80 * 0.7, 400_001)
    density = density_of_wrong(mixture, radii**2, dim)
    shells = 2.0 if dim == 1 else 2.0 * np.pi * radii
    # Lines are softened close by, which takes a little of them away.
    mass = trapezoid(shells * density, radii)
    assert mass == pytest.approx(0.6, rel=1e-3 if dim == 1 else 0.1)
    assert np.isnan(density_of_wrong(mixture, np.array([57.0**2]), dim)).all()


def test_probabilities_are_the_parts_of_the_density():
    shares = np.array([0.1, 0.2, 0.3])
    mixture = ResidualMixture(0.4, 0.49, np.inf, shares, 0.0 * shares)
    sq_residuals = np.array([0.0, 1.0, 4.0, 9.0])
    right = 0.4 * np.exp(-0.5 * sq_residuals / 0.49) / np.sqrt(2 * np.pi * 0.49)
    wrong = density_of_wrong(mixture, sq_residuals, 1)
    found = expected(mixture, sq_residuals, 1)[0]
    np.testing.assert_allclose(found, right / (right + wrong), rtol=1e-12)
