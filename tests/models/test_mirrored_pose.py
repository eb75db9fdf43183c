"""The mirrored pose of a plane: a rotation, its own inverse, alike from far away."""

import numpy as np
from synthetic import rotation

from cvscore.models.mirrored_pose import mirrored_pose


def plane_before_camera(seed, distance):
    rng = np.random.default_rng(seed)
    sides = np.linalg.qr(rng.normal(size=(3, 3)))[0][:, :2]
    scene = sides @ rng.uniform(-0.5, 0.5, (2, 40)) + rng.normal(size=(3, 1))
    R = rotation(rng.normal(size=3))
    t = distance * np.array([0.1, -0.2, 1.0]) - R @ scene.mean(axis=1)
    return np.column_stack([R, t]), scene


def image_of(pose, scene):
    seen = pose[:, :3] @ scene + pose[:, 3:]
    return seen[:2] / seen[2]


def test_it_is_a_pose_and_mirrored_again_the_first():
    pose, scene = plane_before_camera(0, 5.0)
    other = mirrored_pose(pose, scene)
    np.testing.assert_allclose(other[:, :3] @ other[:, :3].T, np.eye(3), atol=1e-12)
    assert np.linalg.det(other[:, :3]) > 0.0
    np.testing.assert_allclose(mirrored_pose(other, scene), pose, atol=1e-12)


def test_from_far_away_both_see_the_plane_alike():
    for seed in range(10):
        pose, scene = plane_before_camera(seed, 1e4)
        images = [image_of(p, scene) for p in (pose, mirrored_pose(pose, scene))]
        size = np.ptp(images[0], axis=1).max()
        assert np.abs(images[1] - images[0]).max() < 1e-3 * size
