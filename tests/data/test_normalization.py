"""The frame that the search runs in keeps the metric and forgives wild points."""

import numpy as np
import pytest
from synthetic import camera, homogeneous

from cvscore.data.normalization import (
    extent,
    frame_of,
    frame_of_cameras,
    precision,
    region_of,
)


def test_the_matrix_does_what_the_frame_does(rng):
    points = rng.uniform(100, 900, (4, 50))
    frame = frame_of(region_of(points))
    inside = frame.enter(points)
    for image, rows in ((0, slice(0, 2)), (1, slice(2, 4))):
        h = homogeneous(points[rows].T) @ frame.matrix(image).T
        np.testing.assert_allclose(h[:, :2] / h[:, 2:], inside[rows].T, rtol=1e-12)


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
    assert extent(region_of(wild)) == pytest.approx(extent(region_of(points)), rel=0.1)


def test_the_extent_is_the_diagonal_of_what_is_covered(rng):
    points = rng.uniform(0, 1, (4, 20_000)) * [[300], [400], [300], [400]]
    assert extent(region_of(points)) == pytest.approx(500, rel=0.02)
    assert extent(region_of(points * 1e-6)) == pytest.approx(5e-4, rel=0.02)
    assert extent(region_of(points * 1e-300)) == pytest.approx(5e-298, rel=0.02)
    assert extent(region_of(np.ones((4, 10)))) == 0.0


def test_cameras_inside_their_frame(rng):
    K1, K2 = camera(900.0), camera(1100.0)
    frame = frame_of_cameras(K1, K2)
    for image, K in ((0, K1), (1, K2)):
        inside = frame.camera(K, image)
        assert inside[2, 2] == 1.0
        np.testing.assert_allclose(inside[:2, 2], 0.0, atol=1e-12)
        assert inside[0, 0] == pytest.approx(K[0, 0] / frame.unit)


def test_precision_is_that_of_the_coordinates(rng):
    points = rng.uniform(0, 1000, (4, 100))
    assert precision(region_of(points + 1e7)) == pytest.approx(1e7 * 2.2e-16, rel=0.1)
