"""solvePnPRansac and recoverPose beside cv2: forms of calls, and what they mean."""

import re

import cv2
import numpy as np
import pytest
from numba.core import config as numba_config
from opencv_case import VIEWS
from opencv_poses import NUM, PNP, POSE, POSE_CALLS, SEEN
from seen_points import pose_error, projected, seen_points
from synthetic import cross_matrix
from synthetic import pose_error as relative_pose_error
from walls import K, Wall

import cvscore
from cvscore.opencv import pnp, recover_pose
from cvscore.opencv.call_forms import Form

TABLE = POSE_CALLS[::10] if numba_config.DISABLE_JIT else POSE_CALLS


def described(value):
    if isinstance(value, cv2.UMat):
        return "UMat", described(value.get())
    if isinstance(value, np.ndarray):
        # How many inliers there are is not a matter of form.
        shape = "(K, 1)" if value.dtype == np.int32 else value.shape
        return value.dtype.name, shape, value.flags.c_contiguous
    return "count" if type(value) is int else repr(value)


def outcome(module, case):
    """What came back, by type and shape, or the error by class and code."""
    args, kwargs = case.arguments()
    try:
        answer = getattr(module, case.function)(*args, **kwargs)
    except cv2.error as error:
        return ("error", error.code)
    given = [*args, *kwargs.values()]
    arrays = [v for v in given if isinstance(v, np.ndarray)]
    # Inliers of another number have another array, of course.
    returned = [v for v in answer if getattr(v, "dtype", None) != np.int32]
    itself = tuple(any(v is a for a in arrays) for v in returned)
    return (*map(described, answer), itself)


def is_answered_beyond_cv2(case, theirs, ours):
    if not case.more or theirs[0] not in ("error", "False", "count"):
        return False
    return ours[0] in ("True", "count")


@pytest.mark.parametrize("name", [PNP, POSE])
def test_answers_have_the_form_of_cv2(name):
    differences = []
    for case in (case for case in TABLE if case.kind == name):
        theirs, ours = outcome(cv2, case), outcome(cvscore, case)
        if ours != theirs and not is_answered_beyond_cv2(case, theirs, ours):
            differences.append((case.name, theirs, ours))
    assert not differences, "\n".join(map(str, differences))


def test_the_table_is_of_the_promised_size():
    assert len(POSE_CALLS) >= 250
    assert len({(case.kind, case.name) for case in POSE_CALLS}) == len(POSE_CALLS)


def test_signatures_are_those_of_the_installed_cv2():
    theirs = re.findall(
        rf"{PNP}\(([^)]*)\)", " ".join(cv2.solvePnPRansac.__doc__.split())
    )
    assert list(pnp.FORMS) == [Form.parse(one) for one in theirs if "[" in one]
    doc = " ".join(cv2.recoverPose.__doc__.split())
    assert Form.parse(re.findall(rf"{POSE}\(([^)]*)\)", doc)[0]) == recover_pose.FORM


def solve(seen, *args, **kwargs):
    return cvscore.solvePnPRansac(seen.X, seen.x, seen.K, None, *args, **kwargs)


def pose_of(rvec, tvec):
    return np.column_stack([cv2.Rodrigues(rvec)[0], tvec])


@pytest.mark.parametrize("planar", [False, True])
def test_the_pose_is_found_and_has_its_own_inliers(planar, rng):
    for _ in range(5):
        seen = seen_points(rng, 200, 0.4, planar=planar)
        ok, rvec, tvec, inliers = solve(seen)
        pose = pose_of(rvec, tvec)
        assert ok is True
        assert pose_error(pose, seen) < 1.0
        off = np.linalg.norm(projected(pose, seen) - seen.x, axis=1)
        chosen = np.zeros(200, dtype=bool)
        chosen[inliers[:, 0]] = True
        # No other point is as near: they are the inliers of this very pose.
        assert off[chosen].max() < np.nanmin(off[~chosen])


def test_thresholds_have_no_effect_to_the_bit(rng):
    seen = seen_points(rng)
    plain = solve(seen)
    for threshold in (1e-9, 0.5, 100.0, np.nan, -3.0):
        answer = solve(seen, reprojectionError=threshold)
        for one, other in zip(answer, plain, strict=True):
            np.testing.assert_array_equal(one, other)
    answers = []
    for threshold in (1e-6, 50.0):
        params = cv2.UsacParams()
        params.threshold = threshold
        answers.append(solve(seen, params=params))
    for one, other in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, other)


def test_flags_mean_the_same_estimator(rng):
    seen = seen_points(rng)
    plain = solve(seen)
    for flag in pnp.FLAGS:
        for one, other in zip(solve(seen, flags=flag), plain, strict=True):
            np.testing.assert_array_equal(one, other)


def test_distortion_and_mirrored_cameras(rng):
    seen = seen_points(rng, noise=0.1)
    dist = np.array([-0.2, 0.05, 1e-3, 1e-3, 0.0])
    rvec = cv2.Rodrigues(seen.R)[0]
    x = cv2.projectPoints(seen.X, rvec, seen.t, seen.K, dist)[0][:, 0]
    x[::4] = seen.x[::-4]
    _, rvec, tvec, _ = cvscore.solvePnPRansac(seen.X, x, seen.K, dist)
    assert pose_error(pose_of(rvec, tvec), seen) < 0.1
    K = seen.K.copy()
    K[0, 0] *= -1.0
    x = seen.x.copy()
    x[:, 0] = 2.0 * K[0, 2] - x[:, 0]
    _, rvec, tvec, _ = cvscore.solvePnPRansac(seen.X, x, K, None)
    assert pose_error(pose_of(rvec, tvec), seen) < 0.5


def test_a_guess_is_tried_too(rng):
    """With one sample among few inliers nothing else would be found."""
    seen = seen_points(rng, 300, 0.06, noise=0.3)
    guess = cv2.Rodrigues(seen.R)[0] + 1e-4, seen.t[:, None] + 1e-3
    alone = pose_of(*solve(seen, iterationsCount=1)[1:3])
    assert pose_error(alone, seen) > 5.0
    given = [vector.copy() for vector in guess]
    _, rvec, tvec, _ = solve(seen, *given, useExtrinsicGuess=True, iterationsCount=1)
    assert pose_error(pose_of(rvec, tvec), seen) < 1.0
    assert given[0] is rvec
    flat = [vector.ravel().astype(np.float32) for vector in guess]
    _, rvec, tvec, _ = solve(seen, *flat, useExtrinsicGuess=True, iterationsCount=1)
    assert pose_error(pose_of(rvec, tvec), seen) < 1.0
    # A bad one does no harm.
    bad = np.array([0.1, 2.0, -1.0]), np.array([5.0, 5.0, 5.0])
    clear = seen_points(rng)
    _, rvec, tvec, _ = solve(clear, *bad, useExtrinsicGuess=True)
    assert pose_error(pose_of(rvec, tvec), clear) < 1.0


def test_params_choose_the_search(rng):
    seen = seen_points(rng, 300, 0.08)
    best_first = np.argsort(~seen.is_inlier, kind="stable")
    params = cv2.UsacParams()
    params.sampler, params.maxIterations = cv2.SAMPLING_PROSAC, 20
    ok, K, rvec, tvec, _ = solve(seen.chosen(best_first), params=params)
    assert ok
    assert K is seen.K
    assert pose_error(pose_of(rvec, tvec), seen) < 1.0


def test_without_a_camera_matrix_cv2_answers(rng):
    seen = seen_points(rng, 200, 0.9, noise=0.1)
    answers = [
        module.solvePnPRansac(seen.X, seen.x, None, None, params=cv2.UsacParams())
        for module in (cv2, cvscore)
    ]
    for one, other in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, other)


def test_keyword_arguments_of_the_package(rng):
    seen = seen_points(rng, noise=2.0)
    inliers = solve(seen)[3]
    few = solve(seen, mask_threshold=1.0)[3]
    assert 0 < len(few) < len(inliers)
    assert set(few[:, 0]) <= set(inliers[:, 0])
    with pytest.raises(ValueError, match="seed must not be negative"):
        solve(seen, seed=-1)
    with pytest.raises(ValueError, match="quality must have 200 entries"):
        solve(seen, quality=np.ones(3))
    with pytest.raises(ValueError, match=r"weights must have shape \(200,\)"):
        solve(seen, weights=np.ones(3))
    equal, weighted = (
        solve(seen, weights=w)[2] for w in (np.full(200, 4.0), rng.uniform(1, 9, 200))
    )
    np.testing.assert_array_equal(equal, solve(seen)[2])
    assert not np.array_equal(weighted, equal)


def test_recover_pose_finds_the_pose(rng):
    num, E, R, t, mask = cvscore.recoverPose(
        VIEWS.x1, VIEWS.x2, VIEWS.K1, None, VIEWS.K2, None
    )
    assert relative_pose_error(R, t[:, 0], VIEWS) < 3.0
    assert num == np.count_nonzero(mask)
    assert mask[VIEWS.is_inlier].mean() > 0.9
    assert set(np.unique(mask)) == {0, 1}
    E2, _ = cvscore.findEssentialMat(VIEWS.x1, VIEWS.x2, VIEWS.K1, None, VIEWS.K2, None)
    np.testing.assert_array_equal(E, E2)
    for threshold in (1e-6, 100.0):
        again = cvscore.recoverPose(
            VIEWS.x1, VIEWS.x2, VIEWS.K1, None, VIEWS.K2, None, threshold=threshold
        )
        np.testing.assert_array_equal(again[1], E)


def test_of_two_poses_of_a_wall_recover_pose_takes_the_less_oblique():
    by_fit, taken = [], []
    for seed in range(6):
        wall = Wall(seed)
        by_fit.append(relative_pose_error(*wall.estimate().pose, wall))
        given = wall.x1, wall.x2, K, None, K, None
        _, E, R, t, _ = cvscore.recoverPose(*given)
        taken.append(relative_pose_error(R, t[:, 0], wall))
        assert np.allclose(np.abs(cross_matrix(t[:, 0]) @ R), np.abs(E * 2**0.5))
    assert max(by_fit) > 20.0 > 2.0 > max(taken)  # degrees


def test_the_scene_of_the_table_is_one_that_cv2_solves():
    ok, rvec, tvec, inliers = cv2.solvePnPRansac(SEEN.X, SEEN.x, SEEN.K, None)
    assert ok
    assert len(inliers) < NUM
    assert pose_error(pose_of(rvec, tvec), SEEN) < 1.0


def test_points_beside_others_that_cannot_be_read_stay_as_they_are():
    # cv2 itself transposes them in place before it rejects the others.
    points = np.arange(8.0).reshape(2, 4)[:, :2]
    before, K, dist = points.copy(), np.diag([500.0, 500.0, 1.0]), np.zeros(5)
    with pytest.raises(cv2.error):
        cvscore.recoverPose(points, np.arange(4.0), K, dist, K, dist)
    np.testing.assert_array_equal(points, before)
