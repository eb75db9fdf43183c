"""Repeated matches count once, and points that many share twice."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from synthetic import two_view_scene

import cvscore
from cvscore.data.deduplication import first_occurrences, not_many_to_one


def check(points):
    distinct, member_of = first_occurrences(np.ascontiguousarray(points))
    _, first, inverse = np.unique(
        points + 0.0, axis=1, return_index=True, return_inverse=True
    )
    assert (distinct == np.sort(first)).all()
    assert (points[:, distinct[member_of]] == points).all()
    assert len(np.unique(inverse)) == len(distinct)


@settings(max_examples=200, deadline=None)
@given(
    arrays(
        np.float64,
        st.tuples(st.just(4), st.integers(0, 40)),
        elements=st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e300, 5e-324]),
    )
)
def test_agrees_with_numpy_on_few_values(points):
    check(points)


def test_agrees_with_numpy_on_real_coordinates(rng):
    base = rng.normal(size=(4, 3000)) * 1e3
    check(base[:, rng.integers(0, 3000, 5000)])
    check(base)


def test_grids_do_not_make_the_table_slow(rng):
    # Integer pixels differ in few bits; a weak hash would put them all in one slot.
    grid = np.stack(np.meshgrid(np.arange(300.0), np.arange(300.0))).reshape(2, -1)
    points = np.ascontiguousarray(np.vstack([grid, grid + 7.0]))
    distinct, _ = first_occurrences(points)
    assert len(distinct) == 90_000


def test_zero_and_minus_zero_are_the_same_place():
    points = np.zeros((4, 2))
    points[0, 1] = -0.0
    distinct, member_of = first_occurrences(points)
    assert distinct.tolist() == [0]
    assert member_of.tolist() == [0, 0]


@settings(max_examples=100, deadline=None)
@given(
    arrays(
        np.float64,
        st.tuples(st.just(4), st.integers(0, 30)),
        elements=st.sampled_from([0.0, 1.0, 2.0]),
    ),
    st.booleans(),
)
def test_no_point_is_shared_by_more_than_two_that_are_used(points, with_quality):
    points = np.unique(points, axis=1)
    num = points.shape[1]
    quality = np.arange(num, dtype=float)[::-1].copy() if with_quality else None
    chosen = not_many_to_one(points, quality)
    for rows in (points[:2], points[2:]):
        _, counts = np.unique(rows[:, chosen], axis=1, return_counts=True)
        assert (counts <= 2).all()
    # A match is left out only for two better ones that share a point with it.
    for i in np.flatnonzero(~chosen):
        same = [
            (rows == rows[:, i : i + 1]).all(axis=0)
            for rows in (points[:2], points[2:])
        ]
        before = np.arange(num) < i  # of better quality, or earlier without any
        assert max((s & before).sum() for s in same) >= 2


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="too slow without the JIT")
def test_a_crowd_at_one_point_does_not_make_it_the_epipole(rng):
    scene = two_view_scene(rng, num=200, inlier_ratio=0.6, noise=0.5)
    x2 = scene.x2.copy()
    crowd = np.flatnonzero(~scene.is_inlier)[:40]
    x2[crowd] = x2[crowd[0]]
    for found in (
        cvscore.estimate_essential(scene.x1, x2, scene.K1, scene.K2),
        cvscore.estimate_fundamental(scene.x1, x2),
        cvscore.estimate_fundamental(x2, scene.x1),
    ):
        assert found.scale == pytest.approx(0.5, rel=0.3)
        assert found.inliers[scene.is_inlier].mean() > 0.9
        # Labels are a cut through the residuals, for the surplus as well.
        inside = found.residuals <= found.threshold
        np.testing.assert_array_equal(found.inliers, inside)
        assert np.isfinite(found.residuals).all()
