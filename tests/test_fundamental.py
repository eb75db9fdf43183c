"""The fundamental matrix: seven-point solver, orientation, refit at rank two."""

import cv2
import numba
import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import least_squares
from synthetic import two_view_scene

from cvscore.models._cubic import cubic_roots
from cvscore.models._direct_linear import fundamental_8pt
from cvscore.models._epipolar import sampson_normal_matrix
from cvscore.models._fundamental_refit import (
    contract_to_tangent,
    retract,
    write_frames,
)
from cvscore.models._seven_point import fundamental_7pt, fundamental_7pt_solutions
from cvscore.models.fundamental import fundamental_model

MODEL = fundamental_model()
# Pixels to coordinates of order one.
SCALE = 512.0
CENTRE = np.array([640.0, 480.0])
TO_UNIT = np.array([[1, 0, -CENTRE[0]], [0, 1, -CENTRE[1]], [0, 0, SCALE]]) / SCALE
NUM_SAMPLES = 100 if numba.config.DISABLE_JIT else 3000
NUM_POINTS = 40 if numba.config.DISABLE_JIT else 200
ALL_SEVEN = np.arange(7)[None]


@pytest.fixture(autouse=True)
def _division_by_zero_is_silent():
    # As it is in the compiled kernels; without the JIT NumPy would warn.
    with np.errstate(all="ignore"):
        yield


def volume(rng, num=NUM_POINTS, noise=0.5, **options):
    """Packed inliers (4, N) of a general scene, and its fundamental matrix."""
    scene = two_view_scene(rng, num=num, inlier_ratio=1.0, noise=noise, **options)
    points = np.hstack([scene.x1 - CENTRE, scene.x2 - CENTRE]).T / SCALE
    F = np.linalg.inv(TO_UNIT).T @ scene.F @ np.linalg.inv(TO_UNIT)
    return np.ascontiguousarray(points), F / np.linalg.norm(F)


def random_samples(rng, num_points, num_samples=NUM_SAMPLES):
    order = np.argsort(rng.random((num_samples, num_points)), axis=1)
    return np.ascontiguousarray(order[:, :7])


def cost_of(F, points, weights):
    return weights @ reference.fundamental_sampson(F, points) ** 2


# ---- the minimal solver


@pytest.mark.parametrize("kind", ["scene", "noise"])
def test_solutions_satisfy_their_constraints(rng, kind):
    points = volume(rng)[0] if kind == "scene" else rng.uniform(-1, 1, (4, NUM_POINTS))
    samples = random_samples(rng, NUM_POINTS)
    candidates, counts = fundamental_7pt_solutions(points, samples)
    assert set(counts) == {1, 3}
    is_solution = np.arange(3) < counts[:, None]
    models = candidates[is_solution]
    x1, x2 = (
        np.insert(points[rows][:, samples], 2, 1, axis=0) for rows in ([0, 1], [2, 3])
    )
    algebraic = np.einsum("ibn,bkij,jbn->bkn", x2, candidates, x1)
    assert np.abs(algebraic[is_solution]).max() < 1e-12
    assert_allclose(np.linalg.norm(models, axis=(1, 2)), 1.0, rtol=1e-12)
    singular = np.linalg.svd(models, compute_uv=False)
    assert (singular[:, 2] < 1e-8 * singular[:, 1]).all()


@pytest.mark.parametrize("kind", ["scene", "noise"])
def test_every_opencv_solution_is_found(rng, kind):
    points = volume(rng)[0] if kind == "scene" else rng.uniform(-1, 1, (4, NUM_POINTS))
    # OpenCV rounds to float32; these are float32 numbers already.
    points = points.astype(np.float32).astype(np.float64)
    samples = random_samples(rng, NUM_POINTS)
    candidates, counts = fundamental_7pt_solutions(points, samples)
    num_theirs = 0
    for sample, solutions, count in zip(samples, candidates, counts, strict=True):
        x1, x2 = points[:2, sample].T, points[2:, sample].T
        theirs, _ = cv2.findFundamentalMat(x1, x2, cv2.FM_7POINT)
        for F in theirs.reshape(-1, 3, 3):
            distance = reference.distance_up_to_sign(
                F / np.linalg.norm(F), solutions[:count]
            )
            assert distance < 1e-5  # near a double root digits are lost by halves
            num_theirs += 1
    assert num_theirs >= counts.sum()


def test_solutions_equal_the_plain_formula(rng):
    points = rng.uniform(-1, 1, (4, 50))
    samples = random_samples(rng, 50, NUM_SAMPLES // 10)
    candidates, counts = fundamental_7pt_solutions(points, samples)
    for sample, solutions, count in zip(samples, candidates, counts, strict=True):
        expected = reference.fundamentals_of_seven(points[:, sample])
        assert len(expected) == count
        for F in expected:
            assert reference.distance_up_to_sign(F, solutions[:count]) < 1e-6


def test_the_truth_is_among_the_solutions_and_keeps_orientation(rng):
    points, F = volume(rng, noise=0.0)
    distances = [
        reference.distance_up_to_sign(F, fundamental_7pt(points, sample[None]))
        for sample in random_samples(rng, NUM_POINTS, NUM_SAMPLES // 10)
    ]
    assert np.median(distances) < 1e-11
    assert np.max(distances) < 1e-4  # a sample may be nearly degenerate


def test_kept_solutions_are_those_that_keep_orientation(rng):
    points = np.hstack([volume(rng, num=25)[0], rng.uniform(-1, 1, (4, 25))])
    samples = random_samples(rng, 50, NUM_SAMPLES // 10)
    candidates, counts = fundamental_7pt_solutions(points, samples)
    expected = [
        F
        for sample, solutions, count in zip(samples, candidates, counts, strict=True)
        for F in solutions[:count]
        if reference.keeps_orientation(F, points[:, sample])
    ]
    assert_array_equal(fundamental_7pt(points, samples), expected)
    assert 0 < len(expected) < 0.6 * counts.sum()


def test_points_of_a_mirrored_match_are_rejected(rng):
    """A point behind the second camera has the same line but the other sign."""
    points, F = volume(rng, num=7, noise=0.0)
    e2 = np.linalg.svd(F)[0][:, 2]
    assert reference.distance_up_to_sign(F, fundamental_7pt(points, ALL_SEVEN)) < 1e-8
    # Reflect x2 in the epipole, along its epipolar line.
    points[2:, 0] = 2 * e2[:2] / e2[2] - points[2:, 0]
    candidates, counts = fundamental_7pt_solutions(points, ALL_SEVEN)
    assert reference.distance_up_to_sign(F, candidates[0, : counts[0]]) < 1e-8
    kept = fundamental_7pt(points, ALL_SEVEN)
    assert len(kept) == 0 or reference.distance_up_to_sign(F, kept) > 1e-3


@pytest.mark.parametrize("image", [0, 2])
def test_repeated_points_are_rejected(rng, image):
    points, _ = volume(rng, num=7)
    assert len(fundamental_7pt_solutions(points, ALL_SEVEN)[1]) == 1
    for i in range(7):
        repeated = points.copy()
        repeated[image : image + 2, i] = points[image : image + 2, (i + 3) % 7]
        assert fundamental_7pt_solutions(repeated, ALL_SEVEN)[1][0] == 0
    assert len(fundamental_7pt(np.zeros((4, 7)), ALL_SEVEN)) == 0


def test_samples_that_leave_a_family_of_solutions_are_rejected(rng):
    on_plane, _ = volume(rng, num=7, noise=0.0, planar=True)
    assert fundamental_7pt_solutions(on_plane, ALL_SEVEN)[1][0] == 0
    # Six on the plane: F = [e2] H for every e2 on a line, all of rank two.
    on_plane[2:, 6] += [0.1, -0.2]
    assert fundamental_7pt_solutions(on_plane, ALL_SEVEN)[1][0] == 0


def test_solutions_do_not_depend_on_scale_or_position(rng):
    points, _ = volume(rng, num=30)
    samples = random_samples(rng, 30, NUM_SAMPLES // 10)
    candidates, counts = fundamental_7pt_solutions(points, samples)
    T = np.diag([1e-3, 1e-3, 1.0])
    T[:2, 2] = [0.4, -0.3]
    moved = np.ascontiguousarray(1e-3 * points + np.array([[0.4, -0.3] * 2]).T)
    others, other_counts = fundamental_7pt_solutions(moved, samples)
    assert_array_equal(counts, other_counts)
    back = np.einsum("ki,bskl,lj->bsij", T, others, T)
    distances = []
    for expected, found, count in zip(candidates, back, counts, strict=True):
        for F in found[:count]:
            unit = F / np.linalg.norm(F)
            distances.append(reference.distance_up_to_sign(unit, expected[:count]))
    assert np.median(distances) < 1e-9
    assert np.max(distances) < 1e-3


def test_the_opencv_solver_serves_the_same_record(rng):
    points, _ = volume(rng, num=40)
    points = points.astype(np.float32).astype(np.float64)
    samples = random_samples(rng, 40, NUM_SAMPLES // 10)
    ours, theirs = (
        fundamental_model(solver).solve(points, samples)
        for solver in ("native", "opencv")
    )
    assert abs(len(ours) - len(theirs)) <= 0.01 * len(ours)
    assert_allclose(np.linalg.norm(theirs, axis=(1, 2)), 1.0)
    nearest = [reference.distance_up_to_sign(F, ours) for F in theirs]
    assert np.percentile(nearest, 99) < 1e-5


def test_an_unknown_solver_is_refused():
    with pytest.raises(ValueError, match="'magic'"):
        fundamental_model("magic")


def test_cubic_roots(rng):
    roots = np.empty(3)
    for _ in range(NUM_SAMPLES // 5):
        expected = np.sort(rng.uniform(-3, 3, 3))
        if np.diff(expected).min() < 1e-3:
            continue
        _, a, b, c = np.poly(expected)
        assert cubic_roots(a, b, c, roots) == 3
        assert_allclose(np.sort(roots), expected, atol=1e-11)
        real, imaginary = rng.uniform(-3, 3), rng.uniform(0.01, 3)
        _, a, b, c = np.poly(
            [expected[0], real + 1j * imaginary, real - 1j * imaginary]
        )
        assert cubic_roots(a.real, b.real, c.real, roots) == 1
        assert_allclose(roots[0], expected[0], atol=1e-9)
    assert cubic_roots(0.0, 0.0, 0.0, roots) == 1  # a triple root
    assert roots[0] == 0.0
    assert cubic_roots(-3.0, 3.0, -1.0, roots) in (1, 3)
    assert_allclose(roots[0], 1.0, atol=1e-5)


# ---- the residuals (their plain formula is tested with the essential matrix)


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


# ---- the refit


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
    starts = MODEL.solve(points, random_samples(rng, NUM_POINTS, 50))
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
    for start in fundamental_7pt_solutions(points, random_samples(rng, 30, 20))[0][
        :, 0
    ]:
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
