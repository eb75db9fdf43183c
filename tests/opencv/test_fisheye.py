"""fisheye.solvePnPRansac beside cv2: forms of calls, and what they mean."""

import re

import cv2
import numpy as np
import pytest

import cvscore
from cvscore.opencv import fisheye
from cvscore.opencv.call_forms import Form

pytestmark = pytest.mark.skipif(
    not hasattr(cv2.fisheye, "solvePnPRansac"), reason="this cv2 does not have it"
)
K = np.array([[400.0, 0.0, 320.0], [0.0, 410.0, 240.0], [0.0, 0.0, 1.0]])
D = np.array([0.05, -0.01, 0.003, 0.001])
RVEC, TVEC = np.array([[0.2], [-0.1], [0.3]]), np.array([[0.1], [0.2], [1.0]])
NUM_WRONG = 40


@pytest.fixture
def seen(rng):
    X = rng.uniform([-3, -3, 1], [3, 3, 4], (100, 3))
    x = cv2.fisheye.projectPoints(X[:, None], RVEC, TVEC, K, D)[0][:, 0]
    x += rng.normal(0.0, 0.2, x.shape)
    x[:NUM_WRONG] = rng.uniform(0, [640, 480], (NUM_WRONG, 2))
    return X, x


def test_the_signature_is_that_of_the_installed_cv2():
    text = " ".join(cv2.fisheye.solvePnPRansac.__doc__.split())
    assert (
        Form.parse(re.findall(r"solvePnPRansac\(([^)]*)\)", text)[0])
        == fisheye.FISHEYE_FORM
    )


@pytest.mark.parametrize("threshold", [1e-3, 8.0, 1e3])
def test_the_pose_is_found_whatever_the_threshold(seen, threshold):
    X, x = seen
    found, rvec, tvec, inliers = cvscore.fisheye.solvePnPRansac(
        X, x, K, D, reprojectionError=threshold
    )
    assert found
    np.testing.assert_allclose(rvec, RVEC, atol=5e-3)
    np.testing.assert_allclose(tvec, TVEC, atol=2e-2)
    assert inliers.dtype == np.int32
    assert inliers.shape == (len(inliers), 1)
    assert np.isin(np.arange(NUM_WRONG, 100), inliers).mean() > 0.9


def test_it_is_the_pinhole_camera_with_undistorted_points(seen):
    X, x = seen
    plain = cv2.fisheye.undistortPoints(x[:, None], K, D, P=K)[:, 0]
    ours = cvscore.fisheye.solvePnPRansac(X, x, K, D, seed=3)
    for one, other in zip(
        ours, cvscore.solvePnPRansac(X, plain, K, None, seed=3), strict=True
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "change",
    [
        lambda X, x: ((X, x, K, D), {}),
        lambda X, x: ((X[None], x[:, 0][None], K, D[:, None]), {}),
        lambda X, x: ((X.astype(np.float32), x.astype(np.float32), K, D), {}),
        lambda X, x: ((X, x, K, D, RVEC.copy(), TVEC.copy(), True), {}),
        lambda X, x: ((X, x, K, D), {"flags": cv2.SOLVEPNP_AP3P, "confidence": 0.9}),
        lambda X, x: ((X, x, K, D), {"criteria": (3, 20, 1e-9)}),
        lambda X, x: ((X, x, K, D[:3]), {}),
        lambda X, x: ((X, x[:30], K, D), {}),
        lambda X, x: ((X[:3], x[:3], K, D), {}),
        lambda X, x: ((X, x, K), {}),
        lambda X, x: ((X, x, K, D), {"wrong": 1}),
    ],
)
def test_answers_have_the_form_of_cv2(seen, change):
    def outcome(function):
        # Image points without an axis of their own are read here, and not by cv2.
        X, x = seen[0][NUM_WRONG:], seen[1][NUM_WRONG:].reshape(-1, 1, 2)
        args, kwargs = change(X, x)
        try:
            found, rvec, tvec, inliers = function(*args, **kwargs)
        except cv2.error as error:
            return error.code
        return found, rvec.shape, tvec.shape, inliers is None or inliers.dtype

    ours = outcome(cvscore.fisheye.solvePnPRansac)
    assert ours == outcome(cv2.fisheye.solvePnPRansac)


def test_points_stay_as_they_are(seen):
    X, x = (np.ascontiguousarray(points) for points in seen)
    before = X.copy(), x.copy()
    cvscore.fisheye.solvePnPRansac(X, x, K, D)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(x, before[1])
