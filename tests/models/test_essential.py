"""The essential matrix: the model, residuals in pixels, refit."""

import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose
from synthetic import camera, packed, two_view_scene

from cvscore.models.essential import essential_model
from cvscore.models.refiners.essential import pose_normal_matrix
from cvscore.models.relative_pose import essential_matrices, move_pose, pose_of_matrix

# Pixels are brought to order one, as the estimators do.
UNIT = 1 / 1000.0


def canonical(scene):
    """Points (4, N) of order one, and the cameras that go with them."""
    scale = np.diag([UNIT, UNIT, 1.0])
    points = UNIT * packed(scene.x1, scene.x2)
    return points, scale @ scene.K1, scale @ scene.K2


# The model.


def test_record_counts():
    model = essential_model(camera(), camera())
    assert (model.name, model.sample_size) == ("essential matrix", 5)
    assert (model.num_params, model.residual_dim) == (5, 1)


def test_unknown_solver_is_refused():
    with pytest.raises(ValueError, match="solver must be one of"):
        essential_model(camera(), camera(), solver="magic")


@pytest.mark.parametrize("solver", ["native", "opencv"])
def test_solvers_recover_the_truth_from_image_points(solver, rng):
    for _ in range(10):
        scene = two_view_scene(rng, 40, 1.0, noise=0.0, focals=(1500.0, 300.0))
        points, K1, K2 = canonical(scene)
        model = essential_model(K1, K2, solver)
        samples = np.array([rng.choice(40, 5, replace=False) for _ in range(8)])
        models = model.solve(points, samples)
        assert_allclose(np.linalg.svd(models)[1], [[1, 1, 0]] * len(models), atol=1e-8)
        assert reference.distance_up_to_sign(scene.E, models) < 1e-6
        best = model.residuals(models, points).max(axis=1).min()
        assert best < 1e-14


def test_residuals_are_in_the_unit_of_the_image_points(rng):
    scene = two_view_scene(rng, 30, 1.0, noise=0.0, focals=(1500.0, 300.0))
    points, K1, K2 = canonical(scene)
    noisy = points + 0.5 * UNIT * rng.normal(size=points.shape)
    model = essential_model(K1, K2)
    F = np.linalg.inv(K2).T @ scene.E @ np.linalg.inv(K1)
    expected = reference.fundamental_sampson(F, noisy) ** 2
    assert_allclose(model.residuals(scene.E[None], noisy)[0], expected, rtol=1e-9)


# The refit.


def refit_problem(rng, num=60, noise=1.0, focals=(1000.0, 1000.0)):
    scene = two_view_scene(rng, num, 1.0, noise, focals)
    points, K1, K2 = canonical(scene)
    return scene, points, essential_model(K1, K2), (K1, K2)


def perturbed(E, rng, size=0.02):
    pose = np.empty((3, 4))
    pose_of_matrix(E, pose)
    tangent = np.linalg.svd(pose[None, :, 3])[2][1:]
    move_pose(pose, np.ascontiguousarray(tangent), size * rng.normal(size=5))
    return essential_matrices(pose[None])[0]


def cost_and_gradient(E, points, weights, cameras):
    """Cost and its derivative (5,) in local coordinates, from the kernel."""
    poses = np.empty((1, 3, 4))
    pose_of_matrix(E, poses[0])
    inverses = np.stack([np.linalg.inv(K) for K in cameras])
    normal = pose_normal_matrix(poses, np.empty((2, 3)), points, weights, inverses)
    return normal[5, 5], 2 * normal[:5, 5]


def test_truth_has_no_residual_and_stays(rng):
    scene, points, model, _ = refit_problem(rng, noise=0.0)
    refined = model.refit(scene.E, points, np.ones(60))
    assert_allclose(refined, scene.E, atol=1e-10)
    assert model.residuals(refined[None], points).max() < 1e-24


def test_truth_is_reached_from_a_perturbed_start_without_noise(rng):
    for focals in ((1000.0, 1000.0), (1500.0, 300.0), (300.0, 1500.0)):
        scene, points, model, _ = refit_problem(rng, noise=0.0, focals=focals)
        refined = model.refit(perturbed(scene.E, rng), points, np.ones(60))
        assert_allclose(refined, scene.E, atol=1e-8)


@pytest.mark.parametrize("focals", [(1000.0, 1000.0), (1500.0, 300.0)])
def test_normal_matrix_equals_finite_differences_of_residuals(focals, rng):
    scene, points, _, (K1, K2) = refit_problem(rng, noise=1.0, focals=focals)
    weights = rng.uniform(0, 2, 60)
    poses, tangent = np.empty((1, 3, 4)), np.empty((2, 3))
    pose_of_matrix(scene.E, poses[0])
    inverses = np.stack([np.linalg.inv(K1), np.linalg.inv(K2)])
    normal = pose_normal_matrix(poses, tangent, points, weights, inverses)

    def residuals(step):
        moved = poses[0].copy()
        move_pose(moved, tangent, step)
        E = essential_matrices(moved[None])[0]
        return reference.fundamental_sampson(inverses[1].T @ E @ inverses[0], points)

    J = reference.finite_differences(residuals, np.zeros(5))
    rows = np.column_stack([J, residuals(np.zeros(5))])
    expected = rows.T @ (weights[:, None] * rows)
    assert_allclose(normal[:5, :5], expected[:5, :5], rtol=1e-5, atol=1e-7)
    scale = np.abs(expected[:5, 5]).max()
    assert_allclose(normal[:5, 5], expected[:5, 5], atol=1e-6 * scale)
    assert_allclose(normal[5, 5], expected[5, 5], rtol=1e-9)


@pytest.mark.parametrize("focals", [(1000.0, 1000.0), (1500.0, 300.0)])
def test_gradient_vanishes_at_the_optimum(focals, rng):
    scene, points, model, cameras = refit_problem(rng, noise=1.0, focals=focals)
    weights = rng.uniform(0, 2, 60)
    start = perturbed(scene.E, rng)
    refined = model.refit(start, points, weights)
    before, slope_before = cost_and_gradient(start, points, weights, cameras)
    after, slope = cost_and_gradient(refined, points, weights, cameras)
    assert after < before
    assert np.abs(slope).max() < 1e-6 * np.abs(slope_before).max()
    # And it is a minimum: every small move costs more.
    for _ in range(20):
        moved = perturbed(refined, rng, size=1e-3)
        assert cost_and_gradient(moved, points, weights, cameras)[0] > after


def test_result_does_not_depend_on_the_start(rng):
    scene, points, model, _ = refit_problem(rng)
    results = [
        model.refit(perturbed(scene.E, rng), points, np.ones(60)) for _ in range(10)
    ]
    for refined in results:
        assert_allclose(refined, results[0], atol=1e-6)
        assert_allclose(np.linalg.svd(refined)[1], [1, 1, 0], atol=1e-12)


def test_weights_count_copies_and_zero_drops(rng):
    scene, points, model, _ = refit_problem(rng)
    start = perturbed(scene.E, rng)
    weights = rng.integers(0, 4, 60).astype(float)
    copies = np.ascontiguousarray(np.repeat(points, weights.astype(int), axis=1))
    expected = model.refit(start, copies, np.ones(copies.shape[1]))
    assert_allclose(model.refit(start, points, weights), expected, atol=1e-7)
    garbage = points.copy()
    garbage[:, weights == 0] = rng.uniform(-9, 9, (4, np.sum(weights == 0)))
    same = model.refit(start, garbage, weights)
    assert_allclose(same, model.refit(start, points, weights), rtol=0, atol=0)


def test_only_the_ratio_of_weights_matters(rng):
    scene, points, model, _ = refit_problem(rng)
    start, weights = perturbed(scene.E, rng), rng.uniform(0.1, 2, 60)
    expected = model.refit(start, points, weights)
    for factor in (1e-6, 1e6):
        scaled = model.refit(start, points, factor * weights)
        assert_allclose(scaled, expected, atol=1e-6)


@pytest.mark.parametrize("focals", [(1000.0, 1000.0), (1500.0, 300.0), (300.0, 1500.0)])
def test_scale_of_the_residuals_is_the_noise_for_any_two_focal_lengths(focals, rng):
    # Noise of one pixel in both images: the squared residuals of a fit of 5 parameters
    # are chi-square with num - 5 degrees of freedom.  Residuals in normalised
    # coordinates would have the scale of a mixture of both focal lengths.
    num, num_scenes = 60, 40
    total = 0.0
    for _ in range(num_scenes):
        scene, points, model, _ = refit_problem(rng, num, noise=1.0, focals=focals)
        refined = model.refit(scene.E, points, np.ones(num))
        total += model.residuals(refined[None], points).sum() / UNIT**2
    freedom = num_scenes * (num - 5)
    assert abs(total / freedom - 1) < 6 * np.sqrt(2 / freedom)


def test_what_cannot_be_refitted_is_returned(rng):
    scene, points, model, _ = refit_problem(rng)
    assert_allclose(model.refit(scene.E, points, np.zeros(60)), scene.E)
    few = np.zeros(60)
    few[:4] = 1.0
    assert_allclose(model.refit(scene.E, points, few), scene.E)
    repeated = np.ascontiguousarray(np.repeat(points[:, :1], 60, axis=1))
    refined = model.refit(scene.E, repeated, np.ones(60))
    assert np.isfinite(refined).all()
