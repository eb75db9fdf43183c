"""Isolated inliers are excluded from the last fit, where neighbours tell."""

import numpy as np
from facade import Facade
from synthetic import homogeneous, two_view_scene

from cvscore.ransac.irls import polish
from cvscore.ransac.objective import Candidate, Objective
from cvscore.two_view.refinement.cheirality import polish_consistent
from cvscore.two_view.refinement.isolated_inliers import without_isolated
from cvscore.two_view.spatial_consistency import are_consistent


def somewhere_at_its_line(rng, F, x1, reach=0.0):
    """Points (N, 2) of image 2, within some pixels of epipolar lines of image 1."""
    a, b, c = F @ homogeneous(x1).T
    x = rng.uniform(0, 1000, len(x1))
    beside = rng.uniform(-reach, reach, len(x1))
    return np.column_stack([x, -(a * x + c) / b + beside])


def consistent_of(objective, inliers):
    return are_consistent(objective.points, np.flatnonzero(inliers))


def test_isolated_inliers_are_excluded(rng):
    facade = Facade(rng)
    wrong = facade.is_repeat
    facade.x2[wrong] = somewhere_at_its_line(rng, facade.F, facade.x1[wrong], 3.0)
    objective, right = facade.candidate(facade.F)
    polished = polish_consistent(objective, right)
    inliers = objective.inliers(right)
    company = np.flatnonzero(inliers)[consistent_of(objective, inliers)]
    assert 0.8 * inliers.sum() <= len(company) < inliers.sum()
    chosen = without_isolated(objective.points, right.sq_residuals, inliers)
    np.testing.assert_array_equal(np.flatnonzero(chosen), company)
    points = np.ascontiguousarray(objective.points[:, company])
    among = Objective(objective.model, points, objective.score)
    start = Candidate(right.model, right.sq_residuals[company], right.score)
    np.testing.assert_array_equal(polished.model, polish(among, start)[1].model)
    assert polished.sq_residuals.shape == right.sq_residuals.shape
    np.testing.assert_array_equal(
        polished.sq_residuals,
        objective.model.residuals(polished.model[None], objective.points)[0],
    )


def test_where_most_inliers_are_isolated_none_is_excluded(rng):
    facade = Facade(rng)
    scene = two_view_scene(rng, num=600, inlier_ratio=0.15)
    facade.x1, facade.x2 = scene.x1, scene.x2
    objective, right = facade.candidate(scene.F)
    inliers = objective.inliers(right)
    assert consistent_of(objective, inliers).mean() < 0.7
    polished = polish_consistent(objective, right)
    np.testing.assert_array_equal(polished.model, polish(objective, right)[1].model)


def test_what_stands_alone_and_is_right_is_not_excluded(rng):
    """Where no wrong match lies beside the inliers, those that are alone are right."""
    facade = Facade(rng)
    alone = np.flatnonzero(facade.is_repeat)[:40]
    facade.x2[alone] = somewhere_at_its_line(rng, facade.F, facade.x1[alone])
    facade.x2[alone] += rng.normal(0, 0.3, (40, 2))
    others = np.flatnonzero(facade.is_repeat)[40:]
    facade.x2[others] += [0.0, 200.0]
    objective, right = facade.candidate(facade.F)
    inliers = objective.inliers(right)
    company = consistent_of(objective, inliers)
    assert 0.8 <= company.mean() < 0.95
    polished = polish_consistent(objective, right)
    np.testing.assert_array_equal(polished.model, polish(objective, right)[1].model)
