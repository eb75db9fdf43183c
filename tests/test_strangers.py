"""Inliers that keep no neighbours have no say in the last fit, where that can be."""

import numpy as np
from synthetic import homogeneous, two_view_scene
from test_repeats import Facade

from cvscore.neighbours import keep_neighbours
from cvscore.objective import Candidate, Objective
from cvscore.polish import polish
from cvscore.systematic import polish_epipolar, widening


def somewhere_on_its_line(rng, F, x1):
    """Points (N, 2) of image 2, each on the epipolar line of one of image 1."""
    a, b, c = F @ homogeneous(x1).T
    x = rng.uniform(0, 1000, len(x1))
    return np.column_stack([x, -(a * x + c) / b])


def test_strangers_have_no_say(rng):
    facade = Facade(rng)
    strangers = np.flatnonzero(facade.is_repeat)[:40]
    facade.x2[strangers] = somewhere_on_its_line(rng, facade.F, facade.x1[strangers])
    objective, right = facade.candidate(facade.F)
    polished = polish_epipolar(objective, right, right.model, leave_strangers=True)
    inliers = objective.inliers(right)
    assert widening(right.model, objective.points, inliers) == 1.0
    company = inliers[keep_neighbours(objective.points, inliers)]
    assert 0.8 * len(inliers) <= len(company) < len(inliers)
    points = np.ascontiguousarray(objective.points[:, company])
    among = Objective(objective.model, points, objective.score)
    start = Candidate(right.model, right.sq_residuals[company], right.score)
    np.testing.assert_array_equal(polished.model, polish(among, start).model)
    assert polished.sq_residuals.shape == right.sq_residuals.shape
    np.testing.assert_array_equal(
        polished.sq_residuals,
        objective.model.residuals(polished.model[None], objective.points)[0],
    )


def test_where_most_inliers_are_strangers_all_have_a_say(rng):
    facade = Facade(rng)
    scene = two_view_scene(rng, num=600, inlier_ratio=0.15)
    facade.x1, facade.x2 = scene.x1, scene.x2
    objective, right = facade.candidate(scene.F)
    inliers = objective.inliers(right)
    assert keep_neighbours(objective.points, inliers).mean() < 0.7
    assert widening(right.model, objective.points, inliers) == 1.0
    polished = polish_epipolar(objective, right, right.model, leave_strangers=True)
    np.testing.assert_array_equal(polished.model, polish(objective, right).model)
