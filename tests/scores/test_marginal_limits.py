"""The score at its limits: exact fits, few residuals, missing ones, bad arguments."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scored_residuals import MODELS, PRIORS, contaminated

from cvscore.scores.marginal_score import MarginalScore
from cvscore.scores.priors import InverseGamma


@pytest.mark.parametrize("prior", PRIORS)
def test_exact_fits_are_finite(prior):
    score = MarginalScore(prior=prior, half_width=100.0)
    q = np.zeros(50)
    assert np.isfinite(score.evaluate(q[None], 2, 8)).all()
    assert np.isfinite(score.weights(q, 2, 8)).all()
    assert score.inliers(q, 2, 8).all()
    assert np.isfinite([*score.summarise(q, 2, 8)]).all()
    assert score.scale(q, 2, 8) == pytest.approx(
        math.sqrt(2 * prior.beta / (92 + 2 * prior.alpha))
    )


def test_floor_bounds_the_worth_of_an_exact_fit(rng):
    """Below the floor a smaller residual is no better."""
    score = MarginalScore(half_width=100.0, rss_floor=1e-6)
    tiny = score.evaluate(1e-20 * rng.random((1, 50)), 2, 8)
    assert_allclose(tiny, score.evaluate(np.zeros((1, 50)), 2, 8), rtol=1e-9)


@pytest.mark.parametrize(("dim", "num_params"), MODELS)
def test_too_few_residuals_have_no_score(dim, num_params):
    score = MarginalScore(half_width=10.0)
    for num_points in range(num_params // dim + 1):
        q = np.ones(num_points)
        scores, prefixes = score.best_prefix(q[None], dim, num_params)
        assert_array_equal(scores, [-np.inf])
        assert_array_equal(prefixes, [0])
        assert not score.inliers(q, dim, num_params).any()
        assert not score.weights(q, dim, num_params).any()
        assert math.isnan(score.scale(q, dim, num_params))
        assert math.isnan(score.threshold(q, dim, num_params))
        assert score.evidence(q, dim, num_params) == -np.inf


@pytest.mark.parametrize("missing", [np.inf, np.nan, -np.nan])
def test_missing_residuals_are_outliers(missing, rng):
    q = contaminated(rng, 60)
    gone = rng.choice(60, 20, replace=False)
    q[gone] = missing
    score = MarginalScore(half_width=1e6)  # wide enough to take every finite one
    assert_array_equal(score.inliers(q, 1, 7), np.isfinite(q))
    assert_array_equal(score.weights(q, 1, 7) > 0, np.isfinite(q))
    assert np.isfinite([*score.summarise(q, 1, 7)]).all()
    assert_array_equal(score.evaluate(np.full((1, 60), missing), 1, 7), [-np.inf])


# Arguments.


def test_half_width_must_be_known_to_evaluate():
    with pytest.raises(ValueError, match="half_width is None"):
        MarginalScore().evaluate(np.ones((1, 20)), 1, 7)
    with pytest.raises(ValueError, match="half_width is None"):
        MarginalScore().best_prefix_by_sorting(np.ones((1, 20)), 1, 7)


@pytest.mark.parametrize(
    "arguments",
    [
        {"half_width": 0.0},
        {"half_width": -1.0},
        {"half_width": np.inf},
        {"half_width": np.nan},
        {"rss_floor": 0.0},
        {"rss_floor": np.nan},
    ],
)
def test_bad_arguments_are_named(arguments):
    (name,) = arguments
    with pytest.raises(ValueError, match=f"{name} must be .* got"):
        MarginalScore(**arguments)


@pytest.mark.parametrize(("alpha", "beta"), [(-1.0, 0.0), (0.0, -1.0), (np.inf, 1.0)])
def test_bad_priors_are_named(alpha, beta):
    with pytest.raises(ValueError, match="must be finite and not negative, got"):
        InverseGamma(alpha, beta)


def test_scores_are_frozen_and_spelled_out():
    with pytest.raises(TypeError):
        MarginalScore(halfwidth=1.0)
    with pytest.raises(TypeError):
        MarginalScore(InverseGamma.jeffreys())
    with pytest.raises(FrozenInstanceError):
        MarginalScore().half_width = 1.0
    assert InverseGamma(1.0, 2.0).scaled(3.0) == InverseGamma(1.0, 18.0)
