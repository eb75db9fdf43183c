"""Where a camera is: the truth, the planar case, what is refused, what is invariant."""

import cv2
import numpy as np
import pytest
from seen_points import pose_error, projected, seen_points
from synthetic import HEIGHT, WIDTH, rotation

import cvscore
from cvscore.types import RansacOptions


def estimate(seen, **choices):
    return cvscore.estimate_absolute_pose(seen.x, seen.X, seen.K, **choices)


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("ratio", [0.15, 0.4, 0.9])
def test_the_truth_is_found(planar, ratio, rng):
    for _ in range(5):
        seen = seen_points(rng, 400, ratio, planar=planar)
        found = estimate(seen)
        assert pose_error(found.model, seen) < 0.7
        assert found.inliers[seen.is_inlier].mean() > 0.95
        assert found.scale == pytest.approx(0.5, rel=0.35)
        assert found.is_significant


def test_inliers_residuals_and_pose_are_those_of_the_model(rng):
    seen = seen_points(rng)
    found = estimate(seen)
    off = np.linalg.norm(projected(found.model, seen) - seen.x, axis=1)
    off[np.isnan(off)] = np.inf
    np.testing.assert_allclose(found.residuals, off, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(found.inliers, off <= found.threshold)
    np.testing.assert_array_equal(np.column_stack(found.pose), found.model)
    np.testing.assert_allclose(found.pose.R @ found.pose.R.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(found.pose.R) > 0.0


def test_a_point_behind_the_camera_is_an_outlier(rng):
    seen = seen_points(rng, 100, 1.0, noise=0.0)
    behind = seen.X[:10].copy()
    centre = -seen.R.T @ seen.t
    behind = 2.0 * centre - behind  # on the same rays, on the other side
    x, X = np.vstack([seen.x, seen.x[:10]]), np.vstack([seen.X, behind])
    found = cvscore.estimate_absolute_pose(x, X, seen.K)
    assert found.inliers[:100].all()
    assert not found.inliers[100:].any()
    assert np.isinf(found.residuals[100:]).all()


def test_four_points_are_enough_and_three_are_not(rng):
    seen = seen_points(rng, 4, 1.0, noise=0.0)
    assert pose_error(estimate(seen).model, seen) < 1e-6
    few = estimate(seen.chosen([0, 1, 2]))
    assert not few
    assert few.reason == "3 distinct matches, but a camera pose needs at least 4"
    assert few.pose is None
    assert few.inliers.shape == (3,)
    assert not cvscore.estimate_absolute_pose(
        np.empty((0, 2)), np.empty((0, 3)), seen.K
    )


@pytest.mark.parametrize("case", ["line", "identical", "one scene point"])
def test_degenerate_points_have_no_pose_but_a_reason(case, rng):
    seen = seen_points(rng, 60, 1.0, noise=0.0)
    x, X = seen.x.copy(), seen.X.copy()
    if case == "line":
        X = np.outer(np.linspace(-1.0, 2.0, 60), [1.0, 0.3, -2.0])
    elif case == "identical":
        x[:], X[:] = x[0], X[0]
    else:
        X[:] = X[0]
    found = cvscore.estimate_absolute_pose(x, X, seen.K)
    assert not found
    assert "camera pose" in found.reason
    assert not found.inliers.any()
    assert found.inliers.shape == (60,)


def test_distorted_points_give_the_same_pose(rng):
    seen = seen_points(rng, 200, 1.0, noise=0.0)
    dist = np.array([-0.25, 0.1, 1e-3, -5e-4, 0.01])
    rvec = cv2.Rodrigues(seen.R)[0]
    x = cv2.projectPoints(seen.X, rvec, seen.t, seen.K, dist)[0][:, 0]
    x[::3] = rng.uniform([0, 0], [WIDTH, HEIGHT], x[::3].shape)
    found = cvscore.estimate_absolute_pose(x, seen.X, seen.K, dist=dist)
    assert pose_error(found.model, seen) < 1e-5


def test_origin_orientation_and_unit_of_the_scene_do_not_matter(rng):
    seen = seen_points(rng)
    plain = estimate(seen)
    R, t, unit = rotation(rng.normal(0, 1, 3)), np.array([900.0, -2e4, 50.0]), 1e-3
    X = unit * (seen.X @ R.T + t)
    moved = cvscore.estimate_absolute_pose(seen.x, X, seen.K)
    np.testing.assert_array_equal(moved.inliers, plain.inliers)
    assert moved.scale == pytest.approx(plain.scale, rel=1e-5)
    assert moved.half_width == pytest.approx(plain.half_width, rel=1e-9)
    np.testing.assert_allclose(moved.pose.R @ R, plain.pose.R, atol=1e-6)
    centre = -moved.pose.R.T @ moved.pose.t
    expected = unit * (-plain.pose.R.T @ plain.pose.t @ R.T + t)
    np.testing.assert_allclose(centre, expected, atol=unit * 1e-5)


def test_pixels_and_normalised_points_give_the_same(rng):
    seen = seen_points(rng)
    plain = estimate(seen)
    x = (seen.x - seen.K[:2, 2]) / seen.K[0, 0]
    found = cvscore.estimate_absolute_pose(x, seen.X, np.eye(3))
    np.testing.assert_array_equal(found.inliers, plain.inliers)
    np.testing.assert_allclose(found.model, plain.model, atol=1e-5)
    assert found.scale * seen.K[0, 0] == pytest.approx(plain.scale, rel=1e-5)


def test_copies_count_once(rng):
    seen = seen_points(rng)
    rows = np.concatenate([np.arange(200), rng.choice(200, 80)])
    plain, copied = estimate(seen), estimate(seen.chosen(rows))
    np.testing.assert_array_equal(copied.model, plain.model)
    np.testing.assert_array_equal(copied.inliers, plain.inliers[rows])


def test_random_matches_are_not_significant(rng):
    for num in (20, 100, 400):
        seen = seen_points(rng, num, 0.0)
        found = estimate(seen)
        assert not found.is_significant


def test_the_interval_of_the_scale_covers_the_truth(rng):
    covered = 0
    for noise in np.geomspace(0.1, 5.0, 24):
        low, high = estimate(seen_points(rng, 200, 0.7, noise)).scale_interval()
        covered += low <= noise <= high
    # Fewer than 17 of 24 have a probability of 1e-5 at 0.95.
    assert covered >= 17


def test_quality_options_and_scores_are_heard(rng):
    seen = seen_points(rng, 300, 0.1)
    quality = seen.is_inlier + 0.3 * rng.random(300)
    options = RansacOptions(max_iterations=50, seed=4)
    found = estimate(seen, quality=quality, options=options)
    assert found.iterations <= 50
    assert pose_error(found.model, seen) < 1.0
    strict = estimate(seen, score=cvscore.Msac(2.0), quality=quality)
    assert strict.threshold == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"points2d": np.ones((9, 3))}, r"points2d must have shape \(N, 2\)"),
        ({"points3d": np.ones((9, 2))}, r"points3d must have shape \(N, 3\)"),
        ({"points3d": np.ones((8, 3))}, "points2d and points3d must have the same"),
        ({"K": np.zeros((3, 3))}, "K must be upper triangular"),
        ({"points3d": np.full((9, 3), np.nan)}, "points3d has NaN or infinite"),
        ({"dist": [1.0]}, "dist must have one of"),
        ({"start": np.eye(3)}, r"start must have shape \(3, 4\)"),
        ({"start": np.full((3, 4), np.nan)}, "start has NaN"),
        ({"start": np.ones((3, 4))}, "start must begin with a rotation"),
        ({"quality": [1.0]}, "quality must have 9 entries"),
    ],
    ids=str,
)
def test_wrong_arguments_are_refused_by_name(change, message, rng):
    given = {
        "points2d": rng.normal(size=(9, 2)),
        "points3d": rng.normal(size=(9, 3)),
        "K": np.eye(3),
    }
    with pytest.raises(ValueError, match=message):
        cvscore.estimate_absolute_pose(**{**given, **change})


@pytest.mark.parametrize("name", ["score", "options", "calibration"])
def test_choices_of_another_kind_are_refused(name, rng):
    with pytest.raises(TypeError, match=f"{name} must be"):
        estimate(seen_points(rng), **{name: "file.json"})


def test_a_start_is_tried_and_a_bad_one_does_no_harm(rng):
    seen = seen_points(rng, 300, 0.06, noise=0.3)
    one_sample = RansacOptions(max_iterations=1)
    assert pose_error(estimate(seen, options=one_sample).model, seen) > 5.0
    found = estimate(seen, options=one_sample, start=seen.pose)
    assert pose_error(found.model, seen) < 1.0
    clear = seen_points(rng)
    plain = estimate(clear)
    elsewhere = np.column_stack([np.eye(3), [0.0, 0.0, 1e3]])
    np.testing.assert_array_equal(estimate(clear, start=elsewhere).model, plain.model)


def test_the_sweep_of_a_pose_can_be_drawn(rng):
    from cvscore.draw import plot_sweep

    seen = seen_points(rng)
    found = estimate(seen)
    sweep = plot_sweep(found, seen.x, seen.X, "absolute_pose").axes[0]
    number, score = sweep.lines[0].get_data()
    assert number[np.argmax(score)] == found.num_inliers


def test_a_polish_that_loses_the_points_is_not_taken():
    """Far outside of a tiny focal length a refit leaves four of seven points behind."""
    rows = np.array(
        [
            [665.76855, 327.65186, 606.9041361463566, 368.268593784, -437.85112337386],
            [465.42526, 103.66891, 380.59833711622787, 156.67334197, -304.65842084032],
            [222.85669, 573.42230, 182.89491589713137, 107.43006732, 199.016019743155],
            [818.39430, 562.12990, 741.4860302867384, 761.167898348, 870.921566117330],
            [488.48312, 721.56946, 930.7161006266055, 934.076346197, 557.785703934992],
            [701.07806, 805.93243, 730.2811226338047, 780.968717743, -567.88723203902],
            [561.55756, 227.77101, 492.1228040482035, 272.442897297, -372.45153067523],
        ]
    )
    x, X = rows[:, :2], rows[:, 2:]
    K = np.diag([9.740693443669536e-54, 9.740693443669536e-54, 1.0])
    K[:2, 2] = 6.08793340e-54
    options = RansacOptions(max_iterations=8, seed=466)
    found = cvscore.estimate_absolute_pose(x, X, K, options=options)
    assert found.num_inliers >= 4
    assert np.isfinite([found.score, found.scale, found.threshold]).all()


@pytest.mark.filterwarnings("error")
def test_a_start_of_any_size_is_no_rotation(rng):
    seen = seen_points(rng, 20)
    with pytest.raises(ValueError, match="start must begin with a rotation matrix"):
        estimate(seen, start=np.full((3, 4), 1e200))
