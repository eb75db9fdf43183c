"""Resampled medians and intervals, and the search for an anchor."""

import math

import numpy as np
import pytest
from scipy import stats

from benchmarks.paper.anchors import AnchorSearch, middle_of_best, search_anchor
from benchmarks.paper.bootstrap import (
    bca_interval,
    medians_of_draws,
    percentile_band,
    resampled_medians,
    resampled_statistic,
    scene_groups,
    statistic,
)
from benchmarks.paper.grid import NUM_POINTS, Grid

# Resampling


@pytest.mark.parametrize("n", [1, 2, 7, 10])
def test_resampled_medians_have_the_distribution_of_resampling(rng, n):
    values = np.sort(rng.exponential(1, (n, 1)), axis=0)
    num = 20000
    fast = resampled_medians(values, num, rng)[:, 0]
    slow = np.median(values[rng.integers(n, size=(num, n)), 0], axis=1)
    # Both are discrete: compare how often each value comes, five standard errors.
    support, counts = np.unique(np.round(slow, 9), return_counts=True)
    for value, count in zip(support, counts, strict=True):
        expected = count / num
        got = np.mean(np.round(fast, 9) == value)
        assert abs(got - expected) < 7 * math.sqrt(max(expected, 1 / num) / num)


def test_resampled_scenes_are_drawn_before_their_pairs(rng):
    errors = np.concatenate([np.zeros(20), np.full(30, 1.0), np.full(9, 4.0)])[:, None]
    groups = scene_groups(["a"] * 20 + ["b"] * 30 + ["c"] * 9)
    assert statistic(errors, groups)[0] == pytest.approx(5 / 3)
    draws = resampled_statistic(errors, groups, 20000, rng)[:, 0]
    # Scenes without spread: only their choice varies.
    assert draws.mean() == pytest.approx(5 / 3, abs=0.05)
    assert draws.var() == pytest.approx(np.var([0, 1, 4]) / 3, rel=0.1)


def test_bands_cover_the_median(rng):
    covered = 0
    for _ in range(200):
        values = rng.normal(0, 1, (61, 1))
        low, high = percentile_band(resampled_medians(values, 1000, rng))
        covered += low[0] <= 0 <= high[0]
    assert 175 <= covered <= 200  # 190 expected, five standard deviations down


@pytest.mark.parametrize("kind", ["mean", "std"])
def test_bca_is_that_of_scipy(rng, kind):
    values = rng.exponential(1, 200)
    function = np.mean if kind == "mean" else lambda x, axis: np.std(x, axis, ddof=1)
    theirs = stats.bootstrap(
        (values,), function, n_resamples=20000, method="BCa", rng=rng, vectorized=True
    ).confidence_interval
    ours = bca_interval(values, kind, rng, num=20000)
    width = theirs.high - theirs.low
    assert ours[0] == pytest.approx(theirs.low, abs=0.05 * width)
    assert ours[1] == pytest.approx(theirs.high, abs=0.05 * width)


def test_bca_of_a_constant_is_that_constant(rng):
    assert bca_interval(np.full(50, 2.0), "mean", rng) == (2.0, 2.0)
    assert bca_interval(np.full(50, 2.0), "std", rng) == (0.0, 0.0)


@pytest.mark.parametrize("size", [1, 2, 5, 64])
def test_medians_of_draws_both_ways(rng, size):
    errors = rng.choice([0.5, 1.0, 2.0, 3.0], (30, 6))  # ties too
    draws = rng.integers(30, size=(25, size))
    expected = np.stack([np.median(errors[draw], axis=0) for draw in draws])
    assert np.array_equal(medians_of_draws(errors, draws), expected)


# Anchors


def test_anchors_inside_are_found_at_once():
    search = AnchorSearch("MSAC")
    grid = search.next_grid()
    assert grid.low == pytest.approx(0.1)
    assert grid.high == pytest.approx(10.0)
    anchor = search_anchor("MSAC", lambda v: np.log(v / 2.0) ** 2)
    assert anchor == pytest.approx(2.0, rel=0.07)


@pytest.mark.parametrize("best", [0.002, 700.0])
def test_anchors_on_the_boundary_extend_the_search(best):
    seen = []

    def curve(values):
        seen.append((values[0], values[-1]))
        return np.log(values / best) ** 2

    assert search_anchor("RANSAC", curve) == pytest.approx(best, rel=0.07)
    assert len(seen) == 2
    ends = seen[0][0] / 100 if best < 1 else seen[0][1] * 100
    assert min(abs(math.log(e / ends)) for e in seen[1]) < 1e-9


def test_the_search_ends_even_if_nothing_does():
    assert search_anchor("RANSAC", lambda v: v) == pytest.approx(1e-7)


def test_a_grid_is_two_decades_around_its_anchor():
    values = Grid.around(3.0).values
    assert len(values) == NUM_POINTS == 200
    assert values[0] == pytest.approx(0.3)
    assert values[-1] == pytest.approx(30.0)
    assert np.allclose(np.diff(np.log(values)), np.log(100) / 199)
    assert middle_of_best(np.array([3, 1, 1, 1, 2])) == 2
