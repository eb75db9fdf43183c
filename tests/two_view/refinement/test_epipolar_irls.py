"""Residuals that neighbours share widen the last fit, independent ones do not."""

import numpy as np
import pytest
from synthetic import homogeneous, packed, two_view_scene
from test_repeats import Facade

from cvscore.numerics.bucket_grid import cells_along
from cvscore.ransac.objective import Objective
from cvscore.ransac.polish import CUT, polish
from cvscore.ransac.irls import core_variance
from cvscore.two_view.refinement.isolated_inliers import without_strangers
from cvscore.two_view.refinement.epipolar_irls import (
    INLIERS_PER_CELL,
    MAX_WIDENING,
    _agreement,
    polish_epipolar,
    widening,
)

WAVE = 4.0  # pixels by which whole neighbourhoods are off


def facade(rng, wave=0.0):
    """Only right matches, with noise of 0.3 px and a smooth error in the second image.

    The error is a wave with a period of a few hundred pixels: no pose explains it.
    """
    scene = Facade(rng)
    right = ~scene.is_repeat
    scene.x1, scene.x2 = scene.x1[right], scene.x2[right]
    scene.x2 += wave * np.sin(scene.x1 / 60.0)
    return scene


def signed_residuals(F, points):
    return np.sum(homogeneous(points[2:].T) * (homogeneous(points[:2].T) @ F.T), axis=1)


def widening_of(scene):
    objective, right = scene.candidate(scene.F)
    return widening(right.model, objective.points, objective.inliers(right))


@pytest.mark.parametrize("seed", range(5))
def test_independent_noise_widens_nothing(seed):
    assert widening_of(facade(np.random.default_rng(seed))) == 1.0


def test_an_error_that_neighbours_share_widens(rng):
    widths = [widening_of(facade(rng, wave)) for wave in (0.0, 0.3 * WAVE, WAVE)]
    assert widths == sorted(widths)
    assert 1.5 < widths[-1] <= MAX_WIDENING


def test_agreement_is_that_of_inliers_in_one_cell(rng):
    scene = two_view_scene(rng, num=240, inlier_ratio=1.0)
    points = packed(scene.x1, scene.x2)
    inliers = np.arange(0, 240, 2)
    signs = np.sign(signed_residuals(scene.F, points))[inliers]
    cells = int(np.sqrt(120 / INLIERS_PER_CELL))
    columns, rows = (cells_along(points[k, inliers], cells) for k in (0, 1))
    expected = []
    for row in range(cells):
        for column in range(cells):
            inside = signs[(rows == row) & (columns == column)]
            expected += (inside[1:] * inside[:-1]).tolist()
    agreement, num_pairs = _agreement(scene.F, points, inliers)
    assert num_pairs == len(expected) > 60
    assert agreement == pytest.approx(np.mean(expected))
    assert _agreement(-2.0 * scene.F, points, inliers)[0] == agreement
    assert abs(agreement) < 5.0 / np.sqrt(num_pairs)


def test_too_few_inliers_say_nothing(rng):
    scene = facade(rng, WAVE)
    objective, right = scene.candidate(scene.F)
    for num in (0, 1):
        few = np.arange(num, dtype=np.int64)
        assert _agreement(right.model, objective.points, few) == (0.0, 0)


def test_a_widened_polish_listens_to_what_the_narrow_one_does_not(rng):
    scene = facade(rng)
    objective, right = scene.candidate(scene.F)
    inliers = objective.inliers(right)
    core = core_variance(right.sq_residuals[inliers], 1, 7)
    # A match that is off by 1.5 times the cut of the narrow polish.
    one = int(inliers[len(inliers) // 2])
    points = objective.points.copy()
    line = right.model @ homogeneous(points[:2, one][None])[0]
    aside = line[:2] / np.linalg.norm(line[:2])
    points[2:, one] += 1.5 * np.sqrt(2.0) * CUT * np.sqrt(core) * aside
    without = np.ascontiguousarray(np.delete(points, one, axis=1))

    def fitted(given, factor):
        among = Objective(objective.model, given, objective.score)
        return polish(among, among.best_of(right.model[None]), factor).model

    def difference(factor):
        both = fitted(points, factor), fitted(without, factor)
        return np.abs(both[0] * np.sign(np.sum(both[0] * both[1])) - both[1]).max()

    assert difference(1.0) < 1e-6
    assert difference(2.0) > 1e-5


def test_the_last_fit_is_as_wide_as_the_residuals_are_systematic(rng):
    scene = facade(rng, WAVE)
    objective, right = scene.candidate(scene.F)
    fitted = polish_epipolar(objective, right, right.model)
    expected = polish(objective, right, widening_of(scene))
    np.testing.assert_array_equal(fitted.model, expected.model)
    assert (fitted.model != polish(objective, right).model).any()


def test_without_strangers_a_widened_polish_sees_beyond_the_inliers(rng):
    scene = facade(rng, WAVE)
    objective, right = scene.candidate(scene.F)
    inliers = objective.inliers(right)
    given = objective.points, right.sq_residuals, inliers
    narrow, wide = (without_strangers(*given, factor) for factor in (1.0, 4.0))
    assert set(narrow) <= set(inliers)
    assert set(narrow) < set(wide)
    edge = 4.0**4 * right.sq_residuals[inliers].max()
    assert (right.sq_residuals[wide] <= edge).all()
