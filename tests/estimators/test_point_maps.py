"""Maps of the plane and of space, estimated from matches of which many are wrong."""

import inspect

import numpy as np
import pytest
from map_scenes import KINDS, corner_error, map_distances, map_scene
from numba.core import config as numba_config

import cvscore

every_map = pytest.mark.parametrize("kind", KINDS)
every_dim = pytest.mark.parametrize("dim", [2, 3])
NOISE = 0.5
FEW = cvscore.RansacOptions(max_iterations=200)


def estimate(kind, *given, **choices):
    return getattr(cvscore, f"estimate_{kind}")(*given, **choices)


@every_map
@every_dim
def test_the_truth_is_found(kind, dim, rng):
    scene = map_scene(rng, kind, dim, noise=NOISE)
    found = estimate(kind, scene.x1, scene.x2)
    assert found
    assert found.is_significant
    assert found.model.shape == (dim, dim + 1)
    assert found.pose is None
    assert corner_error(found.model, scene) < 3.0 * NOISE
    assert found.inliers[scene.is_right].mean() > 0.95
    low, high = found.scale_interval(0.999)
    assert low < NOISE < high
    far = map_distances(scene.model, scene.x1, scene.x2) > 10.0 * NOISE
    assert not found.inliers[far].any()


@every_map
@every_dim
def test_residuals_and_inliers_are_those_of_the_model_returned(kind, dim, rng):
    scene = map_scene(rng, kind, dim)
    found = estimate(kind, scene.x1, scene.x2)
    distances = map_distances(found.model, scene.x1, scene.x2)
    np.testing.assert_allclose(found.residuals, distances, rtol=1e-6, atol=1e-9)
    inside = found.residuals <= found.threshold
    np.testing.assert_array_equal(found.inliers, inside)


@every_map
@every_dim
def test_models_are_of_their_kind(kind, dim, rng):
    scene = map_scene(rng, kind, dim)
    A = estimate(kind, scene.x1, scene.x2).model[:, :dim]
    square = A @ A.T
    if kind == "translation":
        np.testing.assert_array_equal(A, np.eye(dim))
    elif kind == "rigid":
        np.testing.assert_allclose(square, np.eye(dim), atol=1e-12)
    elif kind == "similarity":
        np.testing.assert_allclose(square, square[0, 0] * np.eye(dim), atol=1e-12)
    assert np.linalg.det(A) > 0.0


@every_map
@every_dim
def test_units_and_shifts_change_nothing_else(kind, dim, rng):
    scene = map_scene(rng, kind, dim)
    plain = estimate(kind, scene.x1, scene.x2)
    scaled = estimate(kind, 1024.0 * scene.x1, 1024.0 * scene.x2)
    np.testing.assert_array_equal(scaled.inliers, plain.inliers)
    np.testing.assert_allclose(scaled.scale, 1024.0 * plain.scale, rtol=1e-9)
    A, t = plain.model[:, :dim], plain.model[:, dim]
    np.testing.assert_allclose(scaled.model[:, :dim], A, atol=1e-9)
    shifted = estimate(kind, scene.x1 + 512.0, scene.x2 - 256.0)
    expected = t - 256.0 - A @ np.full(dim, 512.0)
    np.testing.assert_allclose(shifted.model[:, dim], expected, atol=1e-5)


@every_map
@every_dim
def test_few_right_matches_are_enough(kind, dim, rng):
    if numba_config.DISABLE_JIT:
        pytest.skip("takes many samples")
    share = 0.25 if (kind, dim) == ("affine", 3) else 0.1
    scene = map_scene(rng, kind, dim, 500, share_right=share)
    found = estimate(kind, scene.x1, scene.x2)
    assert found.is_significant
    assert corner_error(found.model, scene) < 6.0 * NOISE


@every_map
@every_dim
def test_random_matches_are_not_significant(kind, dim, rng):
    for num in (30, 100):
        x1, x2 = rng.uniform(0, 1000, (2, num, dim))
        assert not estimate(kind, x1, x2, options=FEW).is_significant


@every_map
@every_dim
def test_too_few_matches_are_a_false_estimate(kind, dim, rng):
    size = {"translation": 1, "affine": dim + 1}.get(kind, dim)
    x1, x2 = rng.uniform(0, 1000, (2, size, dim))
    found = estimate(kind, x1, x2)
    assert not found
    assert found.model is None
    name = {"affine": "affine map", "rigid": "rigid motion"}.get(kind, kind)
    assert found.reason == (
        f"{size} distinct matches, but a {dim}-D {name} needs at least {size + 1}"
    )
    assert not estimate(kind, np.empty((0, dim)), np.empty((0, dim)))


@every_map
@every_dim
def test_one_match_many_times_is_too_few(kind, dim):
    x = np.full((30, dim), 3.0)
    found = estimate(kind, x, x + 1.0)
    assert not found
    assert "1 distinct matches" in found.reason


@pytest.mark.parametrize(("kind", "dim"), [("affine", 2), ("affine", 3), ("rigid", 3)])
def test_points_on_a_line_are_degenerate(kind, dim, rng):
    x1 = np.outer(rng.uniform(0, 100, 50), np.arange(1.0, dim + 1))
    found = estimate(kind, x1, x1 + 5.0)
    assert not found
    assert "they are degenerate" in found.reason


@pytest.mark.parametrize("kind", ["rigid", "similarity"])
def test_points_on_a_line_fix_what_they_can(kind, rng):
    x1 = np.outer(rng.uniform(0, 100, 50), [1.0, 2.0])
    x2 = x1 @ [[0.0, 1.0], [-1.0, 0.0]] + 5.0  # turned by a right angle
    found = estimate(kind, x1, x2)
    np.testing.assert_allclose(found.model, [[0, -1, 5], [1, 0, 5]], atol=1e-9)


def test_points_of_a_plane_fix_a_rigid_motion_of_space(rng):
    scene = map_scene(rng, "rigid", 3, noise=0.0)
    x1 = scene.x1 * [1.0, 1.0, 0.0]
    x2 = np.where(scene.is_right[:, None], x1 @ scene.model[:, :3].T, scene.x2)
    found = cvscore.estimate_rigid(x1, x2)
    np.testing.assert_allclose(found.model[:, :3], scene.model[:, :3], atol=1e-9)
    assert not cvscore.estimate_affine(x1[scene.is_right], x2[scene.is_right])


@every_map
def test_keywords_are_those_of_the_other_estimators(kind, rng):
    function = getattr(cvscore, f"estimate_{kind}")
    theirs = inspect.signature(cvscore.estimate_homography).parameters
    # A map has one solver, so that there is none to choose.
    expected = [name for name in theirs if name != "solver"]
    assert list(inspect.signature(function).parameters) == expected
    scene = map_scene(rng, kind, 2)
    given = scene.x1, scene.x2
    found = function(*given, score=cvscore.Msac(3.0), options=FEW)
    assert corner_error(found.model, scene) < 6.0
    quality = scene.is_right.astype(float)
    assert function(*given, quality=quality).iterations <= found.iterations
    with pytest.raises(TypeError, match="solver"):
        function(*given, solver="opencv")
    with pytest.raises(TypeError, match="options must be RansacOptions"):
        function(*given, options=3)


@every_map
@pytest.mark.parametrize(
    ("x1", "x2", "message"),
    [
        (np.zeros((9, 4)), np.zeros((9, 4)), r"x1 must have shape \(N, 2\) or \(N, 3"),
        (np.zeros(9), np.zeros(9), "x1 must have shape"),
        (np.zeros((9, 2)), np.zeros((9, 3)), r"x2 must have shape \(N, 2\)"),
        (np.zeros((9, 3)), np.zeros((8, 3)), "x1 and x2 must have the same length"),
        (np.full((9, 3), np.nan), np.zeros((9, 3)), "x1 has NaN or infinite"),
        ([["a", "b"]], [["a", "b"]], "x1 must hold real numbers"),
    ],
)
def test_wrong_points_are_a_value_error(kind, x1, x2, message):
    with pytest.raises(ValueError, match=message):
        estimate(kind, x1, x2)


@every_dim
def test_the_same_seed_gives_the_same_bits(dim, rng):
    scene = map_scene(rng, "rigid", dim, share_right=0.2)
    first, again = (cvscore.estimate_rigid(scene.x1, scene.x2) for _ in range(2))
    np.testing.assert_array_equal(first.model, again.model)
