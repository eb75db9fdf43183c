"""The score without a scale: its closed form and its laws."""

import math

import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scored_residuals import MODELS, PRIORS, contaminated

from cvscore.scores.marginal_score import MarginalScore
from cvscore.scores.priors import InverseGamma

# The closed form.


@pytest.mark.parametrize(("dim", "num_params"), MODELS)
@pytest.mark.parametrize("prior", PRIORS)
def test_score_is_the_integral_over_the_scale(dim, num_params, prior, rng):
    q, half_width = contaminated(rng, 15), 100.0
    score = MarginalScore(prior=prior, half_width=half_width)
    ordered = np.sort(q)
    for k in (num_params // dim + 1, 10, 15):
        nu, rss = k * dim - num_params, ordered[:k].sum()
        # The integrand peaks near the estimate of the scale; its height is taken out.
        mode = math.sqrt((rss + 2 * prior.beta) / (nu + 2 * prior.alpha))

        def log_integrand(sigma, nu=nu, rss=rss):
            likelihood = -nu / 2 * math.log(2 * math.pi * sigma**2) - rss / sigma**2 / 2
            density = -(prior.alpha + 1) * math.log(sigma**2) - prior.beta / sigma**2
            return likelihood + density + math.log(2 * sigma)  # dv = 2 sigma dsigma

        peak = log_integrand(mode)

        def integrand(log_sigma, peak=peak):
            sigma = math.exp(log_sigma)
            return math.exp(log_integrand(sigma) - peak) * sigma

        centre = math.log(mode)
        integral, _ = quad(integrand, centre - 4, centre + 40, points=[centre])
        outliers = -(15 - k) * dim * math.log(2 * half_width)
        expected = math.log(integral) + peak + outliers
        sweep = score.sweep(q, dim, num_params)
        assert sweep[k - 1] == pytest.approx(expected, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize(("dim", "num_params"), MODELS)
@pytest.mark.parametrize("prior", PRIORS)
def test_sweep_and_search_agree_with_the_formula(dim, num_params, prior, rng):
    q = contaminated(rng, 60)
    score = MarginalScore(prior=prior, half_width=30.0)
    expected = reference.marginal_scores(
        q, dim, num_params, prior.alpha, prior.beta, 30.0
    )
    assert_allclose(score.sweep(q, dim, num_params), expected, rtol=1e-12)
    for search in (score.best_prefix, score.best_prefix_by_sorting):
        scores, prefixes = search(q[None], dim, num_params)
        assert_allclose(scores, [expected.max()], rtol=1e-12)
        assert_array_equal(prefixes, [expected.argmax() + 1])
    assert_array_equal(
        score.inliers(q, dim, num_params), q <= np.sort(q)[expected.argmax()]
    )


# Laws.


@pytest.mark.parametrize("ratio", [10.0, 100.0])
@pytest.mark.parametrize("dim", [1, 2])
def test_threshold_follows_the_large_sample_law(ratio, dim):
    """tau = s sqrt(2 log(a sqrt(2/pi) / s)) per dimension."""
    num_points = 20_000
    rng = np.random.default_rng(7)
    residuals = rng.uniform(-ratio, ratio, (num_points, dim))
    residuals[: num_points // 2] = rng.standard_normal((num_points // 2, dim))
    q = (residuals**2).sum(axis=1)
    score = MarginalScore(half_width=ratio)
    s = score.scale(q, dim, 8)
    law = s * math.sqrt(2 * dim * math.log(ratio * math.sqrt(2 / math.pi) / s))
    assert score.threshold(q, dim, 8) == pytest.approx(law, rel=0.05)
    if dim == 1:
        assert law / s == pytest.approx({10.0: 2, 100.0: 3}[ratio], rel=0.06)


def test_threshold_separates_inliers_from_outliers(rng):
    score = MarginalScore(half_width=100.0)
    for _ in range(20):
        q = contaminated(rng, 80, share=rng.uniform(0.2, 0.9))
        inliers = score.inliers(q, 1, 5)
        threshold = score.threshold(q, 1, 5)
        assert np.sqrt(q[inliers].max()) <= threshold <= np.sqrt(q[~inliers].min())


def test_threshold_is_where_one_more_match_gains_nothing():
    # All inliers, so no residual but the root itself bounds the threshold from above.
    q = np.random.default_rng(3).standard_normal(200) ** 2
    score = MarginalScore(half_width=300.0)
    assert score.inliers(q, 1, 7).all()
    threshold = score.threshold(q, 1, 7)
    sweep = score.sweep(np.append(q, threshold**2), 1, 7)
    assert sweep[200] == pytest.approx(sweep[199], abs=1e-9)


def test_prior_is_pseudo_observations(rng):
    """It is worth 2 alpha residuals seen before, with squares that sum to 2 beta."""
    q = contaminated(rng, 40) + 1.0
    num_pseudo, square = 6, 0.5
    prior = InverseGamma(num_pseudo / 2, num_pseudo * square / 2)
    with_prior = MarginalScore(prior=prior, half_width=9.0).sweep(q, 1, 5)
    padded = np.append(np.full(num_pseudo, square), q)
    without = MarginalScore(half_width=9.0).sweep(padded, 1, 5)[num_pseudo:]
    constant = -num_pseudo / 2 * math.log(2 * math.pi)
    admissible = np.isfinite(with_prior)
    assert_allclose(
        without[admissible], with_prior[admissible] + constant, rtol=0, atol=1e-9
    )


def test_strong_prior_is_a_known_variance(rng):
    """Prior dominated: the boundary is that of a Gaussian of the prior's variance."""
    variance, half_width, strength = 4.0, 100.0, 1e9
    prior = InverseGamma(strength, strength * variance)
    score = MarginalScore(prior=prior, half_width=half_width)
    q = contaminated(rng, 500, sigma=0.5)
    gain = math.log(2 * half_width) - 0.5 * math.log(2 * math.pi * variance)
    assert_array_equal(score.inliers(q, 1, 7), q < 2 * variance * gain)
    assert score.scale(q, 1, 7) == pytest.approx(2.0, rel=1e-5)
    assert score.threshold(q, 1, 7) == pytest.approx(
        math.sqrt(2 * variance * gain), rel=1e-2
    )


def test_many_residuals_overrule_the_prior(rng):
    """Data dominated: a prior of two pseudo-observations, far off, changes nothing."""
    q = contaminated(rng, 20_000, sigma=3.0)
    free = MarginalScore(half_width=100.0)
    for beta in (1e-3, 10.0):
        bound = MarginalScore(prior=InverseGamma(1.0, beta), half_width=100.0)
        assert (free.inliers(q, 1, 7) == bound.inliers(q, 1, 7)).mean() > 0.998
        assert bound.scale(q, 1, 7) == pytest.approx(free.scale(q, 1, 7), rel=5e-3)


@pytest.mark.parametrize("factor", [1e-6, 0.3, 1e6])
@pytest.mark.parametrize("prior", PRIORS)
def test_scores_are_equivariant(factor, prior, rng):
    q, dim, num_params = contaminated(rng, 100), 2, 8
    score = MarginalScore(prior=prior, half_width=50.0)
    scaled, scaled_q = score.scaled(factor), factor**2 * q
    shift = (100 * dim - num_params + 2 * prior.alpha) * math.log(factor)
    assert_allclose(
        scaled.evaluate(scaled_q[None], dim, num_params) + shift,
        score.evaluate(q[None], dim, num_params),
        rtol=1e-9,
    )
    here, there = (q, dim, num_params), (scaled_q, dim, num_params)
    assert_array_equal(scaled.inliers(*there), score.inliers(*here))
    assert scaled.scale(*there) == pytest.approx(factor * score.scale(*here))
    assert scaled.threshold(*there) == pytest.approx(factor * score.threshold(*here))


def test_scaling_keeps_an_open_half_width():
    score = MarginalScore(rss_floor=1e-6).scaled(10.0)
    assert score.half_width is None
    assert score.rss_floor == pytest.approx(1e-4)
    assert MarginalScore().scaled(1e-9) == MarginalScore()


@pytest.mark.parametrize(("dim", "num_params"), MODELS)
@pytest.mark.parametrize("prior", PRIORS)
def test_weights_are_the_derivative_of_the_score(dim, num_params, prior, rng):
    q = contaminated(rng, 30)
    score = MarginalScore(prior=prior, half_width=100.0)
    weights = score.weights(q, dim, num_params)
    assert 0 < np.count_nonzero(weights) < 30
    step = 1e-6 * q.min() + 1e-7
    for i in range(len(q)):
        up, down = q.copy(), q.copy()
        up[i] += step
        down[i] -= min(step, q[i])
        values = score.evaluate(np.stack([up, down]), dim, num_params)
        slope = (values[0] - values[1]) / (up[i] - down[i])
        assert weights[i] == pytest.approx(-slope, rel=1e-4, abs=1e-7)


def test_order_of_residuals_is_irrelevant(rng):
    q = contaminated(rng, 200)
    order = rng.permutation(200)
    score = MarginalScore(half_width=100.0)
    assert_allclose(
        score.evaluate(q[order][None], 1, 7),
        score.evaluate(q[None], 1, 7),
        rtol=1e-12,
    )
    assert_array_equal(score.inliers(q[order], 1, 7), score.inliers(q, 1, 7)[order])


def test_summary_of_a_contaminated_sample():
    rng = np.random.default_rng(11)
    q = contaminated(rng, 4_000, sigma=2.0)
    summary = MarginalScore(half_width=100.0).summarise(q, 1, 7)
    assert summary.scale == pytest.approx(2.0, rel=0.15)
    inside = np.sqrt(q) < summary.threshold
    assert inside.mean() == pytest.approx(0.6, abs=0.05)


def test_evidence_is_the_score_over_that_of_no_model(rng):
    q, half_width = contaminated(rng, 50), 70.0
    score = MarginalScore(half_width=half_width)
    all_outliers = -50 * 2 * math.log(2 * half_width)
    expected = score.sweep(q, 2, 8).max() - all_outliers
    assert score.evidence(q, 2, 8) == pytest.approx(expected, rel=1e-12)


def test_evidence_of_pure_noise():
    """The best prefix of uniform residuals gains exp(-1 - c) nats a match, no more.

    The k smallest of N uniform residuals are uniform on a k/N-th of the width, so they
    gain k (log(N/k) - c) with c = log(pi e / 6) / 2: at most N exp(-1 - c).
    """
    num_points = 20_000
    q = np.random.default_rng(5).uniform(-9, 9, num_points) ** 2
    per_match = MarginalScore(half_width=9.0).evidence(q, 1, 7) / num_points
    law = math.exp(-1 - 0.5 * math.log(math.pi * math.e / 6))
    assert per_match == pytest.approx(law, abs=0.02)
