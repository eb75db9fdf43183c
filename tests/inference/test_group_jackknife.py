"""Neighbours that pull together widen a covariance; independent ones do not."""

import numpy as np
import pytest

from cvscore.inference.group_jackknife import jackknife_inflation, neighbourhoods


def inflation(residuals, places):
    """Of the fit of a constant and two slopes over the places."""
    num = len(residuals)
    design = np.column_stack([np.ones(num), places.T])
    directions = np.linalg.qr(design)[0]
    left = residuals - directions @ (directions.T @ residuals)
    pulls = left[:, None] * directions
    middle = np.var(left) * np.eye(3)
    return jackknife_inflation(directions[None], pulls, np.ones(num), middle, places)


def test_independent_residuals_have_no_more_than_their_own_covariance():
    found = []
    for seed in range(50):
        rng = np.random.default_rng(seed)
        found.append(inflation(rng.normal(size=400), rng.uniform(size=(2, 400))))
    assert min(found) == 1.0
    assert 1.0 <= np.mean(found) < 1.5


def test_residuals_of_neighbours_that_go_together_have_more():
    rng = np.random.default_rng(0)
    places = rng.uniform(size=(2, 400))
    waves = np.sin(8.0 * places[0]) * np.sin(8.0 * places[1])
    assert inflation(waves + 0.3 * rng.normal(size=400), places) > 5.0


def test_few_points_are_left_alone():
    rng = np.random.default_rng(0)
    assert inflation(rng.normal(size=60), rng.uniform(size=(2, 60))) == 1.0


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_groups_are_disjoint_equal_and_close(dim):
    places = np.random.default_rng(0).uniform(size=(dim, 1003))
    groups = neighbourhoods(places, 4)
    assert groups.shape == (16, 62)
    assert len(np.unique(groups)) == groups.size
    spread = np.ptp(places[:, groups], axis=2).mean(axis=1)
    assert np.sort(spread)[: min(dim, 2)].max() < 0.4
