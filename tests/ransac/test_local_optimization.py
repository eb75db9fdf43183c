"""Local optimisation: how many points refits of the search use."""

import numpy as np
import pytest

import cvscore
from cvscore.ransac.local_optimization import thin_out


@pytest.mark.parametrize("num_weighted", [0, 5, 255, 511, 512, 3000])
def test_refits_of_the_search_use_some_of_many_inliers(rng, num_weighted):
    weights = np.zeros(4000)
    chosen = rng.permutation(4000)[:num_weighted]
    weights[chosen] = rng.uniform(0.5, 1.0, num_weighted)
    before = weights.copy()
    thin_out(weights, 256)
    kept = weights > 0.0
    assert (weights[kept] == before[kept]).all()
    if num_weighted < 512:
        assert (weights == before).all()
    else:
        assert 256 <= kept.sum() <= 512
        gaps = np.diff(np.flatnonzero(kept))  # spread over all of them
        assert gaps.max() < 20 * gaps.mean()


def test_a_search_that_thins_out_ends_at_the_optimum_of_all_inliers(rng):
    """The last optimisation of a search takes all points again."""
    x1 = rng.uniform(0, 1000, (3000, 2))
    x2 = x1 @ [[0.9, -0.2], [0.2, 1.1]] + 40 + rng.normal(0, 0.5, (3000, 2))
    found = cvscore.estimate_homography(x1, x2)
    corners = np.array([[0, 0], [1000, 0], [1000, 1000], [0, 1000.0]])
    mapped = np.c_[corners, np.ones(4)] @ found.model.T
    truth = corners @ [[0.9, -0.2], [0.2, 1.1]] + 40
    errors = np.linalg.norm(mapped[:, :2] / mapped[:, 2:] - truth, axis=1)
    # With 128 of the points it would be 0.2.
    assert errors.mean() < 0.08
