"""Matches that fix no model: a program that runs with cv2 runs with the drop-in."""

import contextlib

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


SCENE = np.random.default_rng(1).uniform(0, 10, (40, 3))
# Of points (X, x) that fix no pose, or of which four are too few to say which.
NO_POSE = {
    "one place": (np.zeros((40, 3)), points(40)),
    "one scene point": (np.tile(SCENE[:1], (40, 1)), points(40)),
    "a line": (np.outer(np.arange(40.0), [1.0, 2.0, 3.0]), points(40)),
    "not finite": (np.full((40, 3), np.nan), points(40)),
    "four in one place": (np.zeros((4, 3)), np.ones((4, 2))),
    "five in one place": (np.zeros((5, 3)), np.ones((5, 2))),
}


@pytest.mark.parametrize("case", NO_POSE)
def test_without_a_pose_the_vectors_are_zeros(case):
    """Cv2 returns whatever was in their memory, or says True to a pose of NaN."""
    X, x = NO_POSE[case]
    for _ in range(5):
        np.full(3, 7.5e200)  # leaves its memory to the next
        found, rvec, tvec, inliers = cvscore.solvePnPRansac(X, x, K, None)
        assert found is False
        np.testing.assert_array_equal(rvec, np.zeros((3, 1)))
        np.testing.assert_array_equal(tvec, np.zeros((3, 1)))
        assert inliers is None
    params = cv2.UsacParams()
    found, camera, *others = cvscore.solvePnPRansac(X, x, K, None, params=params)
    assert found is False
    np.testing.assert_array_equal(camera, K)
    assert others == [None, None, None]


def test_without_a_pose_a_guess_stays():
    guess = np.full((3, 1), 0.25), np.full((3, 1), 4.0)
    for module in (cv2, cvscore):
        given = [vector.copy() for vector in guess]
        X, x = NO_POSE["one place"]
        found, *vectors, _ = module.solvePnPRansac(X, x, K, None, *given, True)
        assert not found
        for vector, one, was in zip(vectors, given, guess, strict=True):
            np.testing.assert_array_equal(vector, was)
            np.testing.assert_array_equal(one, was)


def test_without_a_pose_a_umat_is_answered_with_umats():
    X, x = (cv2.UMat(points) for points in NO_POSE["one place"])
    theirs, ours = (m.solvePnPRansac(X, x, K, None) for m in (cv2, cvscore))
    assert [type(part) for part in ours] == [type(part) for part in theirs]
    assert ours[0] is False
    np.testing.assert_array_equal(ours[1].get(), np.zeros((3, 1)))


@pytest.mark.parametrize("size", [1e-200, 1e-90, 1e-12])
def test_points_of_a_size_that_is_refused_elsewhere_are_answered_as_by_cv2(size):
    """Native estimators raise a ValueError: programs that run with cv2 know none."""
    x, small = points(), 500.0 + size * points(seed=1)
    if size < 1e-50:
        x, small = size * x, size * points(seed=1)
    for name in ("findHomography", "findFundamentalMat", "estimateAffine2D"):
        getattr(cv2, name)(x, small)
        model, mask = getattr(cvscore, name)(x, small)
        assert model is None or np.isfinite(model).all()
        assert mask.shape == (100, 1)
    K_small = np.diag([1e-200, 1e-200, 1.0])
    assert cvscore.solvePnPRansac(SCENE, points(40), K_small, None)[0] in (True, False)


def test_a_mask_threshold_of_any_size_is_a_number():
    x = points()
    H, mask = cvscore.findHomography(x, 2.0 * x, mask_threshold=10**400)
    assert H is not None
    assert mask.all()


@pytest.mark.parametrize("factor", [1e-60, 1e-12, 1e20])
def test_cameras_of_any_ratio_are_answered_as_by_cv2(factor):
    x1, x2 = points(), points(seed=1)
    far = np.diag([factor, factor, 1.0]) @ K
    theirs = cv2.recoverPose(x1, x2, K, None, far, None)
    ours = cvscore.recoverPose(x1, x2, K, None, far, None)
    assert [np.shape(part) for part in ours] == [np.shape(part) for part in theirs]


def test_cameras_that_cv2_alone_can_read_do_not_need_points_in_a_row():
    camera = K.copy()
    camera[0, 1] = np.nan
    x1, x2 = np.asfortranarray(points()), points(seed=1)
    theirs = cv2.recoverPose(np.ascontiguousarray(x1), x2, K, None, camera, None)
    ours = cvscore.recoverPose(x1, x2, K, None, camera, None)
    assert [np.shape(part) for part in ours] == [np.shape(part) for part in theirs]


def test_a_negative_budget_ends():
    """cv2's RHO goes on for hours."""
    far, place = 1e289 * points(48), np.full((48, 2), 1000.0)
    for confidence in (0.0, 0.99):
        with contextlib.suppress(cv2.error):
            cvscore.findHomography(
                far, place, cv2.RHO, maxIters=-5, confidence=confidence
            )


@pytest.mark.parametrize("seed", range(3))
def test_threads_of_cv2_leave_nothing_to_chance(seed):
    """cv2 has another essential matrix, or raises, in one of ten calls."""
    x = points(39, seed)
    alone = cvscore.recoverPose(x, x, K, None, K, None, method=cv2.USAC_DEFAULT)
    params = cv2.UsacParams()
    plain, _ = cvscore.findEssentialMat(x, x, K, K, None, None, params)
    params.isParallel = True
    for _ in range(30):
        found = cvscore.recoverPose(x, x, K, None, K, None, method=cv2.USAC_PARALLEL)
        np.testing.assert_array_equal(found[1], alone[1])
        E, _ = cvscore.findEssentialMat(x, x, K, K, None, None, params)
        np.testing.assert_array_equal(E, plain)
    assert params.isParallel
