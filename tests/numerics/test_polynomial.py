"""Real roots in [-1, 1]: planted ones are found, all of them and no others."""

import numba
import numpy as np
import pytest
from numpy.polynomial import polynomial as power_basis
from numpy.testing import assert_allclose

from cvscore.numerics.polynomial import (
    bernstein_from_power,
    real_roots,
    roots_in_unit_interval,
)

NUM_RANDOM = 20 if numba.config.DISABLE_JIT else 500


def found_roots(coefficients):
    table = bernstein_from_power(len(coefficients) - 1)
    alone = np.array(coefficients, dtype=float)[:, None]
    roots, owners = roots_in_unit_interval(alone, table)
    assert not owners.any()
    return np.sort(roots)


@pytest.mark.parametrize("degree", [1, 3, 10])
def test_bernstein_coefficients_give_the_same_values(degree, rng):
    coefficients = rng.normal(size=degree + 1)
    bernstein = coefficients @ bernstein_from_power(degree)
    for z in np.linspace(-1, 1, 7):
        values = bernstein.copy()
        while len(values) > 1:  # de Casteljau at z
            values = (1 - z) / 2 * values[:-1] + (1 + z) / 2 * values[1:]
        assert_allclose(values[0], power_basis.polyval(z, coefficients), atol=1e-13)


def test_planted_roots_are_found_and_no_others(rng):
    for _ in range(NUM_RANDOM):
        num_inside, num_pairs = rng.integers(0, 5), rng.integers(0, 3)
        inside = np.sort(rng.uniform(-1, 1, num_inside))
        if num_inside > 1 and np.diff(inside).min() < 1e-3:
            continue  # rounding of the coefficients alone moves such roots
        outside = rng.choice([-1, 1], 10 - num_inside - 2 * num_pairs) * rng.uniform(
            1.01, 5, 10 - num_inside - 2 * num_pairs
        )
        coefficients = power_basis.polyfromroots(np.concatenate([inside, outside]))
        for _ in range(num_pairs):
            real, imaginary = rng.uniform(-1, 1), rng.uniform(0.05, 1)
            pair = [real**2 + imaginary**2, -2 * real, 1.0]
            coefficients = power_basis.polymul(coefficients, pair)
        assert_allclose(found_roots(coefficients), inside, atol=1e-6)


def test_as_many_as_numpy_finds_in_random_polynomials(rng):
    for _ in range(NUM_RANDOM):
        coefficients = rng.normal(size=11) * 10.0 ** rng.uniform(-2, 2, 11)
        roots = power_basis.polyroots(coefficients)
        is_real = np.abs(roots.imag) < 1e-9
        expected = np.sort(roots[is_real & (np.abs(roots) <= 1)].real)
        assert_allclose(found_roots(coefficients), expected, atol=1e-7)


@pytest.mark.parametrize(
    "roots",
    [[-1.0, 2.0, 3.0], [1.0, 2.0], [0.0, 5.0], [-1.0, 0.0, 1.0], [0.5, -0.5, 0.25]],
)
def test_roots_at_ends_and_middles_of_intervals_count_once(roots):
    expected = np.sort([z for z in roots if abs(z) <= 1])
    assert_allclose(found_roots(power_basis.polyfromroots(roots)), expected, atol=1e-12)


def test_a_double_root_is_found_at_least_once():
    coefficients = power_basis.polyfromroots([0.3, 0.3, 2.0, -3.0])
    found = found_roots(coefficients)
    assert 1 <= len(found) <= 2
    assert_allclose(found, 0.3, atol=1e-6)


def test_no_root_is_invented():
    assert len(found_roots([1.0, 0.0, 1.0])) == 0
    assert len(found_roots([3.0, 1.0])) == 0


def test_polynomials_beside_each_other_have_the_roots_that_they_have_alone(rng):
    table = bernstein_from_power(10)
    coefficients = rng.normal(size=(11, 40)) * 10.0 ** rng.uniform(-2, 2, (11, 40))
    together = real_roots(coefficients.copy(), table)
    values = together.numerators / together.denominators
    for b in range(40):
        alone = real_roots(coefficients[:, b : b + 1].copy(), table)
        expected = power_basis.polyroots(coefficients[:, b])
        expected = expected.real[np.abs(expected.imag) < 1e-9 * np.abs(expected)]
        own = values[together.owners == b]
        np.testing.assert_array_equal(own, alone.numerators / alone.denominators)
        assert_allclose(np.sort(own), np.sort(expected), rtol=1e-6)
