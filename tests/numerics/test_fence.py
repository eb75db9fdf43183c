"""The fence: where it stands, and that nothing beyond it moves it."""

import numpy as np
import pytest

from cvscore.numerics.fence import (
    FENCE,
    POINT_FENCE,
    fence_around,
    within_fence,
    within_fences,
)


def test_it_stands_at_median_absolute_deviations(rng):
    values = np.concatenate([rng.uniform(-3, 3, 200), [50.0, -80.0]])
    median = np.sort(values)[100]
    deviation = np.sort(np.abs(values - median))[101]
    low, high = fence_around(values.copy(), FENCE)
    assert low == pytest.approx(median - FENCE * deviation)
    assert high == pytest.approx(median + FENCE * deviation)
    assert sorted(within_fence(values)) == sorted(values[:200])


def test_uniform_values_have_none(rng):
    values = rng.uniform(-3, 8, 500)
    assert fence_around(values.copy(), FENCE) == (-np.inf, np.inf)
    assert sorted(within_fence(values)) == sorted(values)


@pytest.mark.parametrize("far", [1e3, 1e100, 1e308])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.49])
def test_any_share_below_one_half_is_left_out(rng, share, far):
    values = rng.uniform(0, 1, 1000)
    num = int(share * 1000)
    for wild in (far, far * rng.uniform(-1, 1, num), far * rng.uniform(0.1, 1, num)):
        spoilt = values.copy()
        spoilt[:num] = wild
        assert sorted(within_fence(spoilt)) == sorted(values[num:])


def test_values_that_are_mostly_the_same_are_kept():
    values = np.array([5.0] * 7 + [1.0, 9.0, 1e9])
    assert sorted(within_fence(values)) == sorted(values)


def left_within_fences(points, share):
    """The same, by its definition."""
    while True:
        inside = np.ones(points.shape[1], dtype=bool)
        for row in points:
            low, high = fence_around(row.copy(), POINT_FENCE)
            inside &= (low <= row) & (row <= high)
        num_beyond = np.count_nonzero(~inside)
        if num_beyond <= int(share * (len(inside) - 1)):
            return points
        points = points[:, inside]


@pytest.mark.parametrize("share", [0.0, 0.05])
@pytest.mark.parametrize("widths", [1, 2, 10])
def test_a_point_beyond_one_fence_is_beyond_all(rng, widths, share):
    points = rng.uniform(0, 1, (4, 400))
    points[:, :180] = rng.uniform(-widths, 1 + widths, (4, 180))
    before = points.copy()
    kept, are_enclosed = within_fences(points, share)
    assert are_enclosed
    assert np.array_equal(points, before)
    expected = left_within_fences(points, share)
    assert np.array_equal(np.sort(kept, axis=1), np.sort(expected, axis=1))
    middle = (kept.shape[1] - 1) // 2
    assert np.array_equal(kept[:, middle], np.sort(kept, axis=1)[:, middle])


def test_more_than_half_are_never_left_out(rng):
    points = rng.uniform(0, 1, (3, 300))
    for row in range(3):
        points[row, 60 * row : 60 * (row + 1)] = 1e6
    kept, are_enclosed = within_fences(points, 0.0)
    assert not are_enclosed
    assert kept.shape == points.shape
