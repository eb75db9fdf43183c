"""Other answers: the second pose of a plane, another structure, and where none is."""

import pickle

import numpy as np
import pytest
from near_misses import SHIFT, shifted_with_misses
from own_models import CLOUD_PAIR, RIGID
from synthetic import (
    planar_scene,
    pose_error,
    rotation,
    rotation_angle,
    two_view_scene,
)
from walls import BASELINE, K, Wall

import cvscore
from cvscore.estimators import Estimator
from cvscore.estimators.likeliest_pose import likeliest_pose
from cvscore.ransac.irls import polish


def answers_of(found):
    return found, *found.alternatives


def test_both_poses_of_a_plane_are_answers():
    for seed in range(6):
        wall = Wall(seed)
        answers = answers_of(wall.estimate())
        errors = [pose_error(*answer.pose, wall) for answer in answers]
        assert len(answers) == 2
        assert min(errors) < 3.0 < 20.0 < max(errors)  # degrees
        assert abs(answers[1].evidence_difference) < 20.0
        assert answers[1].num_inliers > 0.9 * answers[0].num_inliers


def test_matches_off_the_plane_leave_one_pose():
    for seed in range(4):
        wall = Wall(seed, num_off=40)
        found = wall.estimate()
        assert pose_error(*found.pose, wall) < 3.0
        assert found.alternatives == ()


def test_a_plane_that_would_be_behind_a_camera_leaves_one_pose():
    # Seen from near, over a wide angle: half of it would be behind from elsewhere.
    rng = np.random.default_rng(3)
    rays = np.column_stack([rng.uniform(-2.0, 2.0, (200, 2)), np.ones(200)])
    depths = 1.0 / (rays @ [0.2, 0.0, 0.5])
    wall = Wall(0)
    seen = (depths[:, None] * rays) @ wall.R.T + BASELINE * wall.t
    in_front = (depths > 0.0) & (seen[:, 2] > 0.1)
    x1, x2 = ((y @ K.T)[:, :2] / y[:, 2:] for y in (rays[in_front], seen[in_front]))
    noisy = [x + 0.3 * rng.normal(size=x.shape) for x in (x1, x2)]
    found = likeliest_pose(cvscore.estimate_essential(*noisy, K))
    assert pose_error(*found.pose, wall) < 3.0
    assert found.alternatives == ()


def test_a_scene_with_depth_has_no_alternatives():
    for seed in range(4):
        scene = two_view_scene(np.random.default_rng(seed))
        found = cvscore.estimate_essential(scene.x1, scene.x2, scene.K1, scene.K2)
        assert found.alternatives == ()
        assert likeliest_pose(found) is found


def test_the_likelier_pose_is_the_less_oblique():
    errors = []
    for seed in range(8):
        wall = Wall(seed)
        found = likeliest_pose(wall.estimate())
        errors.append(pose_error(*found.pose, wall))
        # What is then the other answer is the one that was not taken.
        (other,) = found.alternatives
        apart = rotation_angle(other.pose.R @ found.pose.R.T)
        assert apart > 1.0
    assert len(set(np.array(errors) < 3.0)) == 1  # the plane is the same in all


def target_before_camera(seed, distance, depth=0.0):
    """Image and scene points of a slanted square, or of a box about it, and R."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.5, 0.5, (30, 3)) * [1.0, 1.0, depth]
    R = rotation(np.array([0.6, 0.3, 0.1]))
    seen = (X @ R.T + [0.0, 0.0, distance]) @ K.T
    x = seen[:, :2] / seen[:, 2:] + 0.7 * rng.normal(size=(30, 2))
    x[22:] = rng.uniform(0.0, 900.0, (8, 2))
    return x, X, R


def test_a_plane_that_is_far_away_may_be_seen_from_two_poses():
    for seed in range(8):
        x, X, R = target_before_camera(seed, distance=15.0)
        found = cvscore.estimate_absolute_pose(x, X, K)
        (other,) = found.alternatives
        errors = [rotation_angle(pose.R @ R.T) for pose in (found.pose, other.pose)]
        assert min(errors) < 10.0 < 60.0 < max(errors)  # degrees
        gained = other.score - found.score
        assert other.evidence_difference == pytest.approx(gained, abs=1e-6)
        assert other.evidence_difference > -10.0


@pytest.mark.parametrize(("distance", "depth"), [(2.0, 0.0), (15.0, 1.0)])
def test_a_near_plane_and_a_box_leave_one_pose(distance, depth):
    for seed in range(4):
        x, X, R = target_before_camera(seed, distance, depth)
        found = cvscore.estimate_absolute_pose(x, X, K)
        assert rotation_angle(found.pose.R @ R.T) < 5.0
        assert found.alternatives == ()


def test_a_plane_whose_noise_fills_the_half_width_has_the_right_pose_among_them():
    R, listed = rotation(np.array([0.6, 0.3, 0.1])), 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-0.5, 0.5, (80, 3)) * [1.0, 1.0, 0.0]
        seen = (X @ R.T + [0.0, 0.0, 20.0]) @ K.T
        x = seen[:, :2] / seen[:, 2:] + 2.0 * rng.normal(size=(80, 2))
        answers = answers_of(cvscore.estimate_absolute_pose(x, X, K))
        listed += min(rotation_angle(one.pose.R @ R.T) for one in answers) < 10.0
    assert listed >= 9


def two_planes(seed, num=80, noise=0.5):
    """Matches of two homographies, and which are of the second."""
    rng = np.random.default_rng(seed)
    first, second = (
        planar_scene(rng, num=num, inlier_ratio=1.0, noise=noise) for _ in range(2)
    )
    wrong = rng.uniform(0, 900, (40, 4))
    x1 = np.vstack([first.x1, second.x1, wrong[:, :2]])
    x2 = np.vstack([first.x2, second.x2, wrong[:, 2:]])
    return x1, x2, np.repeat([0, 1, 2], [num, num, 40])


def test_a_second_plane_is_another_answer():
    x1, x2, plane = two_planes(1)
    found = cvscore.estimate_homography(x1, x2)
    (other,) = found.alternatives
    taken = {int(np.median(plane[answer.inliers])) for answer in (found, other)}
    assert taken == {0, 1}
    assert other.is_significant
    assert other.posterior is not None
    assert other.covariance.shape == (8, 8)
    assert other.alternatives == ()


def test_a_small_second_plane_is_none():
    x1, x2, plane = two_planes(1)
    few = np.flatnonzero(plane == 1)[20:]
    rows = np.setdiff1d(np.arange(len(plane)), few)
    assert cvscore.estimate_homography(x1[rows], x2[rows]).alternatives == ()


@pytest.mark.parametrize("model", ["homography", "fundamental"])
def test_random_outliers_are_no_structure(model):
    for seed in range(5):
        scene = planar_scene(np.random.default_rng(seed), num=200)
        if model == "fundamental":
            scene = two_view_scene(np.random.default_rng(seed), num=200)
        estimate = getattr(cvscore, f"estimate_{model}")
        assert estimate(scene.x1, scene.x2).alternatives == ()


def test_a_narrower_fit_among_near_misses_is_another_answer():
    for seed in range(4):
        x1, x2, is_right = shifted_with_misses(np.random.default_rng(seed))
        found = cvscore.estimate_translation(x1, x2)
        assert found.scale > 5.0  # it was fitted to the near misses
        (other,) = found.alternatives
        assert other.evidence_difference > 10.0
        assert np.linalg.norm(other.model[:, 2] - SHIFT) < 0.5
        assert other.scale < 1.0
        assert other.inliers[is_right].mean() > 0.9
        assert other.alternatives == ()


@pytest.mark.parametrize("noise", [3.0, 6.0])
def test_plain_noise_has_no_likelier_narrower_fit(noise):
    for seed in range(4):
        scene = planar_scene(np.random.default_rng(seed), num=300, noise=noise)
        found = cvscore.estimate_homography(scene.x1, scene.x2)
        narrower = found.others.narrower
        assert narrower is not None  # it was looked for
        assert narrower.evidence_difference < 0.0
        assert found.alternatives == ()


def test_small_noise_and_scores_with_a_threshold_have_no_narrower_fit():
    scene = planar_scene(np.random.default_rng(0), num=300, noise=0.5)
    for score in (None, cvscore.Msac(3.0)):
        found = cvscore.estimate_homography(scene.x1, scene.x2, score=score)
        assert found.others.narrower is None


def test_two_motions_of_a_cloud_are_two_answers():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (120, 3))
    Y = X @ rotation(np.array([0.1, 0.2, 0.3])).T + [1.0, 0.0, 0.0]
    Y[60:] = X[60:] @ rotation(np.array([-0.4, 0.0, 0.2])).T
    Y += 0.005 * rng.normal(size=Y.shape)
    found = cvscore.estimate_rigid(X, Y)
    (other,) = found.alternatives
    assert not (found.inliers & other.inliers).any()
    assert found.num_inliers + other.num_inliers > 110


def test_a_failure_has_no_alternatives():
    nothing = np.zeros((3, 2))
    assert cvscore.estimate_homography(nothing, nothing).alternatives == ()


def same(one, other):
    return (
        np.array_equal(one.model, other.model)
        and one.evidence_difference == other.evidence_difference
        and np.array_equal(one.inliers, other.inliers)
    )


def test_alternatives_are_found_after_a_journey():
    for found in (Wall(0).estimate(), cvscore.estimate_homography(*two_planes(1)[:2])):
        travelled = pickle.loads(pickle.dumps(found))
        assert "alternatives" not in vars(travelled)  # nothing was searched for
        pairs = zip(found.alternatives, travelled.alternatives, strict=True)
        assert all(same(*pair) for pair in pairs)
        assert found.alternatives
        again = pickle.loads(pickle.dumps(found))
        assert all(map(same, again.alternatives, found.alternatives))


def test_a_narrower_fit_is_found_after_a_journey():
    x1, x2, _ = shifted_with_misses(np.random.default_rng(0))
    found = cvscore.estimate_translation(x1, x2)
    travelled = pickle.loads(pickle.dumps(found))
    assert same(travelled.others.narrower, found.others.narrower)
    np.testing.assert_array_equal(travelled.probabilities, found.probabilities)


def test_what_cannot_be_made_anew_travels_as_its_answers():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (80, 3))
    Y = X + np.array([1.0, 0.0, 0.0])
    Y[40:] = X[40:] @ rotation(np.array([-0.4, 0.0, 0.2])).T
    Y += 0.005 * rng.normal(size=Y.shape)
    estimator = Estimator(CLOUD_PAIR, (polish,))
    found = estimator.run(RIGID, CLOUD_PAIR.pack(X, Y))
    (other,) = found.alternatives
    (known,) = pickle.loads(pickle.dumps(found)).alternatives
    assert same(known, other)
