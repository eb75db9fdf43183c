"""How likely matches are right: calibrated on mixtures, and whatever the residuals."""

import numpy as np
import pytest

from cvscore.inference.match_probabilities import MatchProbabilities

NUM_PARAMS = {1: 5, 2: 8, 3: 6}
HALF_WIDTH = 40.0


def residuals_of(rng, dim, num_right=300, num_wrong=300, scale=0.7, width=60.0):
    """Residuals of right matches and of wrong ones in a ball, shuffled, and labels."""
    noise = np.linalg.norm(rng.normal(0, scale, (num_right, dim)), axis=1)
    wrong = width * rng.random(num_wrong) ** (1 / dim)
    is_right = np.arange(num_right + num_wrong) < num_right
    order = rng.permutation(len(is_right))
    return np.append(noise, wrong)[order], is_right[order]


def probabilities_of(residuals, is_inlier, dim, rows=None):
    rows = residuals if rows is None else rows
    given = rows, residuals, is_inlier, dim, NUM_PARAMS[dim], HALF_WIDTH, 1e-12
    return MatchProbabilities(*given)()


def calibration(believed, is_right, least=200):
    """Largest difference of share and mean probability in deciles that hold enough."""
    bins = np.minimum((10 * believed).astype(int), 9)
    counts = np.bincount(bins, minlength=10)
    sums = (np.bincount(bins, w, 10) for w in (is_right, believed))
    right, mean = (s / np.maximum(counts, 1) for s in sums)
    return np.abs(right - mean)[counts >= least].max()


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_matches_of_a_probability_are_right_so_often(dim):
    believed, labels = [], []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        residuals, is_right = residuals_of(rng, dim, 150, 3000)
        believed.append(probabilities_of(residuals, residuals < 2.0, dim))
        labels.append(is_right)
    assert calibration(np.concatenate(believed), np.concatenate(labels)) < 0.09


def test_they_fall_with_the_residual_and_do_not_depend_on_the_unit(rng):
    residuals, _ = residuals_of(rng, 2)
    near = residuals < 3.0
    rows = np.linspace(0.0, 100.0, 500)
    believed = probabilities_of(residuals, near, 2, rows)
    assert believed[0] > 0.99
    assert (np.diff(believed) <= 1e-4).all()
    assert believed[-1] < 1e-6
    given = 1e-6 * rows, 1e-6 * residuals, near, 2, NUM_PARAMS[2]
    in_metres = MatchProbabilities(*given, 1e-6 * HALF_WIDTH, 1e-18)()
    np.testing.assert_allclose(in_metres, believed, atol=1e-9)


def test_what_misses_in_one_direction_is_denser_close_by(rng):
    # As what is off the plane of a homography is: along a line of 160 pixels.
    noise = np.linalg.norm(rng.normal(0, 0.7, (200, 2)), axis=1)
    along = np.column_stack([rng.uniform(-80, 80, 8000), np.zeros(8000)])
    wrong = np.linalg.norm(along + rng.normal(0, 0.7, along.shape), axis=1)
    residuals = np.append(noise, wrong)
    believed = probabilities_of(residuals, residuals < 2.0, 2)
    near = residuals < 1.0
    assert believed[near].mean() == pytest.approx(
        (noise < 1).sum() / near.sum(), abs=0.1
    )


def test_a_narrower_group_among_near_misses_has_the_right_matches(rng):
    right = np.abs(rng.normal(0, 0.5, 200))
    misses = np.abs(rng.normal(0, 10.0, 600))
    residuals = np.concatenate([right, misses, rng.uniform(0, 300, 600)])
    believed = probabilities_of(residuals, residuals < 25.0, 1)
    assert believed[:200].mean() > 0.8
    assert believed[200:].mean() < 0.1


@pytest.mark.parametrize("dim", [1, 2])
def test_noise_whose_scale_differs_from_match_to_match_is_believed(dim):
    # As that of photographs: the best tenth is ten times as precise as the others.
    rng = np.random.default_rng(0)
    scales = np.where(np.arange(1500) < 150, 0.01, 0.1)[:, None]
    noise = np.linalg.norm(scales * rng.normal(size=(1500, dim)), axis=1)
    residuals = np.append(noise, 60.0 * rng.random(500) ** (1 / dim))
    believed = probabilities_of(residuals, residuals < 0.4, dim)
    assert believed[:1500].mean() > 0.97
    assert believed[1500:].mean() < 0.02


def test_few_matches_have_no_narrower_group():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        residuals, is_right = residuals_of(rng, 1, num_right=25, num_wrong=60)
        believed = probabilities_of(residuals, residuals < 2.0, 1)
        assert believed[is_right].mean() > 0.6


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_exact_few_and_infinite_residuals(dim, rng):
    exact = np.append(np.zeros(50), rng.uniform(50, 100, 30))
    believed = probabilities_of(exact, exact == 0, dim)
    assert believed[:50].min() > 0.99
    assert believed[50:].max() < 0.01
    few = np.append(rng.uniform(0, 1, NUM_PARAMS[dim] + 1), np.inf)
    believed = probabilities_of(few, few < 2, dim)
    assert np.isfinite(believed).all()
    assert believed[-1] == 0.0
