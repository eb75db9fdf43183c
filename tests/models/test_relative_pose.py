"""Poses of essential matrices: factors, local coordinates and cheirality."""

import cv2
import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose
from synthetic import cross_matrix, homogeneous, rotation, two_view_scene

from cvscore.models.relative_pose import (
    depth_signs,
    essential_matrices,
    move_pose,
    pose_from_essential,
    pose_of_matrix,
    tangent_of_direction,
    twist,
)


def random_pose(rng, angle=1.0):
    t = rng.normal(size=3)
    R = rotation(rng.normal(0, angle, 3))
    return np.column_stack([R, t / np.linalg.norm(t)])


def essential_of(pose):
    return cross_matrix(pose[:, 3]) @ pose[:, :3]


def normalised_points(scene):
    x1 = homogeneous(scene.x1) @ np.linalg.inv(scene.K1).T
    x2 = homogeneous(scene.x2) @ np.linalg.inv(scene.K2).T
    return np.ascontiguousarray(np.vstack([x1[:, :2].T, x2[:, :2].T]))


def test_matrix_and_pose_are_inverse(rng):
    for scale in (1.0, -2.0, 1e-5, 1e7):
        E = essential_of(random_pose(rng))
        pose = np.empty((3, 4))
        assert pose_of_matrix(scale * E, pose)
        R, t = pose[:, :3], pose[:, 3]
        assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
        assert_allclose(np.linalg.det(R), 1)
        assert_allclose(np.linalg.norm(t), 1)
        expected = np.sign(scale) * E
        assert_allclose(essential_matrices(pose[None])[0], expected, atol=1e-14)


def test_pose_of_a_nearly_essential_matrix_is_near(rng):
    E = essential_of(random_pose(rng))
    pose = np.empty((3, 4))
    assert pose_of_matrix(E + rng.normal(0, 1e-4, (3, 3)), pose)
    assert_allclose(pose[:, :3] @ pose[:, :3].T, np.eye(3), atol=1e-14)
    assert_allclose(essential_matrices(pose[None])[0], E, atol=2e-3)


def test_matrix_of_rank_one_has_no_pose(rng):
    assert not pose_of_matrix(np.outer([1.0, 2, 0], [0, 1.0, 0]), np.empty((3, 4)))
    with pytest.raises(ValueError, match="rank"):
        pose_from_essential(np.zeros((3, 3)), rng.normal(size=(4, 9)))


def test_twisted_pose_has_the_negative_matrix(rng):
    pose, twisted = random_pose(rng), np.empty((3, 4))
    twist(pose, twisted)
    assert_allclose(twisted[:, :3] @ twisted[:, :3].T, np.eye(3), atol=1e-14)
    assert_allclose(np.linalg.det(twisted[:, :3]), 1)
    assert_allclose(essential_of(twisted), -essential_of(pose), atol=1e-14)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_tangent_is_an_orthonormal_frame(axis, rng):
    pose, tangent = random_pose(rng), np.empty((2, 3))
    pose[:, 3] = np.eye(3)[axis] + 1e-9
    pose[:, 3] /= np.linalg.norm(pose[:, 3])
    tangent_of_direction(pose, tangent)
    frame = np.vstack([tangent, pose[:, 3]])
    assert_allclose(frame @ frame.T, np.eye(3), atol=1e-14)


def test_a_step_moves_along_the_manifold(rng):
    tangent = np.empty((2, 3))
    for size in (1e-4, 0.1, 3.0):
        pose, step = random_pose(rng), size * rng.normal(size=5)
        tangent_of_direction(pose, tangent)
        moved = pose.copy()
        move_pose(moved, tangent, step)
        assert_allclose(moved[:, :3] @ moved[:, :3].T, np.eye(3), atol=1e-13)
        assert_allclose(np.linalg.norm(moved[:, 3]), 1)
        # The exponential map and the straight line agree with it to second order.
        tolerance = 2 * np.linalg.norm(step) ** 2
        exponential = rotation(step[:3]) @ pose[:, :3]
        assert_allclose(moved[:, :3], exponential, atol=tolerance)
        straight = pose[:, 3] + step[3:] @ tangent
        assert_allclose(moved[:, 3], straight, atol=tolerance)


def test_depth_signs_are_those_of_the_depths(rng):
    for _ in range(50):
        pose, match = random_pose(rng), rng.uniform(-1, 1, 4)
        signs = depth_signs(pose, *match[:2], 1.0, *match[2:], 1.0)
        expected = reference.depths(pose[:, :3], pose[:, 3], match)
        assert_allclose(np.sign(signs), np.sign(expected))


@pytest.mark.parametrize("scale", [1.0, -3.0])
def test_truth_is_chosen_and_is_opencvs(scale, rng):
    for _ in range(20):
        scene = two_view_scene(rng, num=60, inlier_ratio=1.0, noise=0.0)
        points = normalised_points(scene)
        R, t, in_front = pose_from_essential(scale * scene.E, points)
        assert_allclose(R, scene.R, atol=1e-12)
        assert_allclose(t, scene.t, atol=1e-12)
        assert in_front.all()
        _, R_cv, t_cv, _ = cv2.recoverPose(scene.E, points[:2].T, points[2:].T)
        assert_allclose(R, R_cv, atol=1e-10)
        assert_allclose(t, t_cv.ravel(), atol=1e-10)


def test_of_the_four_poses_it_has_most_inliers_in_front(rng):
    for _ in range(20):
        E, points = essential_of(random_pose(rng)), rng.uniform(-1, 1, (4, 40))
        inliers = rng.random(40) < 0.7
        R, t, in_front = pose_from_essential(E, points, inliers)
        counts = []
        for candidate in reference.poses_of_essential(E):
            ahead = [(reference.depths(*candidate, m) > 0).all() for m in points.T]
            counts.append(np.sum(np.array(ahead) & inliers))
            if np.abs(candidate[0] - R).max() + np.abs(candidate[1] - t).max() < 1e-9:
                assert_allclose(in_front, ahead)
                chosen = counts[-1]
        assert chosen == max(counts)


def test_there_is_no_limit_on_the_distance(rng):
    # OpenCV drops points farther than 50 baselines; these are at a thousand.
    X = rng.uniform([-300, -300, 900], [300, 300, 1100], (50, 3))
    R, t = rotation([0.0, 0.1, 0.0]), np.array([1.0, 0.0, 0.0])
    Y = X @ R.T + t
    points = np.vstack([(X[:, :2] / X[:, 2:]).T, (Y[:, :2] / Y[:, 2:]).T])
    found_R, found_t, in_front = pose_from_essential(cross_matrix(t) @ R, points)
    assert_allclose(found_R, R, atol=1e-12)
    assert_allclose(found_t, t, atol=1e-12)
    assert in_front.all()


def test_outliers_do_not_decide(rng):
    scene = two_view_scene(rng, num=60, inlier_ratio=1.0, noise=0.0)
    points = normalised_points(scene)
    wrong = np.ascontiguousarray(np.hstack([points, rng.uniform(-0.5, 0.5, (4, 300))]))
    inliers = np.arange(360) < 60
    R, t, in_front = pose_from_essential(scene.E, wrong, inliers)
    assert_allclose(R, scene.R, atol=1e-12)
    assert_allclose(t, scene.t, atol=1e-12)
    assert in_front[inliers].all()
