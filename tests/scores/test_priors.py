"""Priors fitted to variances: known parameters come back, nonsense does not pass."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize

from cvscore.scores import priors
from cvscore.scores.priors import InverseGamma, fit_mle, fit_robust


def variances(rng, alpha, beta, num):
    return beta / rng.gamma(alpha, 1.0, num)


@pytest.mark.parametrize(("alpha", "beta"), [(0.3, 0.01), (2.0, 5.0), (50.0, 1e4)])
def test_mle_recovers_the_parameters(alpha, beta, rng):
    prior = fit_mle(variances(rng, alpha, beta, 100_000))
    # The standard error of either is below 1 % here.
    assert prior.alpha == pytest.approx(alpha, rel=0.05)
    assert prior.beta == pytest.approx(beta, rel=0.05)


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e9])
def test_mle_is_the_maximum_of_the_likelihood(unit, rng):
    values = unit * variances(rng, 1.5, 2.0, 40)
    prior = fit_mle(values)

    def loss(log_params):
        shape, rate = np.exp(log_params)
        return -stats.gamma.logpdf(unit / values, shape, scale=1.0 / rate).sum()

    start = np.log([prior.alpha, prior.beta / unit])
    options = {"xatol": 1e-10, "fatol": 1e-12}
    found = minimize(loss, start + 0.3, method="Nelder-Mead", options=options)
    assert found.x == pytest.approx(start, abs=1e-6)
    assert loss(start) <= found.fun + 1e-9


def test_two_nearly_equal_variances_have_a_maximum():
    prior = fit_mle([1.0, 1.01])
    assert prior.beta / prior.alpha == pytest.approx(1.005, rel=1e-3)
    assert 1e4 < prior.alpha < 1e6


@pytest.mark.parametrize("num", [1, 2, 201])
def test_robust_is_the_median(num, rng):
    values = variances(rng, 2.0, 5.0, num)
    assert fit_robust(values) == InverseGamma(1.0, float(np.median(values)))


def test_robust_recovers_the_typical_variance(rng):
    prior = fit_robust(variances(rng, 20.0, 20.0, 10_000))
    assert prior.beta / prior.alpha == pytest.approx(1.0, rel=0.05)


def test_heavy_tails_move_the_mle_and_not_the_median(rng):
    clean = variances(rng, 5.0, 5.0, 200)
    tails = np.concatenate([clean, [1e-4] * 5, [1e4] * 5])
    robust = fit_robust(clean).beta, fit_robust(tails).beta
    mle = fit_mle(clean).alpha, fit_mle(tails).alpha
    assert robust[1] == pytest.approx(robust[0], rel=0.05)
    assert mle[1] < 0.5 * mle[0]


@pytest.mark.parametrize("fit", [fit_robust, fit_mle])
@pytest.mark.parametrize("bad", [0.0, -1.0, np.inf, np.nan])
def test_variances_must_be_positive_and_finite(fit, bad):
    with pytest.raises(ValueError, match=r"variances must be finite and positive, got"):
        fit([1.0, 2.0, bad])


def test_too_few_variances():
    with pytest.raises(ValueError, match="at least 1 values, got 0"):
        fit_robust([])
    with pytest.raises(ValueError, match="at least 2 values, got 1"):
        fit_mle([1.0])


def test_equal_variances_have_no_likeliest_prior():
    with pytest.raises(ValueError, match=r"must not all be equal, got 3 times 0\.7"):
        fit_mle([0.7, 0.7, 0.7])


def test_jeffreys_assumes_nothing():
    assert priors.jeffreys() == InverseGamma.jeffreys() == InverseGamma(0.0, 0.0)


# Units.


def test_units_convert_with_the_focal_length():
    pixels = fit_robust([4.0])
    rays = pixels.normalised(800.0)
    assert (rays.alpha, rays.unit) == (1.0, "normalised")
    assert rays.beta == pytest.approx(4.0 / 800.0**2, rel=1e-14)
    assert rays.pixels(800.0).beta == pytest.approx(4.0, rel=1e-14)
    assert rays.normalised(5.0) == rays
    assert pixels.pixels(5.0) == pixels
    assert fit_mle([1.0, 2.0], unit="normalised").unit == "normalised"


def test_units_that_make_no_sense():
    with pytest.raises(ValueError, match=r"unit must be one of .* got 'mm'"):
        InverseGamma(1.0, 1.0, unit="mm")
    with pytest.raises(ValueError, match="focal must be finite and positive, got 0"):
        InverseGamma(1.0, 1.0).normalised(0.0)
    with pytest.raises(ValueError, match="unit must be 'px' to be converted"):
        InverseGamma(1.0, 1.0, unit="points").normalised(100.0)


@pytest.mark.parametrize("factor", [10**400, -1.0, 0.0, float("nan")])
def test_a_prior_is_scaled_by_positive_numbers(factor):
    with pytest.raises(ValueError, match="factor must be finite and positive"):
        InverseGamma(1.0, 1.0).scaled(factor)


@pytest.mark.filterwarnings("error")
def test_variances_of_any_size_have_a_fit():
    prior = fit_mle([1e300, 1e-300, 1e-300])
    assert 0.0 < prior.alpha < 1.0
    assert 0.0 < prior.beta < 1e-299
    with pytest.raises(ValueError, match="beta must be finite"):
        fit_robust([1.7e308, 1.7e308])
