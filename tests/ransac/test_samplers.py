"""Samples are distinct, uniform or in order of quality."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from cvscore.numerics.random_numbers import generator
from cvscore.ransac.samplers import ProsacSampler, UniformSampler, draw_among


@pytest.mark.parametrize(("num_points", "size"), [(4, 4), (5, 4), (8, 7), (1000, 5)])
def test_samples_hold_distinct_indices_in_range(num_points, size):
    samples = UniformSampler(num_points, size, seed=3).draw(2000)
    assert samples.shape == (2000, size)
    assert samples.min() >= 0
    assert samples.max() < num_points
    assert (np.diff(np.sort(samples, axis=1), axis=1) > 0).all()


def test_every_subset_is_equally_likely():
    samples = np.sort(UniformSampler(7, 3, seed=1).draw(70_000), axis=1)
    subsets = list(combinations(range(7), 3))
    counts = [int((samples == subset).all(axis=1).sum()) for subset in subsets]
    assert sum(counts) == 70_000
    assert stats.chisquare(counts).pvalue > 1e-6


def test_every_position_is_uniform_too():
    samples = UniformSampler(10, 4, seed=2).draw(50_000)
    for column in samples.T:
        assert stats.chisquare(np.bincount(column, minlength=10)).pvalue > 1e-7


def test_same_seed_same_samples_and_batches_do_not_matter_for_prosac_sets():
    first, second = UniformSampler(50, 5, seed=9), UniformSampler(50, 5, seed=9)
    assert (first.draw(64) == second.draw(64)).all()
    assert (UniformSampler(50, 5, seed=8).draw(64) != second.draw(64)).any()


def test_prosac_starts_with_the_best_matches_and_grows_to_all(rng):
    quality = rng.random(200)
    sampler = ProsacSampler(quality, 4, num_trials=2000, seed=0)
    samples = sampler.draw(3000)
    assert (np.diff(np.sort(samples, axis=1), axis=1) > 0).all()
    best_first = np.argsort(-quality)
    assert set(samples[0]) == set(best_first[:4])
    rank = np.empty(200, dtype=int)
    rank[best_first] = np.arange(200)
    worst = rank[samples].max(axis=1)
    progressive = worst[:1900]
    # The pool only grows, and each progressive sample holds its last member.
    assert (np.diff(progressive) >= 0).all()
    assert progressive[100] < 100
    assert (rank[samples[2100:]].max(axis=1) > 190).any()
    counts = np.bincount(samples[2100:].ravel(), minlength=200)
    assert stats.chisquare(counts).pvalue > 1e-6


def test_prosac_is_drawn_in_the_same_order_whatever_the_batches(rng):
    quality = rng.random(60)
    whole = ProsacSampler(quality, 5, num_trials=500, seed=0).draw(400)
    parts = ProsacSampler(quality, 5, num_trials=500, seed=0)
    split = np.vstack([parts.draw(100) for _ in range(4)])
    rank = np.argsort(np.argsort(-quality))
    assert (rank[whole].max(axis=1) == rank[split].max(axis=1)).all()


def test_samples_among_some_come_from_those():
    state = generator(2)
    members = np.array([3, 5, 8, 13, 21, 34, 55])
    with np.errstate(over="ignore"):
        samples = draw_among(state, members, 4, 500)
        assert samples.shape == (500, 4)
        assert set(samples.ravel()) == set(members)
        assert (np.diff(np.sort(samples, axis=1), axis=1) > 0).all()
        assert len(draw_among(state, members[:5], 4, 10)) == 0
