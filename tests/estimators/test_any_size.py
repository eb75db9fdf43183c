"""Points, cameras and scores of any finite size: the right answer or a ValueError."""

import numpy as np
import pytest
from synthetic import planar_scene, two_view_scene

from cvscore.estimators import (
    estimate_essential,
    estimate_fundamental,
    estimate_homography,
)
from cvscore.scores.baselines import Msac
from cvscore.scores.marginal_score import MarginalScore
from cvscore.scores.priors import InverseGamma

pytestmark = pytest.mark.filterwarnings("error")

SMALL_ENOUGH = [1e-70, 1e-20, 1e-5, 1e5, 1e20, 1e70]
TOO_LARGE = [1e-310, 1e-155, 1e-90, 1e90, 1e155, 1e300]


def is_of_rank_two(F):
    singular = np.linalg.svd(F, compute_uv=False)
    return singular[2] <= 1e-12 * singular[0]


def resized(K, factor):
    return np.diag([factor, factor, 1.0]) @ K


@pytest.mark.parametrize("factor", SMALL_ENOUGH)
def test_any_unit_gives_the_same_inliers(rng, factor):
    plane = planar_scene(rng, num=150, inlier_ratio=0.7)
    whole = estimate_homography(plane.x1, plane.x2)
    other = estimate_homography(factor * plane.x1, factor * plane.x2)
    assert (whole.inliers != other.inliers).mean() < 0.02
    assert other.scale == pytest.approx(factor * whole.scale, rel=0.05)
    scene = two_view_scene(rng, num=150, inlier_ratio=0.7)
    whole = estimate_fundamental(scene.x1, scene.x2)
    other = estimate_fundamental(factor * scene.x1, factor * scene.x2)
    assert (whole.inliers != other.inliers).mean() < 0.02
    assert is_of_rank_two(other.model)
    cameras = resized(scene.K1, factor), resized(scene.K2, factor)
    whole = estimate_essential(scene.x1, scene.x2, scene.K1, scene.K2)
    other = estimate_essential(factor * scene.x1, factor * scene.x2, *cameras)
    assert (whole.inliers != other.inliers).mean() < 0.02
    assert pytest.approx(whole.pose.R, abs=1e-3) == other.pose.R


@pytest.mark.parametrize("factor", TOO_LARGE)
def test_what_no_number_can_hold_is_refused(rng, factor):
    x1, x2 = rng.uniform(0, 1000, (2, 50, 2))
    K = np.diag([800.0, 800.0, 1.0])
    for estimate in (estimate_homography, estimate_fundamental):
        with pytest.raises(ValueError, match="x1 and x2 must"):
            estimate(factor * x1, factor * x2)
        with pytest.raises(ValueError, match="x1 and x2 must"):
            estimate(factor * x1, x2)
    with pytest.raises(ValueError, match=r"K1 must|K1 has"):
        estimate_essential(x1, x2, resized(K, factor))
    with pytest.raises(ValueError, match=r"K2 must|K2 has"):
        estimate_essential(x1, x2, K, resized(K, factor))


def test_points_further_apart_than_any_number_are_refused(rng):
    x1, x2 = 1.7e308 * rng.uniform(-1, 1, (2, 50, 2))
    with pytest.raises(ValueError, match="x1 and x2 must"):
        estimate_homography(x1, x2)


def test_one_so_far_from_all_others_that_are_on_a_line(rng):
    # Along one coordinate, which has no spread by which one could be told to be far.
    # Along the other it is so far that it does not count for the scene.
    x1, x2 = rng.uniform(0, 1000, (2, 16, 2))
    x1[:, 0] = 650.0
    x1[3] = 1e262, 1500.0
    with pytest.raises(ValueError, match="x1 and x2 must"):
        estimate_homography(x1, x2)


@pytest.mark.parametrize("ratio", [1e-8, 1e-4, 1e4, 1e8])
def test_images_may_differ_in_scale(rng, ratio):
    scene = two_view_scene(rng, num=150, inlier_ratio=0.7)
    found = estimate_fundamental(scene.x1, ratio * scene.x2)
    assert found.inliers[scene.is_inlier].mean() > 0.9
    assert is_of_rank_two(found.model)


@pytest.mark.parametrize("ratio", [1e-37, 1e-12, 1e12, 1e37])
def test_but_not_by_any_factor(rng, ratio):
    scene = two_view_scene(rng, num=150, inlier_ratio=0.7)
    with pytest.raises(ValueError, match="not more than 1e\\+09 times each other"):
        estimate_fundamental(scene.x1, ratio * scene.x2)
    K2 = resized(scene.K2, ratio)
    with pytest.raises(ValueError, match="not more than 1e\\+09 times each other"):
        estimate_essential(scene.x1, ratio * scene.x2, scene.K1, K2)


@pytest.mark.parametrize("size", [1e-300, 1e-155, 1e-70, 1e70, 1e155, 1e300])
def test_scores_of_any_size_are_refused_or_give_finite_numbers(rng, size):
    scene = planar_scene(rng, num=80, inlier_ratio=0.7)
    for score in (
        lambda: MarginalScore(half_width=size),
        lambda: MarginalScore(half_width_fraction=size),
        lambda: MarginalScore(prior=InverseGamma(1.0, size)),
        lambda: MarginalScore(prior=InverseGamma(size, 1.0)),
        lambda: Msac(threshold=size),
    ):
        try:
            found = estimate_homography(scene.x1, scene.x2, score=score())
        except ValueError:
            continue
        if found and isinstance(score(), MarginalScore):
            assert np.isfinite([found.scale, found.threshold]).all()


def test_a_prior_is_not_scaled_beyond_all_numbers():
    with pytest.raises(ValueError, match="beta must be finite"):
        InverseGamma(1.0, 1.0).scaled(1e200)
