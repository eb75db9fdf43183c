"""Inliers that keep no neighbours have no say in the last fit, where that can be."""

import numpy as np
from cvscore.ransac.polish import polish
from cvscore.two_view.refinement.epipolar_irls import polish_epipolar, widening
from synthetic import homogeneous, two_view_scene
from test_repeats import Facade

from cvscore.ransac.objective import Candidate, Objective
from cvscore.two_view.spatial_consistency import keep_neighbours


def somewhere_at_its_line(rng, F, x1, reach=0.0):
    """Points (N, 2) of image 2, within some pixels of epipolar lines of image 1."""
    a, b, c = F @ homogeneous(x1).T
    x = rng.uniform(0, 1000, len(x1))
    beside = rng.uniform(-reach, reach, len(x1))
    return np.column_stack([x, -(a * x + c) / b + beside])


def test_strangers_have_no_say(rng):
    facade = Facade(rng)
    wrong = facade.is_repeat
    facade.x2[wrong] = somewhere_at_its_line(rng, facade.F, facade.x1[wrong], 3.0)
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


def test_what_stands_alone_and_is_right_has_a_say(rng):
    """Where no wrong match lies beside the inliers, those that are alone are right."""
    facade = Facade(rng)
    alone = np.flatnonzero(facade.is_repeat)[:40]
    facade.x2[alone] = somewhere_at_its_line(rng, facade.F, facade.x1[alone])
    facade.x2[alone] += rng.normal(0, 0.3, (40, 2))
    others = np.flatnonzero(facade.is_repeat)[40:]
    facade.x2[others] += [0.0, 200.0]
    objective, right = facade.candidate(facade.F)
    inliers = objective.inliers(right)
    company = keep_neighbours(objective.points, inliers)
    assert 0.8 <= company.mean() < 0.95
    polished = polish_epipolar(objective, right, right.model, leave_strangers=True)
    np.testing.assert_array_equal(polished.model, polish(objective, right).model)
