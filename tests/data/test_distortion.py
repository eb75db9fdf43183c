"""Undistortion: OpenCV distorts the result back, and what cannot be is NaN."""

import cv2
import numpy as np
import pytest

from cvscore.data.distortion import undistort
from cvscore.data.validation import as_distortion

K = np.array([[800.0, 0.0, 320.0], [0.0, 780.0, 240.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("num_coefficients", [4, 5, 8, 12, 14])
def test_opencv_distorts_the_result_back(rng, num_coefficients):
    x = rng.uniform([0, 0], [640, 480], (200, 2))
    dist = rng.normal(0, 0.03, num_coefficients)
    ideal = undistort(x, K, as_distortion(dist, "dist"))
    rays = np.hstack([ideal, np.ones((200, 1))]) @ np.linalg.inv(K).T
    back, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), K, dist)
    np.testing.assert_allclose(back[:, 0], x, atol=1e-9)


def test_skew_is_kept(rng):
    skewed = K.copy()
    skewed[0, 1] = 3.0
    x = rng.uniform([0, 0], [640, 480], (50, 2))
    none = np.zeros(14)
    np.testing.assert_allclose(undistort(x, skewed, none), x, atol=1e-10)


def test_points_beyond_the_fold_are_nan():
    # With k1 = -0.5 the distorted radius never exceeds 0.544: no point is further out.
    dist = as_distortion([-0.5, 0, 0, 0], "dist")
    x = np.array([[320.0 + 800 * 0.5, 240.0], [320.0 + 800 * 0.6, 240.0]])
    ideal = undistort(x, K, dist)
    assert np.isfinite(ideal[0]).all()
    assert np.isnan(ideal[1]).all()


@pytest.mark.parametrize("size", [1e200, 1e307])
def test_what_is_beyond_all_numbers_has_no_inverse(size):
    far = np.array([[size, -size], [0.3 * size, 0.0], [10.0, 20.0]])
    tiny = np.diag([1e-70, 1e-70, 1.0])
    with np.errstate(all="raise", under="ignore"):
        ideal = undistort(far, tiny, as_distortion([0.1, 0, 0, 0], "dist"))
    assert np.isnan(ideal[:2]).all()


def test_no_distortion_is_none():
    assert as_distortion(None, "dist") is None
    assert as_distortion(np.zeros(5), "dist") is None
    assert as_distortion([], "dist") is None
