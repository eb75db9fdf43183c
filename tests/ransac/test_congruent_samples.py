"""Samples that keep their distances, or the ratios of these."""

import numpy as np
import pytest
from map_scenes import map_scene
from numba.core import config as numba_config

from cvscore.ransac.congruent_samples import NUM_PLAIN_SAMPLES, CongruentSampler

NUM = 30 if numba_config.DISABLE_JIT else 1500


def share_of_right_samples(kind, share_right, rng, **choices):
    scene = map_scene(rng, kind, 3, 400, share_right, noise=1.0)
    sampler = CongruentSampler(scene.points, **choices)
    sampler.draw(NUM_PLAIN_SAMPLES)
    samples = sampler.draw(NUM)
    assert samples.shape == (NUM, 3)
    assert (np.diff(np.sort(samples, axis=1), axis=1) > 0).all()
    assert samples.min() >= 0
    assert samples.max() < 400
    return scene.is_right[samples].all(axis=1).mean()


@pytest.mark.parametrize("kind", ["rigid", "similarity"])
def test_few_right_points_are_found(kind, rng):
    """One triangle in 8,000 is right."""
    if numba_config.DISABLE_JIT:
        pytest.skip("takes many samples")
    share = share_of_right_samples(kind, 0.05, rng, any_scale=kind == "similarity")
    assert share > (0.01 if kind == "rigid" else 0.002)


def test_most_samples_are_right_where_half_of_the_points_are(rng):
    """An eighth would be, by chance."""
    assert share_of_right_samples("rigid", 0.5, rng, any_scale=False) > 0.9
    assert share_of_right_samples("similarity", 0.5, rng, any_scale=True) > 0.5


def test_the_first_samples_are_plain(rng):
    scene = map_scene(rng, "rigid", 3, 400, 0.3)
    shares = []
    for seed in range(40):
        sampler = CongruentSampler(scene.points, any_scale=False, seed=seed)
        shares.append(scene.is_right[sampler.draw(NUM_PLAIN_SAMPLES)].mean())
    assert np.mean(shares) == pytest.approx(0.3, abs=0.04)


def test_seeds(rng):
    points = map_scene(rng, "rigid", 3).points
    draws = [
        CongruentSampler(points, any_scale=False, seed=seed).draw(60)
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(draws[0], draws[1])
    assert (draws[0] != draws[2]).any()


def test_points_in_one_place_are_sampled_all_the_same():
    sampler = CongruentSampler(np.ones((6, 10)), any_scale=False)
    samples = sampler.draw(50)
    assert (np.diff(np.sort(samples, axis=1), axis=1) > 0).all()
