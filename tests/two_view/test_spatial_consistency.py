"""Neighbours are the nearest points, whatever the unit and the side."""

import numpy as np
import pytest

from cvscore.two_view.spatial_consistency import (
    MIN_SHARED,
    NUM_NEIGHBOURS,
    are_consistent,
)

# With so few points, 3 x 3 cells are all cells, and neighbours are exact.
FEW = 26


def every(points):
    return np.arange(points.shape[-1])


def nearest_by_sorting(places):
    """Return the neighbours of each of places (2, N): all distances, sorted."""
    distances = np.linalg.norm(places[:, :, None] - places[:, None, :], axis=0)
    np.fill_diagonal(distances, np.inf)
    return np.argsort(distances)[:, : min(NUM_NEIGHBOURS, places.shape[1] - 1)]


def keep_by_sorting(points):
    pairs = zip(*map(nearest_by_sorting, (points[:2], points[2:])), strict=True)
    return np.array([len(set(a) & set(b)) >= MIN_SHARED for a, b in pairs])


def half_coherent(rng, num):
    """Matches (4, num), every other one moved by the same shift, the rest at random."""
    points = rng.uniform(0, 1000, (4, num))
    points[2:, ::2] = points[:2, ::2] + 5.0
    return points


@pytest.mark.parametrize("num", [1, 2, NUM_NEIGHBOURS, NUM_NEIGHBOURS + 2, FEW])
def test_few_points_against_all_distances(rng, num):
    points = half_coherent(rng, num)
    keeps = are_consistent(points, every(points))
    np.testing.assert_array_equal(keeps, keep_by_sorting(points))


def test_many_points_against_all_distances(rng):
    points = half_coherent(rng, 500)
    keeps = are_consistent(points, every(points))
    assert np.mean(keeps == keep_by_sorting(points)) > 0.95


def test_as_near_as_the_last_neighbour_is_a_neighbour_too(rng):
    # On a lattice many are equally near: whichever image comes first, the same holds.
    side = np.arange(12.0)
    lattice = np.array([grid.ravel() for grid in np.meshgrid(side, side)])
    mixed = np.where(rng.random(144) < 0.5, np.arange(144), rng.permutation(144))
    points = np.vstack([lattice, lattice[:, mixed]])
    swapped = np.ascontiguousarray(points[[2, 3, 0, 1]])
    keeps = are_consistent(points, every(points))
    np.testing.assert_array_equal(keeps, are_consistent(swapped, every(points)))
    assert 0 < keeps.sum() < 144


def test_each_is_answered_by_itself(rng):
    points = half_coherent(rng, 200)
    asked = rng.permutation(200)[:50]
    np.testing.assert_array_equal(
        are_consistent(points, asked), are_consistent(points, every(points))[asked]
    )
    assert are_consistent(points, asked[:0]).shape == (0,)


def test_the_images_may_change_places(rng):
    points = half_coherent(rng, 200)
    swapped = np.ascontiguousarray(points[[2, 3, 0, 1]])
    np.testing.assert_array_equal(
        are_consistent(points, every(points)), are_consistent(swapped, every(points))
    )


def test_units_do_not_matter(rng):
    points = half_coherent(rng, 200)
    scaled = points * np.array([[1024.0], [1024.0], [0.25], [0.25]])
    np.testing.assert_array_equal(
        are_consistent(points, every(points)), are_consistent(scaled, every(points))
    )


def test_common_motion_keeps_neighbours_and_chance_does_not(rng):
    points = half_coherent(rng, 1000)
    keeps = are_consistent(points, every(points))
    assert keeps[::2].mean() > 0.9
    # By chance 64 / 1000 are kept on average: two or more in 0.2 % of all.
    assert keeps[1::2].mean() < 0.02


def test_a_point_far_away_changes_nothing_for_the_others(rng):
    points = half_coherent(rng, 300)
    far = np.hstack([points, np.full((4, 1), 1e9)])
    keeps = are_consistent(points, every(points))
    assert np.mean(keeps == are_consistent(far, every(points))) > 0.95


def test_points_in_one_place_are_all_neighbours():
    assert are_consistent(np.zeros((4, 40)), np.arange(40)).all()
