"""The extent of the scene: wild matches beside it don't count, its own matches do."""

import numpy as np
import pytest

from cvscore.data.normalization import region_of
from cvscore.data.scene_region import scene_of

NUM = 1000


def extent(points, dims):
    return scene_of(points, dims).extent(dims)


def with_wild(rng, points, share, widths):
    """Replace a share of points in the unit cube by some within so many widths."""
    spoilt, num = points.copy(), int(share * points.shape[1])
    spoilt[:, :num] = rng.uniform(-widths, 1 + widths, (len(points), num))
    return spoilt


@pytest.mark.parametrize("widths", [0.5, 1.0, 1.5, 3.0, 1e6, 1e300])
@pytest.mark.parametrize("share", [0.2, 0.45])
@pytest.mark.parametrize("dims", [(2, 2), (2, 3), (3, 3)])
def test_wild_matches_beside_it_do_not_widen_it(rng, dims, share, widths):
    points = rng.uniform(0, 1, (sum(dims), NUM))
    wider = extent(with_wild(rng, points, share, widths), dims)
    assert 0.85 < wider / extent(points, dims) < 1.2


def around_something_small(rng, share_right):
    """More than half of the matches are on a tenth of the width, some are right."""
    x1 = rng.uniform(0, 1, (2, NUM))
    x1[:, : int(0.6 * NUM)] = rng.uniform(0.4, 0.5, (2, int(0.6 * NUM)))
    wrong = rng.random(NUM) > share_right
    # Images may be turned: what is right in one is above in the other.
    x2 = np.stack([1.0 - x1[1], x1[0]])
    x2[:, wrong] = x2[:, rng.permutation(np.flatnonzero(wrong))]
    return np.concatenate([x1, x2])


@pytest.mark.parametrize("share_right", [0.3, 0.6, 1.0])
def test_matches_around_something_small_are_of_the_scene(rng, share_right):
    points = around_something_small(rng, share_right)
    assert extent(points, (2, 2)) == region_of(points).extent((2, 2))


def test_uniform_matches_are_all_of_it(rng):
    points = rng.uniform(0, 1, (4, NUM))
    assert extent(points, (2, 2)) == region_of(points).extent((2, 2))


def test_of_one_set_there_is_nothing_to_tell(rng):
    points = with_wild(rng, rng.uniform(0, 1, (3, NUM)), 0.45, 1.0)
    assert extent(points, (3,)) == region_of(points).extent((3,))


def test_it_is_there_for_any_points(rng):
    line = with_wild(rng, rng.uniform(0, 1, (4, NUM)), 0.3, 1.0)
    line[1] = 7.0
    for points in (np.empty((4, 0)), np.ones((4, 9)), line, 1e-300 * line):
        scene, region = scene_of(points, (2, 2)), region_of(points)
        assert (scene.spreads >= 0.0).all()
        assert (scene.spreads <= region.spreads).all()
