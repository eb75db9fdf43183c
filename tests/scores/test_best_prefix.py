"""The search for the best prefix: the fast one, the one by sorting, and ties."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scored_residuals import MODELS, PRIORS, contaminated

from cvscore.scores.marginal_score import MarginalScore

JIT = not numba.config.DISABLE_JIT


# Fast against sorting.


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
