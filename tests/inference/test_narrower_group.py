"""A narrower group of right matches is found among near misses, and only there."""

import numpy as np
import pytest

from cvscore.inference.narrower_group import find_narrower_group
from cvscore.inference.residual_mixture import fit_residuals

NUM_PARAMS = {1: 5, 2: 8, 3: 6}
LEAST = 1e-24


def belief(rng, dim, num_right, num_near, scale=0.5, miss=6.0):
    """Look for right matches among near misses, which the mixture takes for right.

    Without near misses it has the right ones.
    """
    groups = [(num_right, scale), (num_near, miss)]
    noise = [np.linalg.norm(rng.normal(0, s, (n, dim)), axis=1) for n, s in groups]
    residuals = np.concatenate([*noise, 200.0 * rng.random(300) ** (1 / dim)])
    inliers = num_near if num_near else num_right
    variance = (miss if num_near else scale) ** 2
    given = residuals**2, dim, NUM_PARAMS[dim]
    mixture = fit_residuals(*given, variance, float(inliers), variance, variance)
    return find_narrower_group(mixture, *given, 0.0, LEAST)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_right_matches_among_near_misses_are_found(dim):
    for seed in range(20):
        group, odds = belief(np.random.default_rng(seed), dim, 150, 300)
        assert odds > 0.99
        assert 0.4 < np.sqrt(group.variance) < 0.65
        assert 110 < group.num_right < 190


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_plain_noise_has_no_narrower_group(dim):
    beliefs = [belief(np.random.default_rng(k), dim, 200, 0)[1] for k in range(200)]
    assert np.mean(beliefs) < 0.02


def test_they_do_not_depend_on_the_unit(rng):
    residuals = np.abs(np.append(rng.normal(0, 0.5, 80), rng.normal(0, 5, 200)))
    found = []
    for unit in (1.0, 1e-6, 1e6):
        sq_residuals, variance = (unit * residuals) ** 2, 25.0 * unit**2
        bounds = LEAST * unit**2, 50.0 * unit**2
        mixture = fit_residuals(sq_residuals, 1, 5, variance, 200.0, *bounds)
        group, odds = find_narrower_group(mixture, sq_residuals, 1, 5, 0.0, bounds[0])
        found.append((np.sqrt(group.variance) / unit, group.num_right, odds))
    np.testing.assert_allclose(found[1:], [found[0]] * 2, rtol=1e-3)


@pytest.mark.parametrize(("num_close", "low", "high"), [(5, 0.0, 0.5), (15, 0.99, 1)])
def test_as_many_close_matches_as_parameters_are_no_group(num_close, low, high, rng):
    # What a model of five parameters passes through is close for that reason.
    close = np.abs(rng.normal(0, 1e-3, num_close))
    residuals = np.append(close, np.abs(rng.normal(0, 1.0, 300)))
    given = residuals**2, 1, 5
    mixture = fit_residuals(*given, 1.0, 300.0, LEAST, 2.0)
    assert low <= find_narrower_group(mixture, *given, 0.0, LEAST)[1] <= high


def test_nothing_near_is_no_group():
    mixture = fit_residuals(np.full(3, 1.0), 1, 5, 1.0, 3.0, LEAST, 2.0)
    assert find_narrower_group(mixture, np.empty(0), 1, 5, 0.0, LEAST)[1] < 0.5


def test_what_is_closer_than_near_misses_is_noise(rng):
    residuals = np.abs(np.append(rng.normal(0, 0.5, 80), rng.normal(0, 5, 200)))
    given = residuals**2, 1, 5
    mixture = fit_residuals(*given, 25.0, 200.0, 25.0, 25.0)
    assert find_narrower_group(mixture, *given, 4.0**2, LEAST)[1] > 0.99
    assert find_narrower_group(mixture, *given, 6.0**2, LEAST)[1] == 0.0
