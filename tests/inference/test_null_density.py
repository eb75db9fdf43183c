"""What chance does: re-drawn matches, and their density about models with a formula."""

import math

import numpy as np
import pytest
from scipy import special
from synthetic import packed

from cvscore.data.permutation import redraw_matches
from cvscore.inference.null_density import (
    ball_volume,
    highest_null_density,
    null_density,
)
from cvscore.models.homography import homography_residuals
from cvscore.models.sampson import sampson_residuals
from cvscore.types import MAX_RESIDUAL_DIM

SIDES = np.array([1280.0, 960.0])


def uniform_matches(rng, num, unit=1.0):
    rows = np.hstack([rng.uniform(0, SIDES, (num, 2)) for _ in range(2)])
    return np.ascontiguousarray(unit * rows.T)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e5])
def test_density_about_horizontal_lines(unit, rng):
    """Heights of two random points differ by less than d with probability 2 d / height.

    The Sampson distance is the difference over the root of two.
    """
    F = np.array([[0, 0, 0], [0, 0, -1], [0, 1, 0.0]])
    redrawn = redraw_matches(uniform_matches(rng, 1_000, unit))
    q = sampson_residuals(F[None], redrawn)[0]
    expected = np.sqrt(2.0) / (SIDES[1] * unit)
    density = null_density(q, 20.0 * unit, 1)
    assert density == pytest.approx(expected, rel=0.25)


@pytest.mark.parametrize("radius", [0.01, 60.0])
def test_density_about_the_identity(radius, rng):
    """Also where no re-drawn match is as close as the inliers are."""
    redrawn = redraw_matches(uniform_matches(rng, 1_000))
    q = homography_residuals(np.eye(3)[None], redrawn)[0]
    expected = 2.0 / np.prod(SIDES)
    # Twenty matches: a standard error of 22 %.
    tolerance = 1.3 if radius < 1.0 else 0.4
    assert null_density(q, radius, 2) == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize("dim", range(1, MAX_RESIDUAL_DIM + 1))
def test_volume_is_that_of_a_ball(dim):
    unit = math.pi ** (dim / 2) / special.gamma(dim / 2 + 1)
    for radius in (1e-3, 1.0, 30.0):
        expected = unit * radius**dim
        assert ball_volume(radius, dim) == pytest.approx(expected, rel=1e-12)
    assert ball_volume(0.0, dim) > 0.0


@pytest.mark.parametrize("dim", range(1, MAX_RESIDUAL_DIM + 1))
def test_even_density_is_found_in_any_dimension(dim, rng):
    """Points spread evenly over a box have the density of one over its volume."""
    side, radius = 10.0, 4.0
    q = (rng.uniform(-side / 2, side / 2, (400_000, dim)) ** 2).sum(axis=1)
    expected = side**-dim
    # The ball in six dimensions holds 2 % of the box: 8,000 points, 1 % of error.
    assert null_density(q, radius, dim) == pytest.approx(expected, rel=0.06)
    highest = highest_null_density(q, radius, radius, dim)
    assert highest == pytest.approx(expected, rel=0.06)


def test_clusters_are_dense(rng):
    """Where all points lie in two spots, chance alone maps spot to spot."""
    spots = np.array([[100.0, 100.0], [900.0, 700.0]])
    points = [spots[rng.integers(0, 2, 400)] + rng.normal(0, 2, (400, 2)) for _ in "12"]
    redrawn = redraw_matches(packed(*points))
    q = homography_residuals(np.eye(3)[None], redrawn)[0]
    inside = null_density(q, 6.0, 2) * np.pi * 6.0**2
    assert inside == pytest.approx(0.5, abs=0.1)


def test_models_without_chance_matches_are_finite():
    assert 0.0 < null_density(np.full(50, np.inf), 1.0, 2) < np.inf
    assert 0.0 < null_density(np.zeros(50), 0.0, 1) < np.inf
    some = np.where(np.arange(50) < 5, 4.0, np.inf)
    believed = 5 - np.sqrt(5)
    assert null_density(some, 1.0, 1) == pytest.approx(believed / (50 * 4.0))


def test_patterns_are_seen_at_their_own_scale(rng):
    """Corners of 30 x 30 windows: chance maps one to itself once in 900 times."""
    points = [32.0 * rng.integers(0, 30, (2_000, 2)) for _ in "12"]
    points = np.hstack(points) + rng.normal(0, 0.5, (2_000, 4))
    redrawn = redraw_matches(np.ascontiguousarray(points.T))
    q = homography_residuals(np.eye(3)[None], redrawn)[0]
    inside = null_density(q, 1.5, 2) * np.pi * 1.5**2
    assert 0.2 / 900 < inside < 3 / 900
