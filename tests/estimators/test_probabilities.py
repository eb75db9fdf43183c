"""`Estimate.probabilities`: beside the inliers, through pickles, of copies."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from near_misses import shifted_with_misses
from synthetic import planar_scene, two_view_scene

import cvscore
from cvscore.estimators import ESTIMATORS
from cvscore.estimators.alternatives import KnownAnswers


def estimate(model, scene, **choices):
    cameras = (scene.K1, scene.K2) if model == "essential" else ()
    run = ESTIMATORS[model].estimate
    return run(scene.x1, scene.x2, *cameras, **choices)


def scene_of(model, rng):
    make = planar_scene if model == "homography" else two_view_scene
    return make(rng, 400, inlier_ratio=0.6, noise=0.8)


@pytest.mark.parametrize("model", ["homography", "fundamental", "essential"])
def test_they_agree_with_the_inliers_but_at_the_edge(model, rng):
    found = estimate(model, scene_of(model, rng))
    differ = (found.probabilities > 0.5) != found.inliers
    assert differ.mean() < 0.02
    # The matches that differ are closer to the threshold than one noise scale.
    off = np.abs(found.residuals[differ] - found.threshold)
    assert (off < found.scale).all()
    assert found.probabilities.min() >= 0.0
    assert found.probabilities.max() <= 1.0


SCORES = (cvscore.Msac(3.0), cvscore.InlierCount(3.0), cvscore.MagsacPlusPlus(3.0))


@pytest.mark.parametrize("score", SCORES)
def test_scores_with_a_threshold_have_them_too(score, rng):
    scene = scene_of("homography", rng)
    found = estimate("homography", scene, score=score)
    right = found.probabilities > 0.5
    assert (right == scene.is_inlier).mean() > 0.97


def test_pickles_have_them_and_copies_share_them(rng):
    scene = scene_of("fundamental", rng)
    x1, x2 = (np.vstack([x, x[:50]]) for x in (scene.x1, scene.x2))
    found = cvscore.estimate_fundamental(x1, x2)
    twin = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(twin.probabilities, found.probabilities)
    np.testing.assert_array_equal(found.probabilities[:50], found.probabilities[400:])


def test_no_model_and_an_accident_have_none(rng):
    nothing = cvscore.estimate_homography(np.zeros((3, 2)), np.ones((3, 2)))
    np.testing.assert_array_equal(nothing.probabilities, np.zeros(3))
    by_chance = cvscore.estimate_fundamental(*rng.uniform(0, 1000, (2, 100, 2)))
    assert not by_chance.is_significant
    assert by_chance.probabilities.sum() < 0.5 * by_chance.num_inliers


def test_near_misses_that_the_model_was_fitted_to_are_not_believed(rng):
    x1, x2, is_right = shifted_with_misses(rng)
    found = cvscore.estimate_translation(x1, x2)
    assert found.inliers[~is_right].sum() > 400  # by the model that was returned
    likely = found.probabilities > 0.5
    assert likely[is_right].mean() > 0.9
    assert likely[~is_right].mean() < 0.02


def test_they_are_the_mean_over_both_fits_by_how_likely_these_are(rng):
    x1, x2, _ = shifted_with_misses(rng)
    found = cvscore.estimate_translation(x1, x2)
    (narrower,) = found.alternatives
    alone = replace(found, others=None).probabilities
    for difference, share in ((-40.0, 0.0), (0.0, 0.5), (np.log(3.0), 0.75)):
        other = replace(narrower, evidence_difference=difference)
        both = replace(found, others=KnownAnswers((), other))
        expected = alone + share * (narrower.probabilities - alone)
        np.testing.assert_allclose(both.probabilities, expected, atol=1e-9)
    assert np.abs(narrower.probabilities - alone).max() > 0.5
