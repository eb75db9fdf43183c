"""`absolute_pose` beside pycolmap's own, for cameras of every kind."""

import numpy as np
import pytest
from seen_points import pose_error, seen_points

from cvscore.colmap import absolute_pose

pycolmap = pytest.importorskip("pycolmap")

CAMERAS = {
    "SIMPLE_PINHOLE": [1000.0, 640.0, 480.0],
    "PINHOLE": [1000.0, 1100.0, 640.0, 480.0],
    "SIMPLE_RADIAL": [1000.0, 640.0, 480.0, -0.1],
    "OPENCV": [1000.0, 1000.0, 640.0, 480.0, -0.2, 0.05, 1e-3, -1e-3],
    "OPENCV_FISHEYE": [1000.0, 1000.0, 640.0, 480.0, 0.02, 0.01, 0.0, 0.0],
}


def camera_of(model):
    return pycolmap.Camera(model=model, width=1280, height=960, params=CAMERAS[model])


def scene(rng, camera, ratio=0.6, noise=0.5, num=200):
    seen = seen_points(rng, num, 1.0, noise=0.0)
    P = seen.X @ seen.R.T + seen.t
    x = np.asarray(camera.img_from_cam(P)) + noise * rng.normal(size=(num, 2))
    wrong = rng.random(num) > ratio
    x[wrong] = rng.uniform([0, 0], [1280, 960], (wrong.sum(), 2))
    return x, seen, ~wrong


@pytest.mark.parametrize("model", CAMERAS)
def test_the_pose_is_found(model, rng):
    camera = camera_of(model)
    x, seen, is_right = scene(rng, camera)
    found = absolute_pose(x, seen.X, camera)
    theirs = pycolmap.estimate_and_refine_absolute_pose(x, seen.X, camera)
    assert found.keys() == theirs.keys()
    for key, value in theirs.items():
        assert type(found[key]) is type(value)
    assert found["inlier_mask"].dtype == theirs["inlier_mask"].dtype
    assert pose_error(found["cam_from_world"].matrix(), seen) < 0.5
    assert found["inlier_mask"][is_right].mean() > 0.95
    assert found["num_inliers"] == found["inlier_mask"].sum()


def test_max_error_has_no_effect(rng):
    camera = camera_of("PINHOLE")
    x, seen, _ = scene(rng, camera)
    poses = [
        absolute_pose(x, seen.X, camera, {"ransac": {"max_error": error}})
        for error in (0.01, 500.0)
    ]
    one, other = (found["cam_from_world"].matrix() for found in poses)
    np.testing.assert_array_equal(one, other)


def test_options_choose_the_search(rng):
    camera = camera_of("PINHOLE")
    x, seen, is_right = scene(rng, camera, ratio=0.08, num=300)
    options = pycolmap.AbsolutePoseEstimationOptions()
    options.ransac.min_num_trials = options.ransac.max_num_trials = 30
    found = absolute_pose(
        x, seen.X, camera, options, quality=is_right + 0.1 * rng.random(300)
    )
    assert pose_error(found["cam_from_world"].matrix(), seen) < 1.0


def test_covariance_and_refinement_of_colmap(rng):
    camera = camera_of("SIMPLE_RADIAL")
    x, seen, _ = scene(rng, camera)
    plain = absolute_pose(x, seen.X, camera)
    found = absolute_pose(x, seen.X, camera, return_covariance=True)
    assert found["covariance"].shape == (6, 6)
    assert found.keys() == {*plain, "covariance"}
    wrong = pycolmap.Camera(
        model="SIMPLE_PINHOLE", width=1280, height=960, params=[1050.0, 640.0, 480.0]
    )
    absolute_pose(x, seen.X, wrong, None, {"refine_focal_length": True})
    assert abs(wrong.params[0] - 1000.0) < 30.0


def test_there_may_be_no_pose(rng):
    camera = camera_of("PINHOLE")
    x, seen, _ = scene(rng, camera)
    assert absolute_pose(x[:3], seen.X[:3], camera) is None
    assert absolute_pose(x, np.zeros_like(seen.X), camera) is None


def test_an_unknown_focal_length_is_left_to_colmap(rng):
    camera = camera_of("SIMPLE_PINHOLE")
    x, seen, _ = scene(rng, camera, ratio=0.9)
    camera.params = [1300.0, 640.0, 480.0]
    found = absolute_pose(x, seen.X, camera, {"estimate_focal_length": True})
    assert found is not None
    assert abs(camera.params[0] - 1000.0) < 50.0


def test_weights_reach_the_estimator(rng):
    camera = camera_of("PINHOLE")
    x, seen, _ = scene(rng, camera)
    poses = [
        absolute_pose(x, seen.X, camera, weights=weights)["cam_from_world"].matrix()
        for weights in (None, np.full(200, 3.0), rng.uniform(0.1, 10.0, 200))
    ]
    np.testing.assert_array_equal(poses[0], poses[1])
    assert not np.array_equal(poses[0], poses[2])
