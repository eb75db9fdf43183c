"""The fundamental matrix: Sampson residuals, and refit at rank two."""

import numpy as np
import pytest
import reference
from canonical_scenes import NUM_POINTS, random_samples, volume
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import least_squares

from cvscore.models.fundamental import fundamental_model
from cvscore.models.refiners.direct_linear import fundamental_8pt
from cvscore.models.refiners.fundamental import (
    contract_to_tangent,
    retract,
    write_frames,
)
from cvscore.models.sampson import sampson_normal_matrix
from cvscore.models.solvers.seven_point import fundamental_7pt_solutions

MODEL = fundamental_model()


def cost_of(F, points, weights):
    return weights @ reference.fundamental_sampson(F, points) ** 2


# The residuals (test_epipolar.py has their plain formula).


def test_residuals_are_the_shared_sampson_residuals(rng):
    points, F = volume(rng, num=30)
    expected = reference.fundamental_sampson(F, points) ** 2
    assert_allclose(MODEL.residuals(F[None], points)[0], expected, rtol=1e-8)


def test_residuals_approach_the_geometric_distance(rng):
    """To the nearest exact match; the relative difference falls with the noise."""

    def geometric(F, match):
        # Lagrange: Gauss-Newton on the constraint, from the match itself.
        x = match.copy()
        for _ in range(20):
            h1, h2 = np.append(x[:2], 1.0), np.append(x[2:], 1.0)
            gradient = np.concatenate([(F.T @ h2)[:2], (F @ h1)[:2]])
            value = h2 @ F @ h1 + gradient @ (match - x)
            x = match - value * gradient / (gradient @ gradient)
        return np.sum((x - match) ** 2)

    exact, F = volume(rng, num=30, noise=0.0)
    direction = rng.normal(size=exact.shape)
    worst = []
    for noise in (1e-3, 1e-4):
        points = exact + noise * direction
        truth = [geometric(F, match) for match in points.T]
        worst.append(np.abs(MODEL.residuals(F[None], points)[0] / truth - 1).max())
    assert worst[0] < 0.1
    assert worst[1] < 0.2 * worst[0]


# The refit.


def tangent_frames(F):
    left, right = np.empty((3, 3)), np.empty((3, 3))
    assert write_frames(F, left, right)
    return left, right


def coordinates_of(F, left, right):
    block = (left @ F @ right.T)[:2, :2]
    return np.concatenate([(block / np.linalg.norm(block)).ravel(), np.zeros(4)])


def test_frames_are_orthonormal_and_hold_the_epipoles(rng):
    _, F = volume(rng, num=10)
    for model in (F, np.diag([1.0, 1, 0]), np.diag([0, 1.0, 2]), np.diag([3.0, 0, 1])):
        left, right = tangent_frames(model)
        assert_allclose(left @ left.T, np.eye(3), atol=1e-14)
        assert_allclose(right @ right.T, np.eye(3), atol=1e-14)
        assert_allclose(left[2] @ model, 0, atol=1e-13)
        assert_allclose(model @ right[2], 0, atol=1e-13)
    assert not write_frames(np.diag([1.0, 0, 0]), left, right)


def test_steps_stay_at_rank_two_and_follow_the_tangent(rng):
    _, F = volume(rng, num=10)
    left, right = tangent_frames(F)
    origin = coordinates_of(F, left, right)
    start = retract(origin, np.zeros(8), left, right)
    assert reference.distance_up_to_sign(F, start) < 1e-13
    step = rng.normal(size=8)
    step -= (step @ origin) * origin  # no change of scale
    dA = step[:4].reshape(2, 2)
    tangent = left.T @ np.block(
        [[dA, step[4:6, None]], [step[None, 6:], np.zeros((1, 1))]]
    )
    tangent = tangent @ right
    far = retract(origin, step, left, right)
    assert np.linalg.svd(far, compute_uv=False)[2] < 1e-15
    size = 1e-6
    near = retract(origin, size * step, left, right)
    assert_allclose((near - start) / size, tangent, atol=1e-4)


def test_gradient_of_the_cost(rng):
    points, F = volume(rng, num=25, noise=5.0)
    weights = rng.uniform(0.1, 2, 25)
    left, right = tangent_frames(F)
    origin = coordinates_of(F, left, right)
    normal = contract_to_tangent(sampson_normal_matrix(F, points, weights), left, right)
    assert_allclose(normal[8, 8], cost_of(F, points, weights), rtol=1e-10)
    size = 1e-6
    for k in range(8):
        nudge = np.zeros(8)
        nudge[k] = size
        up, down = (retract(origin, s * nudge, left, right) for s in (1, -1))
        slope = (cost_of(up, points, weights) - cost_of(down, points, weights)) / (
            2 * size
        )
        assert_allclose(2 * normal[k, 8], slope, rtol=1e-5, atol=1e-7)
    largest = np.abs(normal).max()
    assert_allclose(normal[:8, :8] @ origin, 0, atol=1e-12 * largest)
    assert_allclose(normal[:8, 8] @ origin, 0, atol=1e-12 * largest)


@pytest.mark.parametrize("focal", [1000.0, 512.0])
def test_refit_reaches_the_minimum_that_scipy_finds(rng, focal):
    # At a focal length of one unit F is an essential matrix, whose singular values
    # are equal: the parametrisation must not mind.
    points, F = volume(rng, num=30, noise=1.0, focals=(focal, focal))
    weights = rng.uniform(0.1, 2, 30)
    left, right = tangent_frames(F)
    origin = coordinates_of(F, left, right)

    def residuals(step):
        model = retract(origin, step, left, right)
        return np.sqrt(weights) * reference.fundamental_sampson(model, points)

    fit = least_squares(residuals, np.zeros(8), xtol=1e-15, ftol=1e-15, gtol=1e-15)
    theirs = retract(origin, fit.x, left, right)
    ours = MODEL.refit(F, points, weights)
    assert reference.distance_up_to_sign(ours, theirs) < 1e-5
    assert cost_of(ours, points, weights) <= 2 * fit.cost * (1 + 1e-9)
    left, right = tangent_frames(ours)
    normal = contract_to_tangent(
        sampson_normal_matrix(ours, points, weights), left, right
    )
    assert np.abs(normal[:8, 8]).max() < 1e-6 * np.sqrt(normal[8, 8])


def test_refit_from_minimal_samples_finds_one_minimum(rng):
    points, F = volume(rng, num=NUM_POINTS, noise=0.5)
    weights = np.ones(NUM_POINTS)
    best = MODEL.refit(F, points, weights)
    starts = MODEL.solve(points, random_samples(rng, NUM_POINTS, (50, 7)))
    # The loop refits the best of its samples; the median residual stands for that here.
    order = np.argsort(np.median(MODEL.residuals(starts, points), axis=1))
    for start in starts[order[:10]]:
        refitted = MODEL.refit(start, points, weights)
        assert reference.distance_up_to_sign(best, refitted) < 1e-6


def test_refit_is_exact_without_noise_and_of_rank_two(rng):
    points, F = volume(rng, noise=0.0)
    left, right = tangent_frames(F)
    start = retract(
        coordinates_of(F, left, right), 1e-3 * rng.normal(size=8), left, right
    )
    refitted = MODEL.refit(start, points, np.ones(points.shape[1]))
    assert reference.distance_up_to_sign(F, refitted) < 1e-11
    assert np.linalg.svd(refitted, compute_uv=False)[2] < 1e-15


def test_refit_weights_count_points(rng):
    points, F = volume(rng, num=40)
    counts = np.arange(40) % 4
    weighted = MODEL.refit(F, points, counts.astype(float))
    repeated = np.ascontiguousarray(np.repeat(points, counts, axis=1))
    unweighted = MODEL.refit(F, repeated, np.ones(repeated.shape[1]))
    assert reference.distance_up_to_sign(weighted, unweighted) < 1e-6
    points[:, counts == 0] = 1e6  # anything: it has no weight
    assert_array_equal(MODEL.refit(F, points, counts.astype(float)), weighted)


def test_refit_never_raises_the_cost(rng):
    points = rng.uniform(-1, 1, (4, 30))
    weights = rng.uniform(0, 1, 30)
    samples = random_samples(rng, 30, (20, 7))
    for start in fundamental_7pt_solutions(points, samples)[0][:, 0]:
        refitted = MODEL.refit(start, points, weights)
        before = cost_of(start, points, weights)
        assert cost_of(refitted, points, weights) <= before * (1 + 1e-12)
        assert_allclose(np.linalg.norm(refitted), 1.0)
        assert np.linalg.svd(refitted, compute_uv=False)[2] < 1e-14


def test_refit_returns_the_model_when_points_are_too_few(rng):
    points, F = volume(rng, num=10)
    assert_array_equal(MODEL.refit(F, points, np.repeat([1.0, 0.0], [6, 4])), F)
    assert_array_equal(MODEL.refit(F, points, np.zeros(10)), F)


@pytest.mark.parametrize("start", [np.zeros((3, 3)), np.diag([1.0, 0, 0])])
def test_refit_starts_anew_where_the_model_is_not_of_rank_two(rng, start):
    points, F = volume(rng, num=30)
    best = MODEL.refit(F, points, np.ones(30))
    refitted = MODEL.refit(start, points, np.ones(30))
    assert reference.distance_up_to_sign(best, refitted) < 1e-6


def test_linear_fit_is_exact_without_noise(rng):
    points, F = volume(rng, num=30, noise=0.0)
    assert reference.distance_up_to_sign(F, fundamental_8pt(points, np.ones(30))) < 1e-8
    points[:, 20:] = rng.normal(size=(4, 10))
    linear = fundamental_8pt(points, np.repeat([2.0, 0.0], [20, 10]))
    assert reference.distance_up_to_sign(F, linear) < 1e-8
    assert np.linalg.svd(linear, compute_uv=False)[2] < 1e-15
