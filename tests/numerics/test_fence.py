"""The fence: where it stands, and that nothing beyond it moves it."""

import numpy as np
import pytest

from cvscore.numerics.fence import FENCE, fence_around, within_fence


def test_it_stands_at_median_absolute_deviations(rng):
    values = np.concatenate([rng.normal(size=200), [50.0, -80.0]])
    median = np.sort(values)[100]
    deviation = np.sort(np.abs(values - median))[101]
    low, high = fence_around(values.copy())
    assert low == pytest.approx(median - FENCE * deviation)
    assert high == pytest.approx(median + FENCE * deviation)
    assert sorted(within_fence(values)) == sorted(values[:200])


def test_uniform_values_have_none(rng):
    values = rng.uniform(-3, 8, 500)
    assert fence_around(values.copy()) == (-np.inf, np.inf)
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
