"""The last fit excludes matches that no point in front of both cameras makes."""

import numpy as np
import pytest
from synthetic import cross_matrix as cross
from synthetic import rotation

from cvscore.estimators import estimate_essential
from cvscore.models.essential import essential_model
from cvscore.ransac.local_optimization import optimise
from cvscore.ransac.objective import Objective
from cvscore.scores.marginal_score import MarginalScore
from cvscore.two_view.image_frames import camera_inside, frame_of_cameras
from cvscore.two_view.refinement.cheirality import (
    on_half_lines,
    polish_consistent,
    polish_in_front,
    possible_matches,
)

K = np.array([[900.0, 0, 500], [0, 900, 375], [0, 0, 1]])
R = rotation([0.02, -0.1, 0.05])
T = np.array([0.9, 0.1, 0.3]) / np.linalg.norm([0.9, 0.1, 0.3])
POSE = np.column_stack([R, T])


def rays_of(X):
    return np.vstack([(Y / Y[:, 2:]).T[:2] for Y in (X, X @ R.T + T)])


def behind_and_before(rng, num_right=200, num_behind=45, noise=1.0):
    """Return matches in pixels: of points in front, then of points behind."""
    X = np.column_stack(
        [
            rng.uniform(-3, 3, (num_right + num_behind, 2)),
            rng.uniform(4, 12, num_right + num_behind),
        ]
    )
    X[num_right:] *= -1.0
    x = rays_of(X).T.reshape(-1, 2, 2) * 900 + [500, 375]
    x += rng.normal(0, noise, x.shape)
    return x[:, 0], x[:, 1]


def objective_of(x1, x2):
    frame = frame_of_cameras(K, K)
    cameras = camera_inside(frame, K, 0), camera_inside(frame, K, 1)
    points = frame.enter(np.vstack([x1.T, x2.T]))
    score = MarginalScore(half_width=25 / frame.unit)
    return Objective(essential_model(*cameras), points, score)


def test_points_in_front_are_on_half_lines_and_points_behind_are_not(rng):
    X = np.column_stack([rng.uniform(-3, 3, (500, 2)), rng.uniform(2, 50, 500)])
    assert on_half_lines(POSE, rays_of(X), 0.0).all()
    assert not on_half_lines(POSE, rays_of(-X), 0.0).any()
    # One camera between the point and the other: in front of one of them only.
    between = rng.uniform(0.2, 0.8, (100, 1)) * -(R.T @ T) + rng.normal(
        0, 0.01, (100, 3)
    )
    depths = between[:, 2], (between @ R.T + T)[:, 2]
    one_only = (depths[0] > 0) != (depths[1] > 0)
    assert one_only.sum() > 50
    assert not on_half_lines(POSE, rays_of(between[one_only]), 0.0).any()


@pytest.mark.parametrize("pixels", [0.5, 5.0])
def test_noise_may_move_a_match_beyond_either_end(rng, pixels):
    angle = pixels / 900
    directions = np.column_stack([rng.uniform(-0.3, 0.3, (300, 2)), np.ones(300)])
    seen = directions @ R.T
    # Away from the epipole by so much, and on the line still.
    for how_far, are_possible in ((0.9, True), (1.1, False)):
        lengths = np.linalg.norm(seen, axis=1, keepdims=True)
        a = seen / lengths
        away = a * (a @ T)[:, None] - T
        away /= np.linalg.norm(away, axis=1, keepdims=True)
        b = a + np.tan(how_far * angle) * away
        rays = np.vstack([directions[:, :2].T, (b[:, :2] / b[:, 2:]).T])
        assert (on_half_lines(POSE, rays, np.tan(angle) ** 2) == are_possible).all()


def test_a_camera_that_only_turned_loses_no_match(rng):
    x1 = rng.uniform([0, 0], [1000, 750], (200, 2))
    rays = np.column_stack([(x1 - [500, 375]) / 900, np.ones(200)]) @ R.T
    x2 = rays[:, :2] / rays[:, 2:] * 900 + [500, 375]
    x1, x2 = (x + rng.normal(0, 0.5, x.shape) for x in (x1, x2))
    objective = objective_of(x1, x2)
    E = cross(T) @ R
    best = objective.best_of(E[None])
    possible = possible_matches(objective, best)
    assert possible.sum() >= 0.97 * 200


def test_matches_from_behind_are_left_out_and_do_not_pull(rng):
    x1, x2 = behind_and_before(rng)
    x2[200:] += [0, 4]  # all to one side, close enough for inliers
    objective = objective_of(x1, x2)
    best = optimise(objective, objective.best_of((cross(T) @ R)[None]))
    possible = possible_matches(objective, best)
    assert possible[:198].all()
    assert possible[200:].sum() <= 3

    truth = cross(T) @ R
    pulled = polish_consistent(objective, best)
    same, polished = polish_in_front(objective, best)
    assert same is objective
    assert distance(polished.model, truth) < 0.5 * distance(pulled.model, truth)
    assert polished.sq_residuals.shape == (245,)
    np.testing.assert_array_equal(
        polished.sq_residuals,
        objective.model.residuals(polished.model[None], objective.points)[0],
    )


def test_a_pose_that_many_inliers_disprove_rules_out_nothing(rng):
    x1, x2 = behind_and_before(rng, num_right=150, num_behind=100)
    objective = objective_of(x1, x2)
    best = optimise(objective, objective.best_of((cross(T) @ R)[None]))
    assert possible_matches(objective, best).all()


def test_estimates_do_not_depend_on_the_unit_of_the_points(rng):
    x1, x2 = behind_and_before(rng)
    scaled = np.diag([7.0, 7.0, 1.0]) @ K
    one = estimate_essential(x1, x2, K)
    other = estimate_essential(7 * x1, 7 * x2, scaled)
    assert distance(one.model, other.model) < 1e-9


def distance(E, other):
    E, other = E / np.linalg.norm(E), other / np.linalg.norm(other)
    return min(np.abs(E - other).max(), np.abs(E + other).max())
