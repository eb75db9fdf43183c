"""What is as good as open: sums of differences that are within their own scatter."""

import numpy as np
import pytest

import cvscore
from cvscore.estimators import open_directions
from cvscore.estimators.open_directions import (
    SURELY_NONE,
    SURELY_SOME,
    _is_about_none,
)

K = np.array([[800.0, 0.0, 500.0], [0.0, 800.0, 400.0], [0.0, 0.0, 1.0]])
NUM = 300
WORSE = 30  # tracks that are ten times as far off as the others


def views(seed, *, planar):
    rng = np.random.default_rng(seed)
    rays = np.column_stack([rng.uniform(-0.5, 0.5, (NUM, 2)), np.ones(NUM)])
    depths = 1.0 / (0.25 + 0.05 * rays[:, :1])
    X = rays * (depths if planar else rng.uniform(3.0, 8.0, (NUM, 1)))
    seen = X + np.array([-0.5, 0.1, 0.2])
    x1, x2 = ((y @ K.T)[:, :2] / y[:, 2:] for y in (X, seen))
    noise = np.where(np.arange(NUM) < WORSE, 1.0, 0.1)[:, None]
    return x1, x2 + noise * rng.normal(size=x2.shape)


def num_named(*, planar):
    found = [cvscore.estimate_fundamental(*views(k, planar=planar)) for k in range(15)]
    return sum(not one.is_determined for one in found)


def test_a_few_tracks_that_are_worse_make_no_depth_of_a_plane(monkeypatch):
    assert num_named(planar=True) >= 12
    monkeypatch.setattr(open_directions, "MAX_DEVIATIONS", 0.0)
    assert num_named(planar=True) <= 10


def test_they_hide_no_depth():
    assert num_named(planar=False) == 0


def test_differences_count_where_matches_agree_on_them():
    agreeing = np.full(150, 0.1)
    assert not _is_about_none(agreeing)
    # The same sum, of a few matches that speak for either.
    disagreeing = agreeing.copy()
    disagreeing[:20] += 3.0 * (-1.0) ** np.arange(20)
    assert np.isclose(disagreeing.sum(), agreeing.sum())
    assert _is_about_none(disagreeing)


@pytest.mark.parametrize("scatter", [0.0, 2.0, 50.0])
def test_a_few_nats_are_none_and_many_are_some_whatever_their_scatter(scatter):
    rest = scatter * (-1.0) ** np.arange(100)
    assert _is_about_none(rest + 0.9 * SURELY_NONE / 100)
    assert not _is_about_none(rest + 1.1 * SURELY_SOME / 100)
