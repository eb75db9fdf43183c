"""Matches that fix no model: a program that runs with cv2 runs with the drop-in."""

import cv2
import numpy as np
import pytest

import cvscore

K = np.array([[800.0, 0, 640], [0, 800.0, 480], [0, 0, 1]])
METHODS = [cv2.RANSAC, cv2.LMEDS, cv2.USAC_DEFAULT, cv2.USAC_MAGSAC]


def points(num=100, seed=0):
    return np.random.default_rng(seed).uniform(0, [1280, 960], (num, 2))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", METHODS)
def test_a_repeated_frame_has_a_pose(method, dtype):
    x = points().astype(dtype)
    E, mask = cvscore.findEssentialMat(x, x.copy(), K, method, 0.999, 1.0)
    assert mask.shape == (100, 1)
    assert mask.dtype == np.uint8
    _, R, t, _ = cv2.recoverPose(E, x, x, K, mask=mask)
    theirs, _ = cv2.findEssentialMat(x, x, K, method, 0.999, 1.0)
    np.testing.assert_array_equal(E, theirs)
    assert np.isfinite(R).all()
    assert np.isfinite(t).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_repeated_frame_has_a_fundamental_matrix(method):
    x = points()
    F, mask = cvscore.findFundamentalMat(x, x.copy(), method, 1.0, 0.99)
    assert F.shape == (3, 3)
    assert mask.shape == (100, 1)
    cv2.computeCorrespondEpilines(x.reshape(-1, 1, 2), 1, F)


def test_the_mask_of_the_caller_is_filled():
    x = points()
    mask = np.full((100, 1), 7, np.uint8)
    cvscore.findEssentialMat(x, x, K, cv2.RANSAC, 0.999, 1.0, mask=mask)
    assert set(np.unique(mask)) <= {0, 1}


@pytest.mark.parametrize("spoil", [np.nan, np.inf, 1e300])
def test_rows_that_are_no_points_stay_outliers(spoil):
    x = points()
    x[:3] = spoil
    for find in (
        lambda: cvscore.findEssentialMat(x, x, K),
        lambda: cvscore.findFundamentalMat(x, x),
        lambda: cvscore.findHomography(x[:6], x[:6]),
    ):
        model, mask = find()
        assert model is None or np.isfinite(model).all()
        assert mask.shape[1] == 1


def test_where_cv2_has_no_model_there_is_none():
    x = np.tile(points(1), (50, 1))
    H, mask = cvscore.findHomography(x, x)
    assert H is None
    assert not mask.any()
    F, mask = cvscore.findFundamentalMat(x, x)
    assert F is None
    assert not mask.any()
