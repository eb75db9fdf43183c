"""A narrower fit is likelier where it is of right matches, and never of plain noise."""

import numpy as np
import pytest

from cvscore.inference.narrower_fit import evidence_difference

HALF_WIDTH = 40.0
LEAST = 1e-24


def spread(rng, groups, dim):
    """Squared residuals of groups, each of so many matches and a scale."""
    parts = [(rng.normal(0.0, s, (n, dim)) ** 2).sum(axis=1) for n, s in groups]
    chance = HALF_WIDTH * rng.random(300) ** (1.0 / dim)
    return np.concatenate([*parts, chance**2])


def difference_of(wider, narrower, scales, num_inliers, dim=1, num_params=5, unit=1.0):
    return evidence_difference(
        unit**2 * wider,
        unit**2 * narrower,
        tuple(unit * scale for scale in scales),
        float(num_inliers),
        dim,
        num_params,
        unit * HALF_WIDTH,
        unit**2 * LEAST,
    )


@pytest.mark.parametrize(("dim", "num_params"), [(1, 5), (2, 8), (3, 6)])
def test_right_matches_that_the_wider_model_misses_are_likelier(dim, num_params):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        wider = spread(rng, [(120, 10.0), (200, 10.0)], dim)
        narrower = spread(rng, [(120, 0.5), (200, 10.0)], dim)
        given = wider, narrower, (10.0, 0.6), 320, dim, num_params
        assert difference_of(*given) > 20.0


def lines_through(rng, scale, num=200, num_tried=2000):
    """Squared distances of noisy points to the right line, and to a narrower fit.

    That is the line, of many through two points, which most are close to.
    """
    x, y = rng.uniform(-100.0, 100.0, num), rng.normal(0.0, scale, num)
    x, y = (np.append(part, rng.uniform(-100.0, 100.0, 100)) for part in (x, y))
    pairs = rng.integers(0, num, (num_tried, 2))
    pairs = pairs[np.abs(np.diff(x[pairs])[:, 0]) > 20.0]
    slopes = np.diff(y[pairs])[:, 0] / np.diff(x[pairs])[:, 0]
    offsets = y[pairs[:, 0]] - slopes * x[pairs[:, 0]]
    off = y - slopes[:, None] * x - offsets[:, None]
    close = np.count_nonzero(np.abs(off) < 0.2 * scale, axis=1)
    return y**2, off[np.argmax(close)] ** 2


def test_of_plain_noise_no_narrower_fit_is_likelier():
    differences = []
    for seed in range(50):
        of_right, by_chance = lines_through(np.random.default_rng(seed), 10.0)
        given = (10.0, 1.0), 200, 1, 2
        differences.append(difference_of(of_right, by_chance, *given))
    assert np.mean(np.array(differences) > 0.0) <= 0.02


def test_right_matches_about_both_models_prefer_neither(rng):
    both = spread(rng, [(60, 0.5), (200, 10.0)], 1)
    assert difference_of(both, both, (10.0, 0.5), 260) == pytest.approx(0.0, abs=0.1)


def test_it_does_not_depend_on_the_unit(rng):
    wider = spread(rng, [(60, 10.0), (200, 10.0)], 1)
    narrower = spread(rng, [(60, 0.5), (200, 10.0)], 1)
    given = wider, narrower, (10.0, 0.6), 260
    differences = [difference_of(*given, unit=unit) for unit in (1e-6, 1.0, 1e6)]
    np.testing.assert_allclose(differences, differences[0], rtol=1e-6)


def test_what_is_at_infinity_about_either_does_not_count(rng):
    wider = spread(rng, [(60, 10.0), (200, 10.0)], 2)
    narrower = spread(rng, [(60, 0.5), (200, 10.0)], 2)
    given = (10.0, 0.6), 260, 2, 8
    expected = difference_of(wider[20:], narrower[20:], *given)
    wider[:10], narrower[10:20] = np.inf, np.nan
    assert difference_of(wider, narrower, *given) == pytest.approx(expected)
    nothing = np.full(30, np.inf)
    assert np.isneginf(difference_of(nothing, nothing, *given))


def test_fewer_close_matches_than_parameters_are_no_fit(rng):
    wider = spread(rng, [(4, 10.0), (200, 10.0)], 1)
    narrower = spread(rng, [(4, 1e-3), (200, 10.0)], 1)
    assert difference_of(wider, narrower, (10.0, 1e-3), 204) < 0.0


@pytest.mark.parametrize("half_width", [1e-200, 1e150])
def test_widths_whose_power_is_no_number_are_answered(half_width):
    sq_residuals = np.linspace(0.0, 1.0, 50) * half_width**2
    given = sq_residuals, sq_residuals, (half_width, 0.1 * half_width), 40.0
    assert not evidence_difference(*given, 2, 8, half_width, LEAST) > 0.0
