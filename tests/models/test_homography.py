"""The homography: Sampson residuals and refit."""

import numpy as np
import reference
from canonical_scenes import NUM_POINTS, plane, random_samples
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import least_squares

from cvscore.models.homography import homography_model, homography_residuals
from cvscore.models.refiners.direct_linear import homography_dlt
from cvscore.models.refiners.homography import homography_normal_matrix

MODEL = homography_model()


def cost_of(H, points, weights):
    return weights @ homography_residuals(H[None], points)[0]


# The residuals.


def test_residuals_equal_the_plain_formula(rng):
    points, _ = plane(rng, num=30)
    points = np.hstack([points, rng.uniform(-2, 2, (4, 30))])
    models = rng.normal(size=(20, 3, 3))
    expected = [reference.homography_sq_residuals(H, points) for H in models]
    assert_allclose(homography_residuals(models, points), expected, rtol=1e-9)
    assert np.isinf(expected).any()


def test_residuals_do_not_depend_on_the_scale_of_the_model(rng):
    points, H = plane(rng)
    once = homography_residuals(H[None], points)
    assert_allclose(homography_residuals(1e3 * H[None], points), once, rtol=1e-9)
    assert np.isinf(homography_residuals(-H[None], points)).all()


def test_residuals_follow_shifts_and_a_common_scale(rng):
    points, H = plane(rng)
    shift, scale = np.array([0.3, -0.2, 1.1, 0.7]), 2.5
    T1, T2 = np.diag([scale, scale, 1.0]), np.diag([scale, scale, 1.0])
    T1[:2, 2], T2[:2, 2] = scale * shift[:2], scale * shift[2:]
    moved = scale * (points + shift[:, None])
    assert_allclose(
        homography_residuals((T2 @ H @ np.linalg.inv(T1))[None], moved),
        scale**2 * homography_residuals(H[None], points),
        rtol=1e-8,
    )


def test_residuals_treat_both_images_alike(rng):
    points, H = plane(rng)
    swapped = np.ascontiguousarray(points[[2, 3, 0, 1]])
    inverse = np.linalg.inv(H)
    forward = homography_residuals(H[None], points)[0]
    backward = homography_residuals(inverse[None], swapped)[0]
    # The linearisation is about either end of the match: equal to second order.
    assert_allclose(np.sqrt(backward), np.sqrt(forward), rtol=0.01)


def test_residuals_are_never_nan(rng):
    horizon = np.array([[1.0, 0, 0], [0, 1, 0], [1, 0, 1]])  # w = x + 1
    awkward = np.array([-1.0, -1 - 1e-16, -1 + 1e-16, -2.0, 0.0, 1e-300, 1e160, 1e300])
    grid = np.stack(np.meshgrid(*[awkward] * 2, *[awkward[::3]] * 2), 0).reshape(4, -1)
    models = np.concatenate(
        [
            [horizon, np.eye(3), np.zeros((3, 3)), np.diag([1.0, 0, 0])],
            [np.diag([0, 0, 1.0]), 1e-200 * np.eye(3), 1e200 * np.eye(3)],
            rng.normal(size=(5, 3, 3)),
        ]
    )
    sq_residuals = homography_residuals(models, np.ascontiguousarray(grid))
    assert not np.isnan(sq_residuals).any()
    assert (sq_residuals >= 0).all()
    assert np.isinf(sq_residuals[0, grid[0] <= -1]).all()


def test_residuals_approach_the_geometric_distance(rng):
    """To the nearest exact match; the relative difference falls with the noise."""

    def geometric(H, match):
        def offsets(x1):
            p = H @ [*x1, 1.0]
            return np.concatenate([x1 - match[:2], p[:2] / p[2] - match[2:]])

        fit = least_squares(offsets, match[:2], xtol=1e-15, ftol=1e-15, gtol=1e-15)
        return 2.0 * fit.cost

    exact, H = plane(rng, num=30, noise=0.0)
    direction = rng.normal(size=exact.shape)
    worst = []
    for noise in (1e-2, 1e-3):
        points = exact + noise * direction
        truth = [geometric(H, match) for match in points.T]
        sampson = homography_residuals(H[None], points)[0]
        worst.append(np.abs(sampson / truth - 1).max())
    assert worst[0] < 0.1
    assert worst[1] < 0.2 * worst[0]


# The refit.


def test_gradient_and_gauge_of_the_cost(rng):
    points, H = plane(rng, num=25, noise=5.0)
    weights = rng.uniform(0.1, 2, 25)
    H = H + 0.01 * rng.normal(size=(3, 3))
    normal = homography_normal_matrix(H, points, weights)
    assert_allclose(normal[9, 9], cost_of(H, points, weights), rtol=1e-12)
    step = 1e-6
    for k in range(9):
        nudge = np.zeros(9)
        nudge[k] = step
        slope = (
            weights @ reference.homography_sq_residuals(H + nudge.reshape(3, 3), points)
            - weights
            @ reference.homography_sq_residuals(H - nudge.reshape(3, 3), points)
        ) / (2 * step)
        assert_allclose(2 * normal[k, 9], slope, rtol=1e-6, atol=1e-8)
    h = H.ravel()
    largest = np.abs(normal[:9, :9]).max()
    assert_allclose(normal, normal.T)
    assert_allclose(normal[:9, :9] @ h, 0, atol=1e-12 * largest)
    assert_allclose(normal[:9, 9] @ h, 0, atol=1e-12 * largest)


def test_gauss_newton_matrix_is_the_hessian_at_small_residuals(rng):
    points, H = plane(rng, num=25, noise=1e-4)
    weights = np.ones(25)
    normal = homography_normal_matrix(H, points, weights)
    step = 1e-5
    for k in range(9):
        nudge = np.zeros(9)
        nudge[k] = step
        up = homography_normal_matrix(H + nudge.reshape(3, 3), points, weights)
        down = homography_normal_matrix(H - nudge.reshape(3, 3), points, weights)
        column = (up[:9, 9] - down[:9, 9]) / (2 * step)
        assert_allclose(normal[:9, k], column, atol=1e-5 * np.abs(normal).max())


def test_refit_reaches_the_minimum_that_scipy_finds(rng):
    points, H = plane(rng, num=30, noise=3.0)
    weights = rng.uniform(0.1, 2, 30)
    root = np.repeat(np.sqrt(weights), 2)

    def whitened(h):
        return root * reference.homography_whitened_residuals(h.reshape(3, 3), points)

    fit = least_squares(whitened, H.ravel(), xtol=1e-15, ftol=1e-15, gtol=1e-15)
    theirs = fit.x.reshape(3, 3) / np.linalg.norm(fit.x)
    ours = MODEL.refit(H, points, weights)
    assert_allclose(ours, theirs, atol=1e-7)
    assert cost_of(ours, points, weights) <= 2 * fit.cost * (1 + 1e-12)
    normal = homography_normal_matrix(ours, points, weights)
    assert np.abs(normal[:9, 9]).max() < 1e-6 * np.sqrt(normal[9, 9])


def test_refit_from_minimal_samples_finds_one_minimum(rng):
    points, H = plane(rng, num=NUM_POINTS, noise=1.0)
    weights = np.ones(NUM_POINTS)
    best = MODEL.refit(H, points, weights)
    starts = MODEL.solve(points, random_samples(rng, NUM_POINTS, (20, 4)))
    # A sample within a tenth of the image may start beyond the horizon of the rest.
    starts = starts[np.isfinite(homography_residuals(starts, points)).all(axis=1)]
    assert len(starts) > 10
    for start in starts:
        assert_allclose(MODEL.refit(start, points, weights), best, atol=1e-8)


def test_refit_is_exact_without_noise(rng):
    points, H = plane(rng, noise=0.0)
    start = H + 1e-3 * rng.normal(size=(3, 3))
    refitted = MODEL.refit(start, points, np.ones(points.shape[1]))
    assert_allclose(refitted, H, atol=1e-13)


def test_refit_weights_count_points(rng):
    points, H = plane(rng, num=30, noise=2.0)
    counts = np.arange(30) % 4
    weighted = MODEL.refit(H, points, counts.astype(float))
    repeated = np.ascontiguousarray(np.repeat(points, counts, axis=1))
    assert_allclose(
        weighted, MODEL.refit(H, repeated, np.ones(repeated.shape[1])), atol=1e-9
    )
    points[:, counts == 0] = 1e6  # anything: it has no weight
    assert_array_equal(MODEL.refit(H, points, counts.astype(float)), weighted)


def test_refit_never_raises_the_cost(rng):
    points = rng.uniform(-1, 1, (4, 40))
    weights = rng.uniform(0, 1, 40)
    for start in MODEL.solve(points, random_samples(rng, 40, (100, 4))):
        visible = np.where(reference.third_coordinates(start, points) > 0, weights, 0.0)
        refitted = MODEL.refit(start, points, visible)
        kept = np.ascontiguousarray(points[:, visible > 0])
        before = cost_of(start, kept, visible[visible > 0])
        assert cost_of(refitted, kept, visible[visible > 0]) <= before * (1 + 1e-12)
        assert (reference.third_coordinates(refitted, kept) > 0).all()
        assert_allclose(np.linalg.norm(refitted), 1.0)


def test_refit_returns_the_model_when_points_are_too_few(rng):
    points, H = plane(rng, num=10)
    weights = np.array([1.0] * 3 + [0.0] * 7)
    assert_array_equal(MODEL.refit(H, points, weights), H)
    assert_array_equal(MODEL.refit(H, points, np.zeros(10)), H)


def test_refit_starts_anew_where_the_model_hides_a_point(rng):
    points, H = plane(rng, num=30)
    hiding = np.array([[1.0, 0, 0], [0, 1, 0], [5, 0, 1]])
    assert np.isinf(homography_residuals(hiding[None], points)).any()
    weights = np.ones(30)
    assert_allclose(
        MODEL.refit(hiding, points, weights), MODEL.refit(H, points, weights), atol=1e-9
    )


def test_linear_fit_is_exact_without_noise(rng):
    points, H = plane(rng, num=20, noise=0.0)
    assert_allclose(homography_dlt(points, np.ones(20)), H, atol=1e-11)
    assert_allclose(homography_dlt(points[:, :4], np.ones(4)), H, atol=1e-9)
    points[:, 10:] = rng.normal(size=(4, 10))
    weights = np.repeat([2.0, 0.0], 10)
    assert_allclose(homography_dlt(points, weights), H, atol=1e-11)
