"""How matches are rated by their neighbours: against brute force, and for the right."""

import numpy as np
import pytest
from synthetic import packed, planar_scene, two_view_scene

from cvscore.coherence import coherence
from cvscore.frames import Region


def around(points, spreads):
    return Region(np.median(points, axis=1), spreads)


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
