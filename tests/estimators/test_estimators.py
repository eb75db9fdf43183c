"""The three estimators against the truth, their laws, and an independent recount."""

from types import SimpleNamespace

import numpy as np
import pytest
from synthetic import (
    corner_error,
    planar_scene,
    pose_error,
    sampson_epipolar,
    sampson_homography,
    two_view_scene,
)

import cvscore
from cvscore import InverseGamma, MarginalScore, RansacOptions
from cvscore.inference.noise_scale import truncation
from cvscore.scores.baselines import GaussianUniform, InlierCount, MagsacPlusPlus, Msac

MODELS = ("homography", "fundamental", "essential")


def make(model, rng, **arguments):
    scene = planar_scene if model == "homography" else two_view_scene
    return scene(rng, **arguments)


def run(model, scene, x1=None, x2=None, **arguments):
    x1 = scene.x1 if x1 is None else x1
    x2 = scene.x2 if x2 is None else x2
    if model == "essential":
        K1 = arguments.pop("K1", scene.K1)
        K2 = arguments.pop("K2", scene.K2)
        return cvscore.estimate_essential(x1, x2, K1, K2, **arguments)
    return getattr(cvscore, f"estimate_{model}")(x1, x2, **arguments)


def distances(model, matrix, scene):
    if model == "homography":
        return sampson_homography(matrix, scene.x1, scene.x2)
    if model == "essential":
        K1, K2 = np.linalg.inv(scene.K1), np.linalg.inv(scene.K2)
        matrix = K2.T @ matrix @ K1
    return sampson_epipolar(matrix, scene.x1, scene.x2)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.7, 0.9])
def test_truth_is_recovered_and_the_mask_is_that_of_the_model(rng, model, ratio):
    for _ in range(3):
        scene = make(model, rng, num=400, inlier_ratio=ratio, noise=0.5)
        result = run(model, scene, options=RansacOptions(max_iterations=5000))
        assert result
        assert result.inliers[scene.is_inlier].mean() > 0.9
        q = distances(model, result.model, scene)
        assert (q[result.inliers] <= result.threshold * (1 + 1e-9)).all()
        assert (q[~result.inliers] >= result.threshold * (1 - 1e-9)).all()
        assert result.inliers.sum() == result.num_inliers
        k, dim, n = result.num_inliers, *counts(model)
        variance = (q[result.inliers] ** 2).sum() / (k * dim - n)
        # What a Gaussian loses when it is cut there (`test_noise.py` has the numbers).
        kept, _ = truncation(result.threshold / result.scale, dim)
        assert result.scale == pytest.approx(np.sqrt(variance / kept), rel=1e-6)
        assert 0.4 < result.scale < 0.6
        if model == "homography":
            assert corner_error(result.model, scene) < 1.5
        elif model == "essential":
            assert pose_error(*result.pose, scene) < 1.0
        else:
            truth = sampson_epipolar(scene.F, scene.x1, scene.x2)[scene.is_inlier]
            found = q[scene.is_inlier]
            assert np.median(found) < 1.1 * np.median(truth)


def counts(model):
    return {"homography": (2, 8), "fundamental": (1, 7), "essential": (1, 5)}[model]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("noise", [0.03, 0.3, 3.0])
def test_one_call_for_all_noise_levels(rng, model, noise):
    scene = make(model, rng, num=500, inlier_ratio=0.6, noise=noise)
    result = run(model, scene)
    assert result.scale == pytest.approx(noise, rel=0.2)
    assert result.inliers[scene.is_inlier].mean() > 0.85
    assert 1.5 * noise < result.threshold < 7 * noise


@pytest.mark.parametrize("model", MODELS)
def test_the_form_of_the_model(rng, model):
    scene = make(model, rng)
    matrix = run(model, scene).model
    values = np.linalg.svd(matrix, compute_uv=False)
    if model == "homography":
        assert matrix[2, 2] == 1.0
    elif model == "fundamental":
        assert np.linalg.norm(matrix) == pytest.approx(1.0)
        assert values[2] < 1e-12
    else:
        np.testing.assert_allclose(values, [1, 1, 0], atol=1e-9)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("factor", "shift"), [(1e-6, 0.0), (1e6, 0.0), (1.0, 1e7), (3.7, -12345.6)]
)
def test_units_and_origin_do_not_matter(rng, model, factor, shift):
    scene = make(model, rng, noise=0.5)
    plain = run(model, scene)
    change = np.array([[factor, 0, shift], [0, factor, shift], [0, 0, 1.0]])
    x1, x2 = scene.x1 * factor + shift, scene.x2 * factor + shift
    cameras = {}
    if model == "essential":
        cameras = {"K1": change @ scene.K1, "K2": change @ scene.K2}
    moved = run(model, scene, x1, x2, **cameras)
    assert (moved.inliers == plain.inliers).all()
    assert moved.scale == pytest.approx(plain.scale * factor, rel=1e-4)
    back = {
        "homography": np.linalg.inv(change) @ (moved.model) @ change,
        "fundamental": change.T @ moved.model @ change,
        "essential": moved.model,
    }[model]
    # An offset of 1e7 leaves nine digits of a pixel.
    q = distances(model, back, scene)
    np.testing.assert_allclose(q, distances(model, plain.model, scene), atol=1e-3)


def test_normalised_coordinates_give_the_inliers_of_pixels(rng):
    scene = two_view_scene(rng)
    pixels = run("essential", scene)
    K = scene.K1
    x1, x2 = ((x - K[:2, 2]) / [K[0, 0], K[1, 1]] for x in (scene.x1, scene.x2))
    normalised = run("essential", scene, x1, x2, K1=np.eye(3), K2=np.eye(3))
    assert (normalised.inliers == pixels.inliers).all()
    assert normalised.scale * K[0, 0] == pytest.approx(pixels.scale, rel=1e-6)


def test_different_focal_lengths_are_weighted_right(rng):
    scales = []
    for _ in range(8):
        scene = two_view_scene(rng, focals=(2500.0, 700.0), noise=1.0, inlier_ratio=0.7)
        result = run("essential", scene)
        scales.append(result.scale)
        assert pose_error(*result.pose, scene) < 2.5
    # Noise of one pixel in both images is a residual of one pixel.
    assert np.mean(scales) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.float64])
def test_any_number_type(rng, model, dtype):
    scene = make(model, rng, noise=1.0)
    x1, x2 = scene.x1.astype(dtype), scene.x2.astype(dtype)
    result = run(model, scene, x1, x2)
    as_double = run(model, scene, x1.astype(np.float64), x2.astype(np.float64))
    assert (result.inliers == as_double.inliers).all()
    assert result.inliers[scene.is_inlier].mean() > 0.9


@pytest.mark.parametrize("model", MODELS)
def test_copies_count_once_and_share_their_label(rng, model):
    scene = make(model, rng, num=200, inlier_ratio=0.5)
    plain = run(model, scene)
    copies = np.concatenate([np.arange(200), rng.integers(0, 20, 400)])
    result = run(model, scene, scene.x1[copies], scene.x2[copies])
    np.testing.assert_array_equal(result.model, plain.model)
    np.testing.assert_array_equal(result.inliers, plain.inliers[copies])
    assert result.score == plain.score


@pytest.mark.parametrize("model", MODELS)
def test_noise_free_data_give_the_exact_model(rng, model):
    scene = make(model, rng, noise=0.0)
    result = run(model, scene)
    assert np.isfinite(result.score)
    assert np.isfinite(result.evidence)
    assert result.inliers[scene.is_inlier].all()
    assert distances(model, result.model, scene)[scene.is_inlier].max() < 1e-8


@pytest.mark.parametrize("model", MODELS)
def test_order_of_the_points_hardly_matters(rng, model):
    scene = make(model, rng, num=400, inlier_ratio=0.6)
    order = rng.permutation(400)
    plain = run(model, scene)
    shuffled = run(model, scene, scene.x1[order], scene.x2[order])
    assert (shuffled.inliers == plain.inliers[order]).mean() > 0.98


@pytest.mark.parametrize("model", MODELS)
def test_same_bits_again_and_a_seed_to_vary(rng, model):
    scene = make(model, rng, inlier_ratio=0.4)
    first, second = run(model, scene), run(model, scene)
    np.testing.assert_array_equal(first.model, second.model)
    assert first.score == second.score
    other = run(model, scene, options=RansacOptions(seed=5))
    assert (other.inliers == first.inliers).mean() > 0.95


@pytest.mark.parametrize("model", MODELS)
def test_quality_makes_hard_data_easy(rng, model):
    scene = make(model, rng, num=2000, inlier_ratio=0.08, noise=0.5)
    quality = scene.is_inlier + rng.normal(0, 0.6, 2000)
    options = RansacOptions(max_iterations=300)
    result = run(model, scene, quality=quality, options=options)
    assert result.inliers[scene.is_inlier].mean() > 0.85


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "score",
    [InlierCount(threshold=2.0), Msac(threshold=2.0), GaussianUniform(threshold=2.0),
     MagsacPlusPlus(threshold=2.0), MarginalScore(prior=InverseGamma(1.0, 0.25)),
     MarginalScore(half_width=60.0)],
    ids=lambda score: type(score).__name__,
)  # fmt: skip
def test_every_score_runs_in_the_same_loop(rng, model, score):
    scene = make(model, rng, num=400, inlier_ratio=0.6)
    result = run(model, scene, score=score)
    assert result.inliers[scene.is_inlier].mean() > 0.9
    assert result.scale == pytest.approx(0.5, rel=0.3)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("score", [InlierCount, Msac, GaussianUniform, MagsacPlusPlus])
def test_no_more_inliers_than_a_sample_are_no_model(rng, model, score):
    """A threshold far below the noise: nothing could be said of its scale."""
    scene = make(model, rng, num=40, inlier_ratio=0.0)
    result = run(model, scene, score=score(threshold=1e-7))
    assert not result
    assert "has more inliers than fix it" in result.reason
    assert not result.inliers.any()


@pytest.mark.parametrize("model", MODELS)
def test_opencv_solvers_are_selectable(rng, model):
    scene = make(model, rng, num=300, inlier_ratio=0.7)
    result = run(model, scene, solver="opencv")
    assert result.inliers[scene.is_inlier].mean() > 0.9
    with pytest.raises(ValueError, match=r"solver must be .* got 'cuda'"):
        run(model, scene, solver="cuda")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("num", [0, 1, 3, 4, 5, 7])
def test_too_few_matches_are_a_false_estimate_with_a_reason(rng, model, num):
    scene = make(model, rng, num=20)
    needed = {"homography": 5, "fundamental": 8, "essential": 6}[model]
    result = run(model, scene, scene.x1[:num], scene.x2[:num])
    if num < needed:
        assert not result
        assert f"{num} distinct matches" in result.reason
        assert f"at least {needed}" in result.reason
        assert result.model is None
        assert result.inliers.shape == (num,)
        assert not result.inliers.any()


@pytest.mark.parametrize("model", MODELS)
def test_one_place_is_no_scene(model):
    same = np.full((50, 2), 7.0)
    result = run(model, SimpleNamespace(K1=np.eye(3), K2=np.eye(3)), same, same)
    assert not result
    assert "1 distinct matches" in result.reason


def test_collinear_points_have_no_homography(rng):
    x = rng.uniform(0, 1000, 100)
    line = np.stack([x, 2 * x + 3], axis=1)
    result = cvscore.estimate_homography(line, line + 5)
    assert not result
    assert "degenerate" in result.reason


def test_distortion_is_undone(rng):
    import cv2

    scene = two_view_scene(rng, num=400, inlier_ratio=0.7, noise=0.0)
    dist1, dist2 = np.array([-0.2, 0.05, 1e-3, -1e-3, 0.0]), np.array([0.1, 0, 0, 0])

    def distorted(x, K, dist):
        rays = np.hstack([x, np.ones((len(x), 1))]) @ np.linalg.inv(K).T
        out, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), K, dist)
        return out[:, 0] + rng.normal(0, 0.5, (len(x), 2))

    x1 = distorted(scene.x1, scene.K1, dist1)
    x2 = distorted(scene.x2, scene.K2, dist2)
    result = run("essential", scene, x1, x2, dist1=dist1, dist2=dist2)
    assert result.inliers[scene.is_inlier].mean() > 0.9
    assert pose_error(*result.pose, scene) < 1.0
