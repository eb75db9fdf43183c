"""The score without a scale: its closed form, its laws, and its fast search."""

import math
from dataclasses import FrozenInstanceError

import numba
import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad

from cvscore.priors import InverseGamma
from cvscore.scores.marginal import MarginalScore

# (residual_dim, num_params) of essential matrix, fundamental matrix and homography.
MODELS = [(1, 5), (1, 7), (2, 8)]
PRIORS = [InverseGamma.jeffreys(), InverseGamma(1.0, 0.5), InverseGamma(2.5, 1e3)]
JIT = not numba.config.DISABLE_JIT


def contaminated(rng, num_points, sigma=1.0, half_width=100.0, share=0.6):
    """Squared residuals, ``share`` of them Gaussian and the others uniform."""
    residuals = rng.uniform(-half_width, half_width, num_points)
    num_inliers = int(share * num_points)
    residuals[:num_inliers] = sigma * rng.standard_normal(num_inliers)
    return rng.permutation(residuals**2)


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


# The fast search against sorting.


def residual_batch(kind, rng, shape):
    """Rows of squared residuals made to be hard in one way."""
    rows = (shape[0], 1)
    uniform = rng.random(shape)
    scale = 10.0 ** rng.uniform(-10, 10, rows)
    if kind == "contaminated":
        inliers = 10.0 ** rng.uniform(-3, 2, rows) * rng.standard_normal(shape)
        is_inlier = uniform < rng.random(rows)
        return np.where(is_inlier, inliers, rng.uniform(0, 300, shape)) ** 2
    if kind == "every magnitude":
        return 10.0 ** rng.uniform(-300, 300, shape)
    if kind == "many magnitudes":
        return 10.0 ** rng.uniform(-8, 4, shape)
    if kind == "tied":
        return np.floor(uniform * rng.integers(1, 6, rows)) * scale
    if kind == "half zero":
        return np.where(uniform < 0.5, 0.0, rng.random(shape) * scale)
    if kind == "bin borders":
        border = 2.0 ** rng.integers(-12, 12, shape)
        side = rng.choice([0.0, 1.0, np.inf], shape)
        return np.nextafter(border, np.where(side == 1.0, border, side))
    if kind == "one bin":
        return (1.0 + uniform / 8) * 2.0 ** rng.integers(-10, 10, rows)
    if kind == "tiny":
        return uniform * 10.0 ** rng.uniform(-320, -290, rows)
    if kind == "huge":
        return uniform * 10.0 ** rng.uniform(290, 308, rows)
    if kind == "infinite":
        return np.where(uniform < 0.5 * rng.random(rows), np.inf, uniform * scale)
    if kind == "not a number":
        bad = np.copysign(np.nan, rng.choice([-1.0, 1.0], shape))
        return np.where(uniform < 0.2, bad, uniform * scale)
    if kind == "geometric":
        return np.exp(rng.uniform(-1, 1, rows) * np.arange(shape[1])).clip(0, 1e300)
    assert kind == "flat score"
    return np.cumsum(uniform * 10.0 ** rng.uniform(-2, 1, rows), axis=1)


KINDS = [
    "contaminated",
    "every magnitude",
    "many magnitudes",
    "tied",
    "half zero",
    "bin borders",
    "one bin",
    "tiny",
    "huge",
    "infinite",
    "not a number",
    "geometric",
    "flat score",
]
# Rows per (kind, model): over two million in all.
ROWS = {1: 10, 8: 25_000, 13: 15_000, 24: 10_000, 60: 2_000, 300: 200, 2_000: 20}
if not JIT:
    ROWS = {1: 1, 8: 20, 13: 20, 24: 10, 60: 5, 300: 1}


def random_score(rng):
    narrow = rng.random() < 0.8
    return MarginalScore(
        prior=PRIORS[rng.integers(len(PRIORS))],
        half_width=10.0 ** (rng.uniform(-3, 4) if narrow else rng.uniform(-150, 150)),
        rss_floor=10.0 ** rng.choice([-300.0, -12.0]),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_fast_search_equals_sorting(kind, rng):
    for num_points, num_rows in ROWS.items():
        for dim, num_params in MODELS:
            score = random_score(rng)
            # Without the JIT, sums that overflow would warn.
            with np.errstate(all="ignore"):
                q = residual_batch(kind, rng, (num_rows, num_points))
                fast, k = score.best_prefix(q, dim, num_params)
                slow, expected_k = score.best_prefix_by_sorting(q, dim, num_params)
            assert_array_equal(k, expected_k)
            assert_allclose(fast, slow, rtol=1e-9, atol=1e-9)
            assert not np.isnan(fast).any()
            assert (fast < np.inf).all()


@pytest.mark.parametrize("kind", KINDS)
def test_pruning_spares_only_rows_that_cannot_win(kind, rng):
    score = MarginalScore(half_width=20.0)
    with np.errstate(all="ignore"):
        q = residual_batch(kind, rng, (2000 if JIT else 20, 40))
        exact = score.evaluate(q, 2, 8)
        best = np.median(exact)
        pruned, k = score.best_prefix(q, 2, 8, best)
    wins = exact > best
    assert_allclose(pruned[wins], exact[wins], rtol=1e-12)
    # What the others get is the score of some prefix of theirs, so it is never above.
    assert (pruned[~wins] <= best).all()
    for row in np.flatnonzero(~wins & np.isfinite(pruned))[:50]:
        with np.errstate(over="ignore"):
            sweep = score.sweep(q[row], 2, 8)
        assert_allclose(sweep[k[row] - 1], pruned[row], rtol=1e-12)


def test_hopeless_rows_are_not_sorted():
    """A score to beat is what makes the loop fast: bounds alone must reject a row."""
    rng = np.random.default_rng(1)
    good = contaminated(rng, 400)
    bad = rng.uniform(-100, 100, (50, 400)) ** 2
    score = MarginalScore(half_width=100.0)
    best = score.evaluate(good[None], 1, 7)[0]
    pruned, _ = score.best_prefix(bad, 1, 7, best)
    exact, _ = score.best_prefix(bad, 1, 7)
    # A row that was sorted would have its exact score; the edge of a group seldom has.
    assert (pruned < exact).mean() > 0.5


residual_lists = hnp.arrays(
    np.float64,
    st.integers(1, 40),
    elements=st.one_of(
        st.floats(0.0, np.inf, allow_nan=False),
        st.sampled_from([0.0, 5e-324, 1e-300, 0.125, 1.0, 1.125, 2.0, 1e300, np.inf]),
    ),
)


@settings(max_examples=300 if JIT else 50, deadline=None, derandomize=True)
@given(
    residual_lists,
    st.sampled_from(MODELS),
    st.sampled_from(PRIORS),
    st.floats(1e-150, 1e150),
)
def test_fast_search_equals_sorting_on_adversarial_residuals(
    q, model, prior, half_width
):
    score = MarginalScore(prior=prior, half_width=half_width)
    with np.errstate(all="ignore"):
        fast, k = score.best_prefix(q[None], *model)
        slow, expected_k = score.best_prefix_by_sorting(q[None], *model)
        sweep = score.sweep(q, *model)
    assert_allclose(fast, slow, rtol=1e-9, atol=1e-9)
    if k[0] != expected_k[0]:  # only where two prefixes are equally good
        assert_allclose(sweep[k[0] - 1], sweep[expected_k[0] - 1], rtol=1e-12)


def test_rows_do_not_depend_on_each_other(rng):
    score = MarginalScore(half_width=50.0)
    q = np.stack([contaminated(rng, 100) for _ in range(5)])
    alone = [score.evaluate(row[None], 1, 5)[0] for row in q]
    assert_array_equal(score.evaluate(q, 1, 5), alone)
    assert_array_equal(score.evaluate(np.asfortranarray(q), 1, 5), alone)


# Ties.


@pytest.mark.parametrize(("dim", "num_params"), MODELS)
def test_score_is_convex_where_the_sum_grows_linearly(dim, num_params):
    for step in (1e-3, 0.1, 1.0, 10.0):
        score = MarginalScore(half_width=10.0)
        sweep = score.sweep(np.full(200, step), dim, num_params)
        sweep = sweep[np.isfinite(sweep)]
        assert (np.diff(sweep, 2) > 0).all()


def test_equal_residuals_share_their_label(rng):
    for _ in range(300 if JIT else 50):
        q = rng.integers(0, 6, 30) * 10.0 ** rng.uniform(-3, 3)
        score = MarginalScore(half_width=10.0 ** rng.uniform(-2, 4))
        k = int(score.best_prefix(q[None], 2, 8)[1][0])
        mask = score.inliers(q, 2, 8)
        for value in np.unique(q):
            assert len(np.unique(mask[q == value])) == 1
        # The first prefix of all has no lower neighbour that could be better.
        assert mask.sum() == k or k == 5


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


# Extremes.


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
