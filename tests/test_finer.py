"""A finer model among the inliers of a coarse one."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from synthetic import packed

import cvscore.estimate
from cvscore import BetaPrior, MarginalScore, estimate_homography
from cvscore.finer import look_closer
from cvscore.models.homography import homography_model
from cvscore.objective import Objective
from cvscore.types import RansacOptions

H = np.array([[1.05, 0.02, 10], [-0.03, 0.98, 5], [2e-5, -1e-5, 1]])


def mapped(model, x):
    y = np.column_stack([x, np.ones(len(x))]) @ model.T
    return y[:, :2] / y[:, 2:]


def two_planes(rng, num=200, num_other=90, noise=0.5):
    """Return matches of a plane, and then of one that is a few pixels off."""
    x1 = rng.uniform([0, 0], [1000, 750], (num + num_other, 2))
    other = H + np.array([[0.004, 0.002, 1], [0.0, 0.004, 1], [0, 0, 0]])
    x2 = np.vstack([mapped(H, x1[:num]), mapped(other, x1[num:])])
    return x1, x2 + rng.normal(0, noise, x2.shape)


def closer(objective, best, **options):
    def score_with(half_width, labels=None):
        return replace(objective.score, half_width=half_width, label_prior=labels)

    of_some = partial(score_with, labels=BetaPrior())
    given = RansacOptions(**options), objective.score.half_width, 1e-12
    return look_closer(objective, best, *given, score_with, of_some)


def objective_of(x1, x2, solver="native"):
    points = packed(x1, x2)
    score = MarginalScore(half_width=25.0)
    return Objective(homography_model(solver), points, score)


def coarse_model(objective):
    """Return the least-squares fit of everything."""
    return objective.climb(objective.best_of(H[None]))


@pytest.mark.parametrize("solver", ["native", "opencv"])
def test_one_of_two_planes_is_found_between_them(rng, solver):
    x1, x2 = two_planes(rng)
    objective = objective_of(x1, x2, solver)
    ones = np.ones(len(x1))
    between = objective.model.refit(H, objective.points, ones)
    best = objective.climb(objective.best_of(between[None]))
    inliers = objective.inliers(best)
    assert (inliers >= 200).sum() > 60  # it is coarse

    narrower, finer = closer(objective, best)
    assert narrower.score.half_width < objective.score.half_width
    inliers = narrower.inliers(finer)
    assert (inliers >= 200).sum() < 15
    assert (inliers < 200).sum() > 180


def near_misses(rng, num=100, num_near=200, num_wrong=300):
    """Return right matches, then wrong ones close to the right place, then others."""
    num_all = num + num_near + num_wrong
    x1, wrong = rng.uniform([0, 0], [1000, 750], (2, num_all, 2))
    off = (
        rng.normal(0, 1, (num_all, 2))
        * np.where(np.arange(num_all) < num, 0.5, 8)[:, None]
    )
    x2 = np.where(
        np.arange(num_all)[:, None] < num + num_near, mapped(H, x1) + off, wrong
    )
    return x1, x2


def test_near_misses_are_no_inliers(rng, monkeypatch):
    problems = [near_misses(rng) for _ in range(10)]
    finer = [estimate_homography(x1, x2).inliers for x1, x2 in problems]
    monkeypatch.setattr(
        cvscore.estimate, "look_closer", lambda objective, best, *_: (objective, best)
    )
    coarse = [estimate_homography(x1, x2).inliers for x1, x2 in problems]
    assert np.median([inliers[100:300].mean() for inliers in coarse]) > 0.25
    assert np.max([inliers[100:300].mean() for inliers in finer]) < 0.1
    assert np.min([inliers[:100].mean() for inliers in finer]) > 0.9


def test_a_half_width_that_was_given_stays(rng):
    x1, x2 = two_planes(rng)
    found = estimate_homography(x1, x2, score=MarginalScore(half_width=25.0))
    assert found.half_width == pytest.approx(25.0)


@pytest.mark.parametrize("num", [6, 10, 15, 30, 100, 1000])
def test_noise_of_one_scale_has_no_finer_model(rng, num):
    for _ in range(40):
        x1 = rng.uniform([0, 0], [1000, 750], (num, 2))
        x2 = mapped(H, x1) + rng.normal(0, 2.0, (num, 2))
        objective = objective_of(x1, x2)
        best = coarse_model(objective)
        assert closer(objective, best) == (objective, best)


def test_an_exact_fit_has_no_finer_model(rng):
    x1 = rng.uniform([0, 0], [1000, 750], (50, 2))
    for model in (np.eye(3), H):  # exactly, and but for rounding errors
        objective = objective_of(x1, mapped(model, x1))
        best = objective.best_of(model[None])
        assert closer(objective, best) == (objective, best)


def test_no_more_samples_than_the_search_may_draw(rng):
    x1, x2 = two_planes(rng)
    objective = objective_of(x1, x2)
    between = objective.model.refit(H, objective.points, np.ones(len(x1)))
    best = objective.climb(objective.best_of(between[None]))
    # One sample of 290 matches finds nothing.
    assert closer(objective, best, max_iterations=1) == (objective, best)
