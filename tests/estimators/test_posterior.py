"""How sure estimates are: covariances against differences, regions, pickles, words."""

import pickle

import numpy as np
import pytest

import cvscore

K = np.array([[800.0, 0.0, 500.0], [0.0, 800.0, 400.0], [0.0, 0.0, 1.0]])
NUM = 120


def two_views(seed, *, planar=False, turn_only=False, noise=0.5):
    rng = np.random.default_rng(seed)
    rays = np.column_stack([rng.uniform(-0.5, 0.5, (NUM, 2)), np.ones(NUM)])
    depths = 4.0 + 0.3 * rays[:, :1] if planar else rng.uniform(3.0, 8.0, (NUM, 1))
    angle = 0.1
    R = np.array(
        [
            [np.cos(angle), 0, np.sin(angle)],
            [0, 1, 0],
            [-np.sin(angle), 0, np.cos(angle)],
        ]
    )
    t = np.array([-0.6, 0.1, 0.2]) * (0.0 if turn_only else 1.0)
    X = rays / (0.25 + 0.05 * rays[:, :1]) if planar else depths * rays
    seen = X @ R.T + t
    x1, x2 = ((y @ K.T)[:, :2] / y[:, 2:] for y in (rays, seen))
    x1, x2 = (x + noise * rng.normal(size=x.shape) for x in (x1, x2))
    x2[:20] = rng.uniform(0, 800, (20, 2))
    return x1, x2, R, t


def plane_of(x):
    return x @ [[0.9, 0.1], [-0.1, 1.1]] + [20.0, -10.0]


def test_regions_of_a_map_hold_the_truth_about_as_often_as_they_say():
    covered = []
    truth = np.array([[0.9, -0.1, 20.0], [0.1, 1.1, -10.0]])
    for seed in range(200):
        rng = np.random.default_rng(seed)
        x = rng.uniform(0, 1000, (40, 2))
        noisy = [y + rng.normal(size=y.shape) for y in (x, plane_of(x))]
        covered.append(cvscore.estimate_affine(*noisy).contains(truth))
    assert 0.90 <= np.mean(covered) <= 0.99  # four standard deviations about 95 %


def test_a_pose_region_holds_the_truth():
    covered = []
    for seed in range(60):
        x1, x2, R, t = two_views(seed)
        found = cvscore.estimate_essential(x1, x2, K)
        covered.append(found.contains(np.column_stack([R, t / np.linalg.norm(t)])))
        assert found.covariance.shape == (5, 5)
    assert np.mean(covered) > 0.82


@pytest.mark.parametrize("name", ["affine", "homography", "similarity", "rigid"])
def test_mapped_points_are_as_uncertain_as_the_spread_of_many_fits(name):
    estimate = getattr(cvscore, f"estimate_{name}")
    corner, places, said = np.array([[1000.0, 0.0]]), [], []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        x = rng.uniform(0, 1000, (50, 2))
        y = x + 30.0 if name in ("rigid", "similarity") else plane_of(x)
        x, y = (z + rng.normal(size=z.shape) for z in (x, y))
        mapped = estimate(x, y).transfer(corner)
        places.append(mapped.points[0])
        said.append(mapped.covariances[0])
    seen = np.cov(np.array(places).T)
    ratio = np.trace(np.mean(said, axis=0)) / np.trace(seen)
    assert 0.7 < ratio < 1.5


def test_epipolar_lines_are_those_of_the_matrix_with_the_spread_of_many_fits():
    point, distances, said = np.array([[300.0, 300.0]]), [], []
    for seed in range(60):
        x1, x2, _, _ = two_views(seed)
        found = cvscore.estimate_fundamental(x1, x2)
        lines = found.epipolar_lines(point)
        line = found.model @ [300.0, 300.0, 1.0]
        line /= np.hypot(*line[:2])
        np.testing.assert_allclose(abs(lines.lines[0] @ line), line @ line, rtol=1e-6)
        probe = np.array([400.0, 300.0, 1.0])
        distances.append(lines.lines[0] @ probe * np.sign(lines.lines[0, 1]))
        said.append(probe @ lines.covariances[0] @ probe)
    assert 0.5 < np.sqrt(np.median(said)) / np.std(distances) < 2.0


def test_the_unit_and_the_origin_of_the_points_do_not_matter():
    x1, x2, _, _ = two_views(0)
    here = cvscore.estimate_homography(x1, plane_of(x1) + 0.5 * (x2 % 1.0))
    there = cvscore.estimate_homography(
        1e3 * x1 + 5e5, 1e3 * (plane_of(x1) + 0.5 * (x2 % 1.0)) + 7e5
    )
    one = here.transfer(x1[:5]).covariances
    other = there.transfer(1e3 * x1[:5] + 5e5).covariances
    np.testing.assert_allclose(other, 1e6 * one, rtol=1e-3)


@pytest.mark.parametrize("noise", [0.3, 3.0])
def test_a_plane_leaves_the_epipole_open_and_the_pose_not(noise):
    x1, x2, _, _ = two_views(1, planar=True, noise=noise)
    found = cvscore.estimate_fundamental(x1, x2)
    assert not found.is_determined
    assert "epipole" in found.reason_undetermined
    assert cvscore.estimate_essential(x1, x2, K).is_determined


def test_a_turn_leaves_the_direction_open():
    x1, x2, _, _ = two_views(2, turn_only=True)
    assert not cvscore.estimate_fundamental(x1, x2).is_determined
    found = cvscore.estimate_essential(x1, x2, K)
    assert "only turned" in found.reason_undetermined
    assert not found.is_determined


def test_depth_and_motion_leave_nothing_open():
    x1, x2, _, _ = two_views(3)
    assert cvscore.estimate_fundamental(x1, x2).is_determined
    assert cvscore.estimate_essential(x1, x2, K).is_determined


def test_images_that_are_the_same_leave_the_direction_open():
    x1, _, _, _ = two_views(4)
    for found in (
        cvscore.estimate_fundamental(x1, x1),
        cvscore.estimate_essential(x1, x1, K),
    ):
        assert not found.is_determined


def test_a_line_of_points_leaves_homography_and_pose_open():
    rng = np.random.default_rng(5)
    s = rng.uniform(0, 1000, 80)
    x1 = np.column_stack([s, 0.5 * s]) + rng.normal(size=(80, 2))
    x2 = np.column_stack([0.9 * s + 20, 0.4 * s]) + rng.normal(size=(80, 2))
    assert not cvscore.estimate_homography(x1, x2).is_determined
    spread = rng.uniform(0, 1000, (80, 2))
    noisy = plane_of(spread) + rng.normal(size=(80, 2))
    assert cvscore.estimate_homography(spread, noisy).is_determined


def test_wrong_matches_off_a_line_do_not_make_it_a_plane():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        s = rng.uniform(0, 1000, 80)
        x1 = np.column_stack([s, 0.5 * s]) + rng.normal(size=(80, 2))
        x2 = np.column_stack([0.9 * s + 20, 0.4 * s]) + rng.normal(size=(80, 2))
        wrong = rng.uniform(0, 1000, (2, 60, 2))
        x1, x2 = np.vstack([x1, wrong[0]]), np.vstack([x2, wrong[1]])
        assert not cvscore.estimate_homography(x1, x2).is_determined


def test_scene_points_on_a_line_leave_a_camera_free_to_turn_about_it():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        s = rng.uniform(-1.0, 1.0, (80, 1))
        X = [0.2, -0.1, 4.0] + s * [1.0, 0.5, 0.7]
        X = np.vstack([X, rng.uniform([-1, -1, 3], [1, 1, 5], (40, 3))])
        x = (X @ K.T)[:, :2] / X[:, 2:] + 0.5 * rng.normal(size=(120, 2))
        x[80:] = rng.uniform(0, 800, (40, 2))  # wrong matches, off the line
        assert not cvscore.estimate_absolute_pose(x, X, K).is_determined


def test_an_epipole_that_a_slight_relief_leaves_uncertain_is_as_good_as_open():
    rng = np.random.default_rng(8)
    rays = np.column_stack([rng.uniform(-0.5, 0.5, (NUM, 2)), np.ones(NUM)])
    named = []
    for relief in (0.012, 0.5):
        X = rays * 4.0 * np.exp(relief * rng.normal(size=(NUM, 1)))
        seen = X + np.array([-0.5, 0.1, 0.2])
        x1, x2 = ((y @ K.T)[:, :2] / y[:, 2:] for y in (X, seen))
        x1, x2 = (x + 0.5 * rng.normal(size=x.shape) for x in (x1, x2))
        named.append(cvscore.estimate_fundamental(x1, x2).reason_undetermined)
    assert "epipole" in named[0]
    assert named[1] == ""


def test_a_lens_that_is_a_pixel_off_seldom_makes_depth_of_a_turn():
    named = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x1 = rng.uniform([0, 0], [1000, 800], (400, 2))
        a, b, c = 0.1 * rng.normal(size=3)
        turn = np.array([[1.0, -c, b], [c, 1.0, -a], [-b, a, 1.0]])
        U, _, Vt = np.linalg.svd(turn)
        seen = np.column_stack([x1, np.ones(400)]) @ (K @ U @ Vt @ np.linalg.inv(K)).T
        x1, x2 = (
            x + off * (off**2).sum(axis=1, keepdims=True)
            for x in (x1, seen[:, :2] / seen[:, 2:])
            for off in [(x - K[:2, 2]) / 640.0]
        )
        x1, x2 = (x + 0.2 * rng.normal(size=x.shape) for x in (x1, x2))
        named += not cvscore.estimate_essential(x1, x2, K).is_determined
    assert named >= 12  # eight, were no other direction looked for


def test_a_pose_has_covariances_of_turn_and_direction():
    turns, ways, said = [], [], []
    for seed in range(60):
        x1, x2, R, t = two_views(seed)
        pose = cvscore.estimate_essential(x1, x2, K).pose
        turns.append(pose.R @ R.T - np.eye(3))
        ways.append(pose.t - t / np.linalg.norm(t))
        said.append(pose.covariance)
        np.testing.assert_allclose(pose.translation_covariance @ pose.t, 0, atol=1e-12)
    turns = np.array([[d[2, 1], d[0, 2], d[1, 0]] for d in turns])
    said = np.mean(said, axis=0)
    for errors, block in ((turns, said[:3, :3]), (np.array(ways), said[3:, 3:])):
        assert 0.6 < np.trace(block) / (errors**2).sum(axis=1).mean() < 2.5


def test_a_pose_is_still_a_pair_and_keeps_its_covariance():
    x1, x2, _, _ = two_views(0)
    pose = cvscore.estimate_essential(x1, x2, K).pose
    R, t = pose
    assert R is pose.R
    assert t is pose.t
    again = pickle.loads(pickle.dumps(pose))
    np.testing.assert_array_equal(again.covariance, pose.covariance)
    X = np.random.default_rng(0).uniform([-1, -1, 3], [1, 1, 5], (60, 3))
    x = (X @ K.T)[:, :2] / X[:, 2:] + np.random.default_rng(1).normal(size=(60, 2))
    found = cvscore.estimate_absolute_pose(x, X, K)
    np.testing.assert_allclose(found.pose.covariance, found.covariance, rtol=1e-6)


def test_an_estimate_keeps_how_sure_it_is_when_it_is_pickled():
    x1, x2, _, _ = two_views(6)
    found = cvscore.estimate_essential(x1, x2, K)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.covariance, found.covariance)
    assert again.is_determined


def test_what_a_model_can_not_say_is_refused_by_name():
    x1, x2, _, _ = two_views(7)
    with pytest.raises(TypeError, match="epipolar_lines"):
        cvscore.estimate_fundamental(x1, x2).transfer(x1)
    with pytest.raises(TypeError, match="transfer"):
        cvscore.estimate_affine(x1, plane_of(x1)).epipolar_lines(x1)
    with pytest.raises(TypeError, match="no model"):
        cvscore.estimate_affine(x1[:2], x2[:2]).transfer(x1)
    assert cvscore.estimate_affine(x1[:2], x2[:2]).covariance is None


def test_two_points_that_fit_exactly_leave_everything_open(rng):
    x1 = rng.uniform(0, 9, (2, 2))
    found = cvscore.estimate_translation(x1, x1 + 1.0)
    assert np.isinf(found.covariance).all()
    assert not found.is_determined
