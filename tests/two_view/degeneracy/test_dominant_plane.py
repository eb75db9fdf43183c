"""A fundamental matrix that a plane has captured is set free, and others left alone."""

import numpy as np
from synthetic import homogeneous, project, sampson_epipolar, two_view_scene

import cvscore
from cvscore.data.normalization import frame_of, region_of
from cvscore.models.fundamental import fundamental_model
from cvscore.ransac.objective import Objective
from cvscore.scores.marginal_score import MarginalScore
from cvscore.two_view.degeneracy.dominant_plane import (
    escape_through_epipole,
    find_dominant_plane,
)
from cvscore.two_view.degeneracy.repeated_structure import escape_dominant_plane
from cvscore.two_view.image_frames import fundamental_outside, matrix_into


def mostly_planar(rng):
    """Matches (4, N): 240 on a plane, 60 off it; and which are off."""
    plane = two_view_scene(rng, num=240, inlier_ratio=1.0, noise=0.3, planar=True)
    rays = homogeneous(rng.uniform([200, 200], [1000, 700], (60, 2)))
    X = (rays @ np.linalg.inv(plane.K1).T) * rng.uniform(4, 9, (60, 1))
    Y = X @ plane.R.T + plane.t
    x1 = project(plane.K1, X[:, :2] / X[:, 2:]) + rng.normal(0, 0.3, (60, 2))
    x2 = project(plane.K2, Y[:, :2] / Y[:, 2:]) + rng.normal(0, 0.3, (60, 2))
    x1, x2 = np.vstack([plane.x1, x1]), np.vstack([plane.x2, x2])
    return plane, x1, x2, np.arange(300) >= 240


def inside_of(frame, F):
    first, second = (np.linalg.inv(matrix_into(frame, image)) for image in (0, 1))
    return second.T @ F @ first


def captured(plane, frame):
    """A matrix of the plane's homography and an epipole that is not the scene's."""
    rays = homogeneous(plane.x1) @ np.linalg.inv(plane.K1).T
    normal = np.array([0.2, -0.1, 1.0]) / 6.0
    H = plane.K2 @ (plane.R + np.outer(plane.t, normal)) @ np.linalg.inv(plane.K1)
    moved = rays @ (plane.R + np.outer(plane.t, normal)).T
    assert np.abs(project(plane.K2, moved[:, :2] / moved[:, 2:]) - plane.x2).max() < 3
    e = np.array([5000.0, -3000.0, 1.0])
    F = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]]) @ H
    F = inside_of(frame, F)
    return F / np.linalg.norm(F)


def test_a_captured_matrix_is_set_free(rng):
    plane, x1, x2, off = mostly_planar(rng)
    points = np.ascontiguousarray(np.hstack([x1, x2]).T)
    frame = frame_of(region_of(points))
    inside, model = frame.enter(points), fundamental_model()
    score = MarginalScore(half_width=40.0 / frame.unit)
    objective = Objective(model, inside, score)
    start = objective.best_of(captured(plane, frame)[None])
    assert score.inliers(start.sq_residuals, 1, 7)[off].mean() < 0.6
    plane_found = find_dominant_plane(objective, start)
    assert plane_found.is_off_plane[off].mean() > 0.9
    free = escape_through_epipole(objective, start, plane_found)
    assert free.score > start.score
    assert score.inliers(free.sq_residuals, 1, 7)[off].mean() > 0.9
    F = fundamental_outside(frame, free.model)
    truth = sampson_epipolar(plane.F, x1, x2)[off]
    assert np.median(sampson_epipolar(F, x1, x2)[off]) < 2 * np.median(truth)


def test_one_that_explains_what_is_off_the_plane_is_not_captured(rng):
    plane, x1, x2, _ = mostly_planar(rng)
    points = np.ascontiguousarray(np.hstack([x1, x2]).T)
    frame = frame_of(region_of(points))
    score = MarginalScore(half_width=40.0 / frame.unit)
    objective = Objective(fundamental_model(), frame.enter(points), score)
    right = objective.best_of(inside_of(frame, plane.F)[None])
    wrong = objective.best_of(captured(plane, frame)[None])
    assert not find_dominant_plane(objective, right).has_captured
    assert find_dominant_plane(objective, wrong).has_captured
    assert escape_dominant_plane(objective, right)[1] is right


def test_a_matrix_without_a_plane_is_left_alone(rng):
    scene = two_view_scene(rng, num=300, inlier_ratio=0.8)
    points = np.ascontiguousarray(np.hstack([scene.x1, scene.x2]).T)
    frame = frame_of(region_of(points))
    inside, model = frame.enter(points), fundamental_model()
    score = MarginalScore(half_width=40.0 / frame.unit)
    F = inside_of(frame, scene.F)
    objective = Objective(model, inside, score)
    start = objective.best_of((F / np.linalg.norm(F))[None])
    assert find_dominant_plane(objective, start) is None
    assert escape_dominant_plane(objective, start) == (objective, start)


def test_a_dominant_plane_does_not_spoil_the_estimate(rng):
    recalls = []
    for _ in range(5):
        _, x1, x2, off = mostly_planar(rng)
        found = cvscore.estimate_fundamental(x1, x2)
        recalls.append(found.inliers[off].mean())
    assert np.median(recalls) > 0.9
