"""The frame that the search runs in keeps the metric and forgives wild points."""

import numpy as np
import pytest

from cvscore.data.normalization import frame_of, region_of


def extent(points):
    return region_of(points).extent((2, 2))


def test_the_frame_keeps_the_metric_and_makes_values_of_order_one(rng):
    points = rng.uniform(0, 1, (4, 500)) * [[4000], [3000], [640], [480]] + 1e7
    frame = frame_of(region_of(points))
    inside = frame.enter(points)
    assert 0.1 < np.abs(inside).max() < 2
    np.testing.assert_allclose(
        np.diff(inside, axis=1) * frame.unit, np.diff(points, axis=1), rtol=1e-12
    )
    assert np.log2(frame.unit) % 1 == 0


def test_a_wild_coordinate_moves_nothing(rng):
    points = rng.uniform(0, 1000, (4, 200))
    wild = points.copy()
    wild[:, 7] = 1e12
    assert frame_of(region_of(wild)).unit == frame_of(region_of(points)).unit
    assert extent(wild) == pytest.approx(extent(points), rel=0.1)


def test_the_extent_is_the_diagonal_of_what_is_covered(rng):
    points = rng.uniform(0, 1, (4, 20_000)) * [[300], [400], [300], [400]]
    assert extent(points) == pytest.approx(500, rel=0.02)
    assert extent(points * 1e-6) == pytest.approx(5e-4, rel=0.02)
    assert extent(points * 1e-300) == pytest.approx(5e-298, rel=0.02)
    assert extent(np.ones((4, 10))) == 0.0


def test_precision_is_that_of_the_coordinates(rng):
    points = rng.uniform(0, 1000, (4, 100))
    assert region_of(points + 1e7).precision() == pytest.approx(1e7 * 2.2e-16, rel=0.1)
