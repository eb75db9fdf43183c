"""Neighbours that pull together widen a covariance; independent ones do not."""

import numpy as np
import pytest

from cvscore.inference.clustered_pulls import (
    PRIOR_FREEDOM,
    clustered_covariance,
    neighbourhoods,
)


def clustered(residuals, places):
    """Of the fit of a constant and two slopes over the places, and its freedom.

    In units of the covariance that independent residuals would have.
    """
    num = len(residuals)
    design = np.column_stack([np.ones(num), places.T])
    directions = np.linalg.qr(design)[0]
    left = residuals - directions @ (directions.T @ residuals)
    pulls = left[:, None] * directions
    given = directions[None], pulls, np.ones(num), np.var(left) * np.eye(3), places
    covariance, freedom = clustered_covariance(*given)
    return covariance * freedom / (freedom - 2.0) / np.var(left), freedom


def test_independent_residuals_have_their_own_covariance():
    found = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        covariance, freedom = clustered(
            rng.normal(size=400), rng.uniform(size=(2, 400))
        )
        found.append(covariance)
        assert freedom == PRIOR_FREEDOM + 11.0
    # A little more, as groups that pull less than one would expect do not count.
    np.testing.assert_allclose(np.mean(found, axis=0), 1.1 * np.eye(3), atol=0.1)


def test_residuals_of_neighbours_that_go_together_have_more():
    rng = np.random.default_rng(0)
    places = rng.uniform(size=(2, 400))
    waves = np.sin(8.0 * places[0]) * np.sin(8.0 * places[1])
    covariance, _ = clustered(waves + 0.3 * rng.normal(size=400), places)
    assert np.trace(covariance) > 3 * 5.0


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_groups_are_disjoint_equal_and_close(dim):
    places = np.random.default_rng(0).uniform(size=(dim, 1003))
    groups = neighbourhoods(places, 4)
    assert groups.shape == (16, 62)
    assert len(np.unique(groups)) == groups.size
    spread = np.ptp(places[:, groups], axis=2).mean(axis=1)
    assert np.sort(spread)[: min(dim, 2)].max() < 0.4
