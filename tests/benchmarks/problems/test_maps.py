"""Maps of images and of space as problems: their noise, their truth, their peers."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.data.pair import Fit
from benchmarks.data.synthetic import MIN_INLIERS, REGIMES
from benchmarks.methods import METHODS, Settings, available
from benchmarks.problems import PROBLEMS, maps
from benchmarks.protocols import error_of

NAMES = [problem.name for problem in maps.PROBLEMS]
every_map = pytest.mark.parametrize("name", NAMES)


def residuals(pair, model):
    """Distances (N,) in both sets, in the pair's unit where that is the noise."""
    A, t = model[:, :-1], model[:, -1]
    missed = (pair.x2 - pair.x1 @ A.T - t).T
    root = np.linalg.cholesky(np.eye(len(t)) + A @ A.T)
    return np.linalg.norm(np.linalg.solve(root, missed), axis=0)


@every_map
@pytest.mark.parametrize("regime", maps.REGIMES)
def test_problems_lie_in_their_regime(name, regime):
    pair = PROBLEMS[name].generate(regime, 0, "test")
    dim = PROBLEMS[name].dims[0]
    num = len(np.unique(np.hstack([pair.x1, pair.x2]), axis=0))
    low, high = REGIMES[regime].matches
    assert low <= num <= high
    assert pair.x1.shape == pair.x2.shape == (len(pair.quality), dim)
    assert pair.is_inlier.sum() >= MIN_INLIERS
    assert pair.model.shape == (dim, dim + 1)
    assert error_of(pair, Fit(pair.model, pair.is_inlier)) < 1e-9
    assert error_of(pair, None) == np.inf


@every_map
def test_inliers_have_the_stated_noise(name):
    pairs = [PROBLEMS[name].generate("sig3", i, "test") for i in range(8)]
    dim = PROBLEMS[name].dims[0]
    squares = [
        residuals(pair, pair.model)[pair.is_inlier] ** 2
        / (dim * (3.0 if dim == 2 else pair.unit) ** 2)
        for pair in pairs
    ]
    squares = np.concatenate(squares)
    assert abs(squares.mean() - 1.0) < 5.0 * np.sqrt(2.0 / (dim * len(squares)))


@every_map
def test_the_oracle_is_a_minimum_that_beats_the_truth_on_its_own_matches(name):
    pair = PROBLEMS[name].generate("sig1", 0, "test")
    fit = METHODS["oracle"].run(pair, Settings(0.0))
    at_truth, at_fit = (
        np.sum(residuals(pair, model)[pair.is_inlier] ** 2)
        for model in (pair.model, fit.model)
    )
    assert at_fit <= at_truth
    sigma = 1.0 if PROBLEMS[name].dims[0] == 2 else pair.unit
    assert (at_truth - at_fit) / sigma**2 < 8 * PROBLEMS[name].num_params + 40
    assert error_of(pair, fit) < 3.0


@every_map
def test_every_installed_method_solves_an_easy_problem(name):
    pair = PROBLEMS[name].generate("easy", 7, "val")
    methods = [m for m in available(name) if not m.startswith("cvscore")]
    assert "oracle" in methods
    for method in (METHODS[m] for m in methods):
        threshold = method.thresholds[name] * pair.unit
        fit = method.run(pair, Settings(threshold, seed=1))
        assert fit is not None, method.name
        assert fit.inliers.shape == (len(pair.x1),)
        assert error_of(pair, fit) < 10, method.name


@every_map
def test_another_map_is_an_error(name):
    pair = PROBLEMS[name].generate("easy", 0, "val")
    wrong = pair.model.copy()
    wrong[:, -1] += 5.0 * pair.truth.unit / np.sqrt(len(wrong))
    fit = Fit(wrong, pair.is_inlier)
    assert error_of(pair, fit) == pytest.approx(5.0)
    halved = replace(pair, truth=replace(pair.truth, unit=2.0 * pair.truth.unit))
    assert error_of(halved, fit) == pytest.approx(2.5)


@every_map
def test_noisy_pairs_have_the_noise_they_say(name):
    rng = np.random.default_rng(3)
    pair = PROBLEMS[name].draw_noisy(rng)
    assert pair.x1.shape[1] == PROBLEMS[name].dims[0]
    assert 30 <= pair.num_inliers <= 300
    assert pair.num_inliers / len(pair.x1) >= 0.29
    assert pair.noise > 0.0
