"""Of the two poses that a plane allows, the one that fits the other matches."""

import numpy as np
import pytest
from synthetic import cross_matrix as cross
from synthetic import rotation

from cvscore.estimate import estimate_essential
from cvscore.frames import frame_of_cameras
from cvscore.models.essential import essential_model
from cvscore.objective import Objective
from cvscore.scores.marginal import MarginalScore
from cvscore.two_places import look_from_both_places, write_essentials
from cvscore.types import RansacOptions

K = np.array([[900.0, 0, 500], [0, 900, 375], [0, 0, 1]])
R = rotation([0.02, -0.15, 0.05])
T = np.array([0.9, 0.2, 0.3]) / np.linalg.norm([0.9, 0.2, 0.3])
NORMAL = np.array([0.3, -0.2, 1.0]) / 5.0  # of the plane n' X = 1


def wall_and_more(rng, num_wall=300, num_more=25, noise=0.5):
    rays = np.column_stack(
        [rng.uniform(-0.5, 0.5, (num_wall + num_more, 2)), np.ones(num_wall + num_more)]
    )
    depths = 1.0 / (rays @ NORMAL)
    depths[num_wall:] *= rng.uniform(0.4, 0.8, num_more)
    X = rays * depths[:, None]
    x1, x2 = (
        (Y / Y[:, 2:] @ K.T)[:, :2] + rng.normal(0, noise, (len(Y), 2))
        for Y in (X, X @ R.T + T)
    )
    return x1, x2


def essentials_of(H):
    found = np.empty((2, 3, 3))
    assert write_essentials(np.ascontiguousarray(H), K, K, found)
    return found


def same(E, other):
    E, other = E / np.linalg.norm(E), other / np.linalg.norm(other)
    return min(np.abs(E - other).max(), np.abs(E + other).max())


def test_one_of_a_planes_two_matrices_is_the_true_one():
    H = K @ (R + np.outer(T, NORMAL)) @ np.linalg.inv(K)
    for sign in (1.0, -3.0):
        found = essentials_of(sign * H)
        distances = sorted(same(E, cross(T) @ R) for E in found)
        assert distances[0] < 1e-9
        assert distances[1] > 0.1
    assert not write_essentials(np.eye(3), K, K, np.empty((2, 3, 3)))


@pytest.mark.parametrize("which", [0, 1])
def test_the_better_place_is_found_from_either(rng, which):
    x1, x2 = wall_and_more(rng)
    frame = frame_of_cameras(K, K)
    cameras = frame.camera(K, 0), frame.camera(K, 1)
    points = frame.enter(np.ascontiguousarray(np.hstack([x1, x2]).T))
    score = MarginalScore(half_width=25.0 / frame.unit)
    objective = Objective(essential_model(*cameras), points, score)
    H = K @ (R + np.outer(T, NORMAL)) @ np.linalg.inv(K)
    start = objective.best_of(essentials_of(H)[which][None])
    stuck = objective.climb(start)
    found = look_from_both_places(cameras, objective, stuck, RansacOptions())
    assert found.score >= stuck.score
    assert same(found.model, cross(T) @ R) < 0.02
    if same(start.model, cross(T) @ R) > 0.1:
        assert found.score > stuck.score + 20


def test_a_few_matches_off_the_wall_decide(rng):
    """By the score of all matches six of these thirty would be of the other place."""
    for seed in range(30):
        x1, x2 = wall_and_more(rng, num_more=8, noise=1.0)
        wrong = rng.uniform(0, [1000, 750, 1000, 750], (100, 4))
        x1, x2 = np.vstack([x1, wrong[:, :2]]), np.vstack([x2, wrong[:, 2:]])
        found = estimate_essential(x1, x2, K, options=RansacOptions(seed=seed))
        assert same(found.model, cross(T) @ R) < 0.05


def test_without_a_plane_nothing_changes(rng):
    x1, x2 = wall_and_more(rng, num_wall=0, num_more=200)
    x1, x2 = x1 + rng.normal(0, 30, x1.shape), x2 + rng.normal(0, 30, x2.shape)
    frame = frame_of_cameras(K, K)
    cameras = frame.camera(K, 0), frame.camera(K, 1)
    points = frame.enter(np.ascontiguousarray(np.hstack([x1, x2]).T))
    score = MarginalScore(half_width=25.0 / frame.unit)
    objective = Objective(essential_model(*cameras), points, score)
    best = objective.best_of((cross(T) @ R)[None])
    same_one = look_from_both_places(cameras, objective, best, RansacOptions())
    np.testing.assert_array_equal(same_one.model, best.model)
