"""Weights of matches: what equal ones change, what known noise is worth, and copies."""

import numpy as np
import pytest
from map_scenes import KINDS, apply, map_scene, random_map
from seen_points import pose_error, seen_points
from synthetic import corner_error, planar_scene, two_view_scene

import cvscore
from cvscore.estimators import ESTIMATORS
from cvscore.estimators.many_pairs import estimate_many


def arguments_of(rng, name, num=150):
    if name in KINDS:
        scene = map_scene(rng, name, 2, num)
        return scene.x1, scene.x2
    if name == "absolute_pose":
        seen = seen_points(rng, num)
        return seen.x, seen.X, seen.K
    scene = planar_scene(rng, num) if name == "homography" else two_view_scene(rng, num)
    cameras = (scene.K1, scene.K2) if name == "essential" else ()
    return scene.x1, scene.x2, *cameras


def assert_same(one, other):
    for name in ("model", "inliers", "residuals", "score", "scale", "threshold"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.evidence == other.evidence
    np.testing.assert_array_equal(one.covariance, other.covariance)
    np.testing.assert_array_equal(one.probabilities, other.probabilities)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_equal_weights_change_no_bit_and_only_ratios_count(name, rng):
    given, estimate = arguments_of(rng, name), ESTIMATORS[name].estimate
    num = len(given[0])
    assert_same(estimate(*given), estimate(*given, weights=np.full(num, 0.3)))
    weights = 2.0 ** rng.integers(-2, 3, num)
    one = estimate(*given, weights=weights)
    other = estimate(*given, weights=8.0 * weights)
    np.testing.assert_allclose(one.model, other.model, rtol=1e-9, atol=1e-12)
    assert one.scale == pytest.approx(other.scale, rel=1e-9)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_match_has_a_threshold_of_its_own(name, rng):
    given = arguments_of(rng, name)
    weights = np.exp(rng.normal(size=len(given[0])))
    found = ESTIMATORS[name].estimate(*given, weights=weights)
    own = found.threshold * np.exp(0.5 * np.log(weights).mean()) / np.sqrt(weights)
    is_clear = np.abs(found.residuals / own - 1.0) > 1e-6
    within = found.residuals < own
    np.testing.assert_array_equal(found.inliers[is_clear], within[is_clear])


def mixed(rng, x, factors, noise=0.5):
    return x + noise * factors[:, None] * rng.normal(size=x.shape)


def factors_of(rng, num):
    return np.exp(rng.uniform(0.0, np.log(10.0), num))


def test_known_noise_makes_a_homography_better(rng):
    gains = []
    for _ in range(15):
        scene = planar_scene(rng, 200, inlier_ratio=0.6, noise=0.0)
        factors = factors_of(rng, 200)
        x1, x2 = (mixed(rng, x, factors) for x in (scene.x1, scene.x2))
        errors = [
            corner_error(cvscore.estimate_homography(x1, x2, weights=w).model, scene)
            for w in (None, factors**-2)
        ]
        gains.append(np.log(errors[0] / errors[1]))
    assert np.mean(gains) > np.log(1.2)


def test_known_noise_makes_a_pose_better(rng):
    gains = []
    for _ in range(15):
        seen = seen_points(rng, 200, noise=0.0)
        factors = factors_of(rng, 200)
        x = mixed(rng, seen.x, factors)
        errors = [
            pose_error(
                cvscore.estimate_absolute_pose(x, seen.X, seen.K, weights=w).model, seen
            )
            for w in (None, factors**-2)
        ]
        gains.append(np.log(errors[0] / errors[1]))
    assert np.mean(gains) > np.log(1.2)


@pytest.mark.parametrize("dim", [2, 3])
def test_scale_and_covariance_are_those_of_weighted_matches(dim):
    covered, scales, sizes = [], [], []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        truth = random_map(rng, "affine", dim)
        x = rng.uniform(0, 1000, (60, dim))
        factors = factors_of(rng, 60)
        x1, x2 = (mixed(rng, y, factors) for y in (x, apply(truth, x)))
        found = cvscore.estimate_affine(x1, x2, weights=factors**-2)
        plain = cvscore.estimate_affine(x1, x2)
        covered.append(found.contains(truth))
        mean = np.exp(np.log(factors).mean())
        scales.append(found.scale / (0.5 * mean))
        sizes.append(np.linalg.slogdet(found.covariance)[1])
        sizes[-1] -= np.linalg.slogdet(plain.covariance)[1]
    assert np.mean(covered) > 0.87
    assert np.median(scales) == pytest.approx(1.0, abs=0.05)
    assert np.median(sizes) < 0.0


def test_of_copies_the_largest_weight_counts(rng):
    x1, x2 = arguments_of(rng, "homography")
    weights = np.exp(rng.normal(size=len(x1)))
    # Copies of a match at a fraction of its weight; powers of two keep the bits.
    doubled = (np.vstack([x, x]) for x in (x1, x2))
    found = cvscore.estimate_homography(
        *doubled, weights=np.append(weights / 4.0, weights)
    )
    single = cvscore.estimate_homography(x1, x2, weights=weights)
    np.testing.assert_allclose(found.model, single.model, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(found.inliers[:150], found.inliers[150:])
    np.testing.assert_array_equal(found.residuals[:150], found.residuals[150:])


def test_they_go_with_quality_with_other_scores_and_with_the_interpreted_loop(rng):
    scene = planar_scene(rng, 150, inlier_ratio=0.6, noise=0.5)
    weights = np.exp(rng.normal(size=150))
    given = {"weights": weights, "quality": scene.is_inlier.astype(float)}
    for choices in (
        given,
        {**given, "solver": "opencv"},
        {**given, "score": cvscore.Msac(3.0)},
        {**given, "score": cvscore.InlierCount(3.0)},
    ):
        found = cvscore.estimate_homography(scene.x1, scene.x2, **choices)
        assert corner_error(found.model, scene) < 5.0
        assert np.isfinite(found.covariance).all()


def test_models_are_selected_and_many_pairs_estimated_with_them(rng):
    scene = two_view_scene(rng, 200)
    weights = np.exp(rng.normal(size=200))
    chosen = cvscore.select_model(scene.x1, scene.x2, scene.K1, weights=weights)
    own = cvscore.estimate_homography(scene.x1, scene.x2, weights=weights)
    np.testing.assert_array_equal(chosen.homography.model, own.model)
    pairs = [(scene.x1, scene.x2, {"weights": weights})]
    (found,) = estimate_many(pairs, "homography", progress=False)
    np.testing.assert_array_equal(found.model, own.model)
    with pytest.raises(TypeError, match="weights is a pair's own"):
        estimate_many(pairs, "homography", weights=weights)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(99), r"weights must have shape \(100,\), got \(99,\)"),
        (np.ones((100, 1)), r"weights must have shape \(100,\), got \(100, 1\)"),
        (np.append(np.ones(99), np.nan), "positive and finite, and 1 of 100 are not"),
        (np.append(np.ones(98), [0.0, -1.0]), "and 2 of 100 are not"),
        (np.append(np.ones(99), np.inf), "and 1 of 100 are not"),
        (np.append(np.ones(99), 1e-12), "not be more than 1e[+]09 times each other"),
        (["a"] * 100, "weights must hold real numbers"),
    ],
)
@pytest.mark.parametrize("name", ["homography", "translation"])
def test_what_is_no_weight_is_refused_by_name(name, weights, message, rng):
    x1 = rng.uniform(0, 1000, (100, 2))
    with pytest.raises(ValueError, match=message):
        ESTIMATORS[name].estimate(x1, x1 + 5.0, weights=weights)
