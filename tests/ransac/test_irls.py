"""The polish follows the core of the inliers, not the near misses at their edge."""

import numpy as np
import pytest
from scipy import stats
from synthetic import corner_error, packed, planar_scene, project

from cvscore.data.normalization import frame_of, region_of
from cvscore.models.homography import homography_model
from cvscore.ransac.irls import (
    CORE_QUANTILES,
    CORE_SHARES,
    core_variance,
    polish,
)
from cvscore.ransac.local_optimization import optimise
from cvscore.ransac.objective import Objective
from cvscore.scores.marginal_score import MarginalScore
from cvscore.two_view.image_frames import homography_outside, matrix_into
from cvscore.types import MAX_RESIDUAL_DIM


def contaminated(rng):
    """300 matches with noise 0.5, and 60 that miss by 2 to 5 px in one direction."""
    scene = planar_scene(rng, num=300, inlier_ratio=1.0, noise=0.5)
    x1 = rng.uniform([0, 0], [1280, 960], (60, 2))
    x2 = project(scene.H, x1) + rng.uniform(2, 5, (60, 1)) * np.array([0.8, 0.6])
    return scene, np.vstack([scene.x1, x1]), np.vstack([scene.x2, x2])


def search_of(H, x1, x2):
    """The frame of the matches, the objective in it, and its candidate at the truth."""
    points = packed(x1, x2)
    frame = frame_of(region_of(points))
    score = MarginalScore(half_width=40.0 / frame.unit)
    objective = Objective(homography_model(), frame.enter(points), score)
    H = matrix_into(frame, 1) @ H @ np.linalg.inv(matrix_into(frame, 0))
    return frame, objective, objective.best_of((H / np.linalg.norm(H))[None])


def fits(rng):
    scene, x1, x2 = contaminated(rng)
    frame, objective, start = search_of(scene.H, x1, x2)
    climbed = optimise(objective, start)
    _, polished = polish(objective, climbed)

    def error(candidate):
        return corner_error(homography_outside(frame, candidate.model), scene)

    return error(climbed), error(polished)


def test_near_misses_pull_the_polished_model_less(rng):
    errors = np.array([fits(rng) for _ in range(20)])
    least_squares, polished = np.median(errors, axis=0)
    assert polished < 0.8 * least_squares


def test_right_matches_need_not_be_the_most(rng):
    """80 matches with noise 0.5 and twice as many that miss by 2 to 15 px."""
    errors = []
    for _ in range(20):
        scene = planar_scene(rng, num=80, inlier_ratio=1.0, noise=0.5)
        x1 = rng.uniform([0, 0], [1280, 960], (160, 2))
        angles, logs = (
            rng.uniform(0, 2 * np.pi, 160),
            rng.uniform(*np.log([2, 15]), 160),
        )
        miss = np.exp(logs) * np.array([np.cos(angles), np.sin(angles)])
        x1 = np.vstack([scene.x1, x1])
        x2 = np.vstack([scene.x2, project(scene.H, x1[80:]) + miss.T])
        frame, objective, start = search_of(scene.H, x1, x2)
        climbed = optimise(objective, start)
        inliers = objective.inliers(climbed)
        assert inliers.sum() > 160  # they are not told apart
        _, polished = polish(objective, climbed)
        models = climbed.model, polished.model
        errors.append(
            [corner_error(homography_outside(frame, H), scene) for H in models]
        )
    least_squares, polished = np.median(errors, axis=0)
    assert polished < 0.65 * least_squares


@pytest.mark.parametrize("dim", range(1, MAX_RESIDUAL_DIM + 1))
def test_the_core_tells_the_variance_of_any_number_of_constraints(dim, rng):
    assert len(CORE_SHARES) == len(CORE_QUANTILES) == MAX_RESIDUAL_DIM + 1
    quantile = stats.chi2(dim).ppf(CORE_SHARES[dim])
    assert CORE_QUANTILES[dim] == pytest.approx(quantile, rel=1e-12)
    num, num_params, variance = 200_000, 8, 3.0
    q = variance * rng.chisquare(dim, num)
    assert core_variance(q, dim, num_params) == pytest.approx(variance, rel=0.02)


def test_the_core_of_few_inliers_makes_up_for_the_fit(rng):
    """A fit of n parameters takes n of k d dimensions out of the residuals."""
    q = np.full(10, 2.0)
    full = core_variance(q.copy(), 2, 0)
    assert core_variance(q.copy(), 2, 8) == pytest.approx(full * 20 / 12)
    assert core_variance(q[:4].copy(), 2, 8) == 0.0


@pytest.mark.parametrize("noise", [0.0, 1e-12])
def test_an_exact_fit_stays_exact(rng, noise):
    scene = planar_scene(rng, num=50, inlier_ratio=1.0, noise=noise)
    _, objective, start = search_of(scene.H, scene.x1, scene.x2)
    _, end = polish(objective, start)
    assert np.isfinite(end.score)
    assert end.sq_residuals.max() < 1e-24
