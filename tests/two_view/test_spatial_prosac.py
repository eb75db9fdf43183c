"""How matches are rated by their neighbours: against brute force, and for the right."""

import numpy as np
import pytest
from synthetic import packed, planar_scene, two_view_scene

from cvscore.data.normalization import Region, region_of
from cvscore.numerics.bucket_grid import cells_along
from cvscore.two_view.spatial_prosac import (
    NUM_UNIFORM_SAMPLES,
    SpatialProsacSampler,
    _sq_distance_to_third,
    take_turns,
)


def around(points, spreads):
    return Region(np.median(points, axis=1), spreads)


def coherence(points, region):
    """Minus the distance to the third nearest match, in extents of the images."""
    return -np.sqrt(_sq_distance_to_third(points, *region, 1))


def brute_force(points, spreads):
    sides = np.repeat(np.hypot(spreads[[0, 2]], spreads[[1, 3]]), 2)
    places = (points / sides[:, None]).T
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    return -np.sort(distances, axis=1)[:, 3]


def test_few_matches_are_one_cell_and_exact(rng):
    points = rng.uniform(0, 100, (4, 20))
    spreads = np.full(4, 100.0)
    np.testing.assert_allclose(
        coherence(points, around(points, spreads)),
        brute_force(points, spreads),
        rtol=1e-12,
    )


def test_neighbours_within_reach_are_found(rng):
    scene = planar_scene(rng, num=600, inlier_ratio=0.5)
    points = packed(scene.x1, scene.x2)
    spreads = np.array([1280.0, 960.0, 1280.0, 960.0])
    ours = coherence(points, around(points, spreads))
    truth = brute_force(points, spreads)
    assert (ours <= truth + 1e-12).all()
    # What lies outside the nine cells around a match is missed, and only that.
    cells = int(np.sqrt(600 / 6))
    close = -truth * np.hypot(1280, 960) < 960 / cells
    np.testing.assert_allclose(ours[close], truth[close], rtol=1e-12)
    assert close[scene.is_inlier].mean() > 0.6


@pytest.mark.parametrize("make", [planar_scene, two_view_scene])
def test_right_matches_rank_before_wrong_ones(rng, make):
    scene = make(rng, num=2000, inlier_ratio=0.1)
    points = packed(scene.x1, scene.x2)
    rating = coherence(points, around(points, np.array([1280.0, 960.0, 1280.0, 960.0])))
    first = np.argsort(-rating)[:100]
    assert scene.is_inlier[first].mean() > 0.25


def test_the_unit_does_not_matter(rng):
    points = rng.uniform(0, 100, (4, 300))
    spreads = np.full(4, 100.0)
    np.testing.assert_allclose(
        coherence(points * 1e-6, around(points * 1e-6, spreads * 1e-6)),
        coherence(points, around(points, spreads)),
        rtol=1e-9,
    )


def test_too_few_to_have_three_neighbours():
    points = np.arange(12.0).reshape(4, 3)
    assert (coherence(points, around(points, np.ones(4))) == -np.inf).all()


def test_cells_take_turns_in_the_order_that_there_was(rng):
    points = rng.uniform(0, 100, (4, 400))
    points[:2, :300] = rng.uniform(0, 20, (2, 300))  # most of them in one corner
    before = rng.permutation(400)
    order = before.copy()
    take_turns(points, 4, order)
    assert sorted(order) == list(range(400))
    columns, rows = cells_along(points[0], 4), cells_along(points[1], 4)
    cell = rows * 4 + columns
    place = np.argsort(before)
    turn = np.array(
        [np.sum((cell == cell[i]) & (place < place[i])) for i in range(400)]
    )
    turn[before[200:]] = 400  # the second half comes as it did
    np.testing.assert_array_equal(order, np.lexsort((place, turn)))
    assert np.mean(order[:50] < 300) < 0.5 < np.mean(before[:50] < 300)


def test_cells_beside_the_image_do_not_come_first(rng):
    """Wrong matches within two widths of it fill 24 of 25 cells."""
    points = rng.uniform(-200, 300, (4, 400))
    points[:, :220] = rng.uniform(0, 100, (4, 220))
    outside = np.arange(400) >= 220
    order = np.argsort(outside, kind="stable")  # as coherence has it
    take_turns(points, 5, order)
    assert not outside[order[:200]].any()


def test_something_small_that_moves_does_not_take_all_samples(rng):
    """A dense patch is the most coherent of all; samples come from elsewhere too."""
    scene = two_view_scene(rng, num=1000, inlier_ratio=0.5)
    points = packed(scene.x1, scene.x2)
    patch = rng.uniform(0, 60, (2, 400))
    points = np.hstack([points, np.vstack([patch + 200, patch + 350])])
    region = around(points, np.array([1280.0, 960.0, 1280.0, 960.0]))
    share = {}
    for cells in (1, 4):
        sampler = SpatialProsacSampler(points, region, 7, 500, cells)
        sampler.draw(64)  # uniform
        samples = sampler.draw(400)[200:]
        share[cells] = np.mean(samples < 1000)
    assert share[1] < 0.1
    assert share[4] > 0.8


def test_coherent_matches_come_on_every_other_draw_after_the_first(rng):
    cluster = rng.normal(50, 0.5, (4, 20))
    points = np.ascontiguousarray(np.hstack([rng.uniform(0, 100, (4, 180)), cluster]))
    region = region_of(points)
    sampler = SpatialProsacSampler(points, region, 4, num_trials=10_000, seed=1)
    first = sampler.draw(NUM_UNIFORM_SAMPLES)
    assert first.shape == (NUM_UNIFORM_SAMPLES, 4)
    assert (first >= 180).all(axis=1).mean() < 0.1
    samples = sampler.draw(11)
    assert samples.shape == (11, 4)
    # Six uniform samples, then five of the matches that are closest to each other.
    best = np.argsort(-coherence(points, region))
    assert samples[6:].max(initial=0) <= 199
    assert set(samples[6]) == set(best[:4])
    assert set(samples[6:].ravel()) <= set(best[:20])
    again = SpatialProsacSampler(points, region, 4, num_trials=10_000, seed=1)
    assert (again.draw(NUM_UNIFORM_SAMPLES) == first).all()
