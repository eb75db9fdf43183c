"""Noise variances of pairs with known truth."""

import numba
import numpy as np
import pytest
from synthetic import planar_scene, two_view_scene

from cvscore.calibration.pair_variances import (
    MIN_DEGREES_OF_FREEDOM,
    collect_variances,
    variance_given_pose,
    variance_unconstrained,
)

NUM_PAIRS = 40 if not numba.config.DISABLE_JIT else 4
MODELS = ["homography", "fundamental", "essential"]
NUM_PARAMS = {"homography": 8, "fundamental": 7, "essential": 5}
DIM = {"homography": 2, "fundamental": 1, "essential": 1}


def scene_of(model, rng, num=30, noise=0.7):
    planar = model == "homography"
    return two_view_scene(
        rng, num, inlier_ratio=1.0, noise=noise, focals=(900.0, 1100.0), planar=planar
    )


@pytest.mark.parametrize("model", MODELS)
def test_both_variances_are_those_of_the_noise(model, rng):
    """The mean over pairs is unbiased; a pair of nu degrees of freedom has 2/nu."""
    free, posed = [], []
    for _ in range(NUM_PAIRS):
        s = scene_of(model, rng)
        free.append(variance_unconstrained(s.x1, s.x2, s.K1, s.K2, model=model))
        posed.append(
            variance_given_pose(s.x1, s.x2, s.K1, s.K2, R=s.R, t=s.t, model=model)
        )
    for values, num_params in ((free, NUM_PARAMS[model]), (posed, 0)):
        nu = NUM_PAIRS * (30 * DIM[model] - num_params)
        assert np.mean(values) / 0.7**2 == pytest.approx(1, abs=6 * np.sqrt(2 / nu))


@pytest.mark.parametrize("model", MODELS)
def test_fitting_never_fits_worse_than_the_truth(model, rng):
    s = scene_of(model, rng)
    nu = len(s.x1) * DIM[model]
    free = variance_unconstrained(s.x1, s.x2, s.K1, s.K2, model=model)
    posed = variance_given_pose(s.x1, s.x2, s.K1, s.K2, R=s.R, t=s.t, model=model)
    num_posed = 3 if model == "homography" else 0
    assert free * (nu - NUM_PARAMS[model]) <= posed * (nu - num_posed) * (1 + 1e-9)


def test_units_of_the_points_are_those_of_the_variance(rng):
    s = planar_scene(rng, 50, inlier_ratio=1.0)
    pixels = variance_unconstrained(s.x1, s.x2, model="homography")
    rays = variance_unconstrained(s.x1 / 800, s.x2 / 800, model="homography")
    assert rays * 800**2 == pytest.approx(pixels, rel=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_too_few_matches_give_none_and_are_counted(model, rng):
    values = []
    for num in (5, 8, 30):
        s = scene_of(model, rng, num)
        values.append(variance_unconstrained(s.x1, s.x2, s.K1, s.K2, model=model))
    assert values[0] is None
    assert values[2] is not None
    counted = collect_variances(values)
    assert len(counted.values) + counted.num_skipped == 3
    few = scene_of(model, rng, MIN_DEGREES_OF_FREEDOM // 2)
    posed = {"R": few.R, "t": few.t, "model": model}
    assert variance_given_pose(few.x1, few.x2, few.K1, few.K2, **posed) is None


def test_copies_count_once(rng):
    s = scene_of("essential", rng)
    twice = np.vstack([s.x1, s.x1]), np.vstack([s.x2, s.x2])
    once = variance_unconstrained(s.x1, s.x2, s.K1, s.K2, model="essential")
    assert variance_unconstrained(*twice, s.K1, s.K2, model="essential") == once


def test_arguments_are_checked(rng):
    s = scene_of("essential", rng)
    with pytest.raises(ValueError, match=r"model must be one of .* got 'E'"):
        variance_unconstrained(s.x1, s.x2, model="E")
    with pytest.raises(ValueError, match="needs the camera matrix K1"):
        variance_unconstrained(s.x1, s.x2, model="essential")
    with pytest.raises(ValueError, match="t must be finite and not zero"):
        variance_given_pose(s.x1, s.x2, s.K1, R=s.R, t=np.zeros(3), model="fundamental")
    with pytest.raises(ValueError, match="R and t must have shapes"):
        variance_given_pose(s.x1, s.x2, s.K1, R=s.t, t=s.t, model="fundamental")


@pytest.mark.filterwarnings("error")
def test_sizes_and_poses_that_no_number_can_hold_are_refused(rng):
    x = rng.uniform(0, 1000, (60, 2))
    far = x.copy()
    far[20:] = rng.uniform(-1e200, 1e200, (40, 2))
    with pytest.raises(ValueError, match="x1 and x2 must"):
        variance_unconstrained(x, far, model="homography")
    K = np.diag([800.0, 800.0, 1.0])
    for R in (np.full((3, 3), np.inf), 1e200 * np.eye(3), -np.eye(3)):
        with pytest.raises(ValueError, match="R must be a rotation matrix"):
            variance_given_pose(x, x, K, R=R, t=[1, 0, 0], model="essential")
