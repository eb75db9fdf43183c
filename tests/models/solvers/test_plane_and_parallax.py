"""The fundamental matrix of a dominant plane and two matches off it."""

import numba
import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose
from synthetic import cross_matrix, rotation

from cvscore.models.solvers.plane_and_parallax import (
    fundamental_from_plane_and_parallax,
)

NORMAL = np.array([0.2, -0.5, 1.0])  # of the plane normal . X = DISTANCE
DISTANCE = 6.0
NUM_POINTS = 30 if numba.config.DISABLE_JIT else 100


def plane_and_more(rng, num_on=NUM_POINTS, num_off=NUM_POINTS):
    """Exact matches, the first ones on the plane; its homography; the truth."""
    R, t = rotation(rng.normal(0, 0.1, 3)), np.array([1.0, 0.3, -0.4])
    rays = np.vstack(
        [rng.uniform(-0.6, 0.6, (2, num_on + num_off)), np.ones(num_on + num_off)]
    )
    depth = DISTANCE / (NORMAL @ rays)
    depth[num_on:] *= rng.uniform(0.4, 0.8, num_off)
    seen = R @ (depth * rays) + t[:, None]
    points = np.vstack([rays[:2], seen[:2] / seen[2]])
    F = cross_matrix(t) @ R
    H = R + np.outer(t, NORMAL) / DISTANCE
    return np.ascontiguousarray(points), H, F / np.linalg.norm(F)


def random_pairs(rng, low, high, num):
    first = rng.integers(low, high, num)
    return np.stack(
        [first, low + (first - low + rng.integers(1, high - low, num)) % (high - low)],
        1,
    )


def test_two_points_off_the_plane_give_the_truth(rng):
    points, H, F = plane_and_more(rng)
    pairs = random_pairs(rng, NUM_POINTS, 2 * NUM_POINTS, 500)
    models = fundamental_from_plane_and_parallax(H, points, pairs)
    assert len(models) == len(pairs)
    distances = [reference.distance_up_to_sign(F, model) for model in models]
    assert np.median(distances) < 1e-13
    assert np.max(distances) < 1e-8  # two lines may meet at a small angle


def test_models_equal_the_plain_formula_and_contain_plane_and_pair(rng):
    points, H, _ = plane_and_more(rng)
    points[:, NUM_POINTS:] = rng.uniform(-0.6, 0.6, (4, NUM_POINTS))
    num_kept = 0
    for pair in random_pairs(rng, NUM_POINTS, 2 * NUM_POINTS, 300):
        expected = reference.fundamental_from_parallax(H, points[:, pair])
        models = fundamental_from_plane_and_parallax(H, points, pair[None])
        assert len(models) == reference.keeps_orientation(
            expected, points[:, [0, *pair]]
        )
        for model in models:
            num_kept += 1
            assert reference.distance_up_to_sign(expected, model) < 1e-9
            assert_allclose(np.linalg.norm(model), 1.0)
            assert np.linalg.svd(model, compute_uv=False)[2] < 1e-14
            contained = np.ascontiguousarray(points[:, [*range(NUM_POINTS), *pair]])
            assert np.abs(reference.fundamental_sampson(model, contained)).max() < 1e-9
    assert 30 < num_kept < 270


def test_pairs_without_parallax_are_dropped(rng):
    points, H, _ = plane_and_more(rng)
    on, off = 0, NUM_POINTS
    pairs = np.array([[on, on + 1], [on, off], [off, on], [off, off]])
    assert len(fundamental_from_plane_and_parallax(H, points, pairs)) == 0


@pytest.mark.parametrize("off_plane", [0, 1])
def test_a_match_behind_the_camera_is_dropped(rng, off_plane):
    points, H, F = plane_and_more(rng)
    pair = np.array([[NUM_POINTS, NUM_POINTS + 1]])
    e2 = np.linalg.svd(F)[0][:, 2]
    i = pair[0, off_plane]
    # Reflected in the epipole it stays on its epipolar line.
    points[2:, i] = 2 * e2[:2] / e2[2] - points[2:, i]
    assert len(fundamental_from_plane_and_parallax(H, points, pair)) == 0


def test_a_match_beyond_the_horizon_of_the_plane_serves(rng):
    """Above a ground plane H x1 has the other sign, and the match is still good."""
    R, t = rotation(np.array([0.02, 0.1, 0.0])), np.array([0.5, 0.1, 0.3])
    normal = np.array([0.0, 1.0, 0.05])
    H = R + np.outer(t, normal) / 1.5
    X = np.array([[0.5, -2.0, 6.0], [-1.0, -1.0, 5.0]]).T
    seen = R @ X + t[:, None]
    points = np.ascontiguousarray(np.vstack([X[:2] / X[2], seen[:2] / seen[2]]))
    assert (normal @ X < 0).all()
    (model,) = fundamental_from_plane_and_parallax(H, points, np.array([[0, 1]]))
    F = cross_matrix(t) @ R
    assert reference.distance_up_to_sign(F / np.linalg.norm(F), model) < 1e-12
