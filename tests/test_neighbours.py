"""Neighbours are the nearest points, whatever the unit, the side and the order."""

import numpy as np
import pytest

from cvscore.neighbours import NUM_NEIGHBOURS, count_kept_neighbours, nearest_points

# With so few points, 3 x 3 cells are all cells, and neighbours are exact.
FEW = 26


def kept_neighbours(points):
    """Twin of `count_kept_neighbours`: all distances, sorted."""
    num = points.shape[1]
    neighbours = []
    for rows in (points[:2], points[2:]):
        distances = np.linalg.norm(rows[:, :, None] - rows[:, None, :], axis=0)
        np.fill_diagonal(distances, np.inf)
        neighbours.append(np.argsort(distances)[:, : min(NUM_NEIGHBOURS, num - 1)])
    return np.array([len(set(a) & set(b)) for a, b in zip(*neighbours, strict=True)])


def half_coherent(rng, num):
    """Matches (4, num), every other one moved by the same shift, the rest at random."""
    points = rng.uniform(0, 1000, (4, num))
    points[2:, ::2] = points[:2, ::2] + 5.0
    return points


@pytest.mark.parametrize("num", [1, 2, NUM_NEIGHBOURS, NUM_NEIGHBOURS + 2, FEW])
def test_few_points_against_all_distances(rng, num):
    points = half_coherent(rng, num)
    counts = count_kept_neighbours(points)
    np.testing.assert_array_equal(counts, kept_neighbours(points))


def test_many_points_against_all_distances(rng):
    points = half_coherent(rng, 500)
    counts, twin = count_kept_neighbours(points), kept_neighbours(points)
    assert np.mean(counts == twin) > 0.9
    assert np.mean(np.abs(counts - twin)) < 0.1


def test_neighbours_are_other_points_nearest_first(rng):
    x, y = rng.uniform(0, 1, (2, 300))
    found = nearest_points(x, y)
    assert found.shape == (300, NUM_NEIGHBOURS)
    for i, row in enumerate(found):
        row = row[row >= 0]
        assert i not in row
        assert len(set(row)) == len(row)
        distances = np.hypot(x[row] - x[i], y[row] - y[i])
        assert (np.diff(distances) >= 0).all()


def test_the_images_may_change_places(rng):
    points = half_coherent(rng, 200)
    swapped = np.ascontiguousarray(points[[2, 3, 0, 1]])
    np.testing.assert_array_equal(
        count_kept_neighbours(points), count_kept_neighbours(swapped)
    )


def test_units_and_origins_do_not_matter(rng):
    points = half_coherent(rng, 200)
    moved = points * np.array([[1e3], [1e3], [0.25], [0.25]]) + 512.0
    np.testing.assert_array_equal(
        count_kept_neighbours(points), count_kept_neighbours(moved)
    )


def test_the_order_does_not_matter(rng):
    points = half_coherent(rng, 200)
    order = rng.permutation(200)
    shuffled = np.ascontiguousarray(points[:, order])
    np.testing.assert_array_equal(
        count_kept_neighbours(points)[order], count_kept_neighbours(shuffled)
    )


def test_common_motion_keeps_neighbours_and_chance_does_not(rng):
    points = half_coherent(rng, 1000)
    counts = count_kept_neighbours(points)
    assert np.mean(counts[::2] >= 2) > 0.9
    # By chance 64 / 1000 on average: two or more in 0.2 % of all.
    assert np.mean(counts[1::2] >= 2) < 0.02


def test_a_point_far_away_changes_nothing_for_the_others(rng):
    points = half_coherent(rng, 300)
    far = np.hstack([points, np.full((4, 1), 1e9)])
    counts, with_far = count_kept_neighbours(points), count_kept_neighbours(far)
    assert np.mean(counts == with_far[:-1]) > 0.95


def test_points_in_one_place():
    counts = count_kept_neighbours(np.zeros((4, 40)))
    assert ((counts >= 0) & (counts <= NUM_NEIGHBOURS)).all()
