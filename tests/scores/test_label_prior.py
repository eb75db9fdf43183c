"""The share of inliers integrated out: against sums over all partitions."""

import itertools
import math

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.special import beta as beta_function
from scipy.special import comb

from cvscore import BetaPrior, MarginalScore, estimate_homography
from cvscore.scores.label_prior import label_terms
from cvscore.scores.priors import InverseGamma

PRIORS = [BetaPrior(), BetaPrior(0.5, 0.5), BetaPrior(3.0, 8.0), BetaPrior(40.0, 0.1)]
JIT = not numba.config.DISABLE_JIT


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("num", [1, 9, 60])
def test_all_partitions_together_have_probability_one(prior, num):
    k = np.arange(num + 1)
    assert (comb(num, k) * np.exp(label_terms(num, prior))).sum() == pytest.approx(1)


@pytest.mark.parametrize("prior", PRIORS[:3])
def test_a_partition_is_the_integral_over_the_share(prior):
    for k in (1, 4, 11):
        assert label_terms(12, prior)[k] == pytest.approx(log_share(k, 12, prior))


def log_share(k, num, prior):
    """Integral over the share of inliers, by quadrature."""
    norm = beta_function(prior.a, prior.b)

    def integrand(w):
        return w ** (k + prior.a - 1) * (1 - w) ** (num - k + prior.b - 1) / norm

    return math.log(quad(integrand, 0, 1)[0])


def log_inliers(rss, nu):
    """Integral over the scale, by quadrature."""

    def integrand(log_v):
        gaussian = -nu / 2 * (math.log(2 * math.pi) + log_v)
        return math.exp(gaussian - rss / 2 / math.exp(log_v))

    centre = math.log(rss / nu)
    return math.log(quad(integrand, centre - 6, centre + 60, points=[centre])[0])


@pytest.mark.parametrize("prior", [BetaPrior(), BetaPrior(2.0, 3.0)])
def test_score_is_the_best_of_all_partitions(prior, rng):
    """Direct summation: every one of the 2^N partitions, each by quadrature."""
    q = np.concatenate([rng.normal(0, 1, 4), rng.uniform(-20, 20, 3)]) ** 2
    values = {}
    for size in range(2, len(q) + 1):
        rest = log_share(size, len(q), prior) - (len(q) - size) * math.log(2 * 15.0)
        for chosen in itertools.combinations(range(len(q)), size):
            values[chosen] = log_inliers(q[list(chosen)].sum(), size - 1) + rest
    best = max(values, key=values.get)
    score = MarginalScore(half_width=15.0, label_prior=prior)
    assert score.evaluate(q[None], 1, 1)[0] == pytest.approx(values[best], rel=1e-5)
    assert_array_equal(np.flatnonzero(score.inliers(q, 1, 1)), sorted(best))


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("dim", "num_params"), [(1, 5), (1, 7), (2, 8)])
def test_fast_search_equals_sorting(prior, dim, num_params, rng):
    for num, rows in ((9, 2_000), (60, 1_000), (900, 40)):
        rows = rows if JIT else 3
        q = np.where(
            rng.random((rows, num)) < rng.random((rows, 1)),
            10.0 ** rng.uniform(-3, 2, (rows, 1)) * rng.standard_normal((rows, num)),
            rng.uniform(0, 300, (rows, num)),
        )
        score = MarginalScore(
            prior=InverseGamma(1.0, 0.5),
            half_width=10.0 ** rng.uniform(-1, 3),
            label_prior=prior,
        )
        fast, k = score.best_prefix(q**2, dim, num_params)
        slow, expected = score.best_prefix_by_sorting(q**2, dim, num_params)
        assert_array_equal(k, expected)
        assert_allclose(fast, slow, rtol=1e-9, atol=1e-9)


def test_threshold_lets_in_exactly_what_raises_the_score(rng):
    score = MarginalScore(half_width=40.0, label_prior=BetaPrior(2.0, 5.0))
    q = np.concatenate([rng.normal(0, 1, 60), rng.uniform(15, 200, 60)]) ** 2
    threshold, inliers = score.threshold(q, 1, 7), score.inliers(q, 1, 7)
    assert inliers.sum() > 50
    for factor in (0.999, 1.001):
        moved = q.copy()
        moved[-1] = (factor * threshold) ** 2
        assert score.inliers(moved, 1, 7)[-1] == (factor < 1)


def test_evidence_is_over_the_partition_without_inliers(rng):
    q, prior = rng.uniform(0, 50, 30) ** 2, BetaPrior()
    score = MarginalScore(half_width=20.0, label_prior=prior)
    nothing = -30 * math.log(40.0) + label_terms(30, prior)[0]
    expected = score.sweep(q, 1, 7).max() - nothing
    assert score.evidence(q, 1, 7) == pytest.approx(expected, rel=1e-12)


def test_estimators_take_it(rng):
    x1 = rng.uniform(0, 1000, (120, 2))
    x2 = x1 + 30 + rng.normal(0, 0.5, x1.shape)
    x2[60:] = rng.uniform(0, 1000, (60, 2))
    score = MarginalScore(label_prior=BetaPrior())
    assert estimate_homography(x1, x2, score=score).inliers[:60].mean() > 0.9


def test_prior_is_checked():
    with pytest.raises(ValueError, match="b must be finite and positive, got 0"):
        BetaPrior(1.0, 0.0)
