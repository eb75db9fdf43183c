"""Where on its epipolar line a match lies, and the pose that a plane tells."""

import numpy as np
import pytest
from synthetic import camera, homogeneous, packed, project, rotation, two_view_scene

from cvscore.models.homography_decomposition import (
    decompose_homography,
    essential_of_pose,
    pose_of_plane,
)
from cvscore.models.triangulation import are_behind, median_angle, parallax_of


def test_right_matches_are_in_front_at_their_angle(rng):
    s = two_view_scene(rng, inlier_ratio=1.0, noise=0.0)
    found = parallax_of(packed(s.x1, s.x2), s.K1, s.K2, s.R, s.t)
    assert found.in_front.all()
    rays1 = homogeneous(s.x1) @ np.linalg.inv(s.K1).T @ s.R.T
    rays2 = homogeneous(s.x2) @ np.linalg.inv(s.K2).T
    lengths = np.linalg.norm(rays1, axis=1) * np.linalg.norm(rays2, axis=1)
    angles = np.arccos((rays1 * rays2).sum(axis=1) / lengths)
    np.testing.assert_allclose(found.angles, angles, atol=1e-7)
    np.testing.assert_allclose(found.turns, angles, atol=1e-7)
    at_infinity = project(s.K2 @ s.R @ np.linalg.inv(s.K1), s.x1)
    distances = np.linalg.norm(s.x2 - at_infinity, axis=1)
    np.testing.assert_allclose(found.from_infinity, distances, rtol=1e-9)


def test_behind_is_behind_unless_noise_can_explain_it(rng):
    s = two_view_scene(rng, inlier_ratio=1.0, noise=0.0)
    # With the baseline turned round every point is behind, by its own parallax.
    found = parallax_of(packed(s.x1, s.x2), s.K1, s.K2, s.R, -s.t)
    assert not found.in_front.any()
    assert (found.turns < 0.0).all()
    assert are_behind(found, 0.0).all()
    far = found.from_infinity > 50.0
    np.testing.assert_array_equal(are_behind(found, 50.0), far)


def test_rotation_has_no_parallax(rng):
    K, R = camera(), rotation(np.array([0.1, -0.2, 0.05]))
    x1 = rng.uniform(300, 800, (20, 2))
    x2 = project(K @ R @ np.linalg.inv(K), x1)
    found = parallax_of(packed(x1, x2), K, K, R, np.zeros(3))
    np.testing.assert_allclose(found.angles, 0.0, atol=1e-12)
    np.testing.assert_allclose(found.from_infinity, 0.0, atol=1e-9)


def test_median_angle_is_that_of_the_chosen(rng):
    angles = rng.uniform(size=30)
    for num in (1, 2, 7, 8):
        chosen = np.arange(30) < num
        expected = np.median(angles[chosen])
        assert median_angle(angles, chosen) == pytest.approx(expected, rel=1e-12)
    assert median_angle(angles, np.full(30, False)) == -1.0


def test_homography_is_taken_apart(rng):
    for _ in range(100):
        R, t = rotation(rng.normal(0, 0.3, 3)), rng.normal(size=3)
        normal = rng.normal(size=3)
        H = rng.uniform(0.5, 3.0) * (R + 0.3 * np.outer(t, normal))
        if np.linalg.det(H) < 0:  # the cameras are on two sides of the plane
            continue
        t /= np.linalg.norm(t)
        normal /= np.linalg.norm(normal)
        product = np.outer(t, normal)
        poses, normals = np.empty((2, 3, 4)), np.empty((2, 3))
        assert decompose_homography(H, poses, normals)
        errors = [
            np.abs(pose[:, :3] - R).max()
            + np.abs(np.outer(pose[:, 3], n) - product).max()
            for pose, n in zip(poses, normals, strict=True)
        ]
        assert min(errors) < 1e-6


def test_homography_of_a_rotation_has_one_pose(rng):
    R = rotation(rng.normal(0, 0.3, 3))
    poses, normals = np.empty((2, 3, 4)), np.empty((2, 3))
    for H in (2.0 * R, np.eye(3)):
        assert not decompose_homography(H, poses, normals)
        turn = H / np.linalg.norm(H[0])
        np.testing.assert_allclose(poses[0, :, :3], turn, atol=1e-12)
        assert not poses[0, :, 3].any()


def test_pose_of_a_plane_is_one_from_which_it_can_be_seen(rng):
    num_right = 0
    for _ in range(20):
        s = two_view_scene(rng, 100, inlier_ratio=1.0, noise=0.0, planar=True)
        normal = np.array([0.2, -0.1, 1.0]) / 6.0  # the plane of `two_view_scene`
        H = s.K2 @ (s.R + np.outer(s.t, normal)) @ np.linalg.inv(s.K1)
        points = packed(s.x1, s.x2)
        pose = pose_of_plane(H, points, np.full(100, True), s.K1, s.K2)
        assert np.linalg.norm(pose.t) == pytest.approx(1.0)
        assert parallax_of(points, s.K1, s.K2, *pose).in_front.all()
        rays1 = homogeneous(s.x1) @ np.linalg.inv(s.K1).T
        rays2 = homogeneous(s.x2) @ np.linalg.inv(s.K2).T
        E = essential_of_pose(pose)
        products = np.einsum("ni,ij,nj->n", rays2, E, rays1)
        np.testing.assert_allclose(products, 0.0, atol=1e-9)
        num_right += np.abs(E - s.E).max() < 1e-6
    assert num_right >= 10  # of two possible places, the likelier one
