"""The pose of a camera: the model, reprojection errors, refit."""

import cv2
import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose
from seen_points import pose_error, seen_points
from synthetic import rotation

from cvscore.models.absolute_pose import absolute_pose_model
from cvscore.models.refiners.absolute_pose import pose_normal_matrix
from cvscore.models.relative_pose import turn_columns

SKEWED = np.array([[1000.0, 3.0, 640.0], [0.0, 1100.0, 480.0], [0.0, 0.0, 1.0]])


def exact(rng, num=60, noise=0.0, K=SKEWED):
    """Points in front of a camera with skew, about the origin of the scene."""
    X = rng.uniform(-1, 1, (num, 3))
    pose = np.column_stack([rotation(rng.normal(0, 1, 3)), [0.1, -0.2, 5.0]])
    p = (X @ pose[:, :3].T + pose[:, 3]) @ K.T
    x = p[:, :2] / p[:, 2:] + noise * rng.normal(size=(num, 2))
    return np.ascontiguousarray(np.hstack([x, X]).T), pose


def moved(pose, step):
    pose = pose.copy()
    turn_columns(pose, step, 3)
    pose[:, 3] += step[3:]
    return pose


def errors_of(pose, points, K=SKEWED):
    """Signed reprojection errors (2 N,)."""
    p = (points[2:].T @ pose[:, :3].T + pose[:, 3]) @ K.T
    return (points[:2].T - p[:, :2] / p[:, 2:]).ravel()


def test_record_counts():
    model = absolute_pose_model(np.eye(3))
    assert (model.name, model.sample_size) == ("camera pose", 3)
    assert (model.num_params, model.residual_dim) == (6, 2)


def test_solver_recovers_the_truth(rng):
    points, pose = exact(rng)
    samples = np.array([rng.choice(60, 3, replace=False) for _ in range(20)])
    model = absolute_pose_model(SKEWED)
    poses = model.solve(points, samples)
    assert np.abs(poses - pose).max(axis=(1, 2)).min() < 1e-10
    assert model.residuals(poses, points).max(axis=1).min() < 1e-14


def test_residuals_are_squared_reprojection_errors(rng):
    seen = seen_points(rng, 50, noise=2.0)
    ours = absolute_pose_model(seen.K).residuals(seen.pose[None], seen.packed())[0]
    rvec = cv2.Rodrigues(seen.R)[0]
    x = cv2.projectPoints(seen.X, rvec, seen.t, seen.K, None)[0][:, 0]
    assert_allclose(ours, ((x - seen.x) ** 2).sum(axis=1), rtol=1e-9)


def test_points_behind_the_camera_and_in_its_plane_have_no_residual(rng):
    points, pose = exact(rng, 4)
    depth_axis = pose[2, :3]
    points[2:, 0] -= 20.0 * depth_axis
    points[2:, 1] = -pose[:, :3].T @ pose[:, 3]  # the centre of the camera
    q = absolute_pose_model(SKEWED).residuals(pose[None], points)[0]
    np.testing.assert_array_equal(np.isinf(q), [True, True, False, False])


def test_normal_matrix_equals_finite_differences(rng):
    points, pose = exact(rng, noise=3.0)
    weights = rng.uniform(0, 2, 60)
    normal = pose_normal_matrix(pose, points, weights, SKEWED)

    def residuals(step):
        return errors_of(moved(pose, step), points)

    J = reference.finite_differences(residuals, np.zeros(6))
    rows = np.column_stack([J, residuals(np.zeros(6))])
    expected = rows.T @ (np.repeat(weights, 2)[:, None] * rows)
    assert_allclose(normal, expected, rtol=1e-5, atol=1e-3)


def test_truth_is_reached_from_a_perturbed_start(rng):
    points, pose = exact(rng)
    model = absolute_pose_model(SKEWED)
    for _ in range(10):
        start = moved(pose, 0.1 * rng.normal(size=6))
        assert_allclose(model.refit(start, points, np.ones(60)), pose, atol=1e-9)


def test_gradient_vanishes_at_the_refit(rng):
    points, pose = exact(rng, noise=3.0)
    model, weights = absolute_pose_model(SKEWED), rng.uniform(0, 2, 60)
    refined = model.refit(moved(pose, 0.05 * rng.normal(size=6)), points, weights)
    R = refined[:, :3]
    assert_allclose(R @ R.T, np.eye(3), atol=1e-12)

    def cost(step):
        e = errors_of(moved(refined, step), points)
        return (np.repeat(weights, 2) * e * e).sum()

    gradient = reference.finite_differences(
        lambda step: np.array([cost(step)]), np.zeros(6)
    )[0]
    at_start = pose_normal_matrix(pose, points, weights, SKEWED)[:6, 6]
    assert np.abs(gradient).max() < 1e-4 * np.abs(at_start).max()
    assert cost(np.zeros(6)) < cost(np.full(6, 1e-3))


def test_unweighted_points_do_not_matter(rng):
    points, pose = exact(rng, noise=1.0)
    weights = np.where(np.arange(60) < 30, 1.0, 0.0)
    wild = points.copy()
    wild[:2, 30:] += 500.0
    model, start = absolute_pose_model(SKEWED), moved(pose, np.full(6, 0.01))
    np.testing.assert_array_equal(
        model.refit(start, points, weights), model.refit(start, wild, weights)
    )


@pytest.mark.parametrize("case", ["too few", "behind"])
def test_a_pose_that_cannot_be_improved_stays(case, rng):
    points, pose = exact(rng, noise=1.0)
    weights = np.ones(60)
    if case == "too few":
        weights[2:] = 0.0
    else:
        points[2:, 0] -= 20.0 * pose[2, :3]
    refined = absolute_pose_model(SKEWED).refit(pose, points, weights)
    np.testing.assert_array_equal(refined, pose)


def test_the_refit_is_that_of_opencv(rng):
    seen = seen_points(rng, 100, 1.0, noise=1.0)
    middle = seen.X.mean(axis=0)
    points = seen.packed()
    points[2:] -= middle[:, None]
    start = seen.pose.copy()
    start[:, 3] += seen.R @ middle
    ours = absolute_pose_model(seen.K).refit(start, points, np.ones(100))
    ours[:, 3] -= ours[:, :3] @ middle
    rvec, t = cv2.solvePnPRefineLM(
        seen.X, seen.x, seen.K, None, cv2.Rodrigues(seen.R)[0], seen.t[:, None].copy()
    )
    theirs = np.column_stack([cv2.Rodrigues(rvec)[0], t])
    assert_allclose(ours, theirs, atol=1e-4)
    assert pose_error(ours, seen) < 0.2
