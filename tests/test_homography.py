"""The homography: minimal solver, Sampson residuals, refit."""

import cv2
import numba
import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import least_squares
from synthetic import planar_scene

from cvscore.models._direct_linear import homography_dlt
from cvscore.models._four_point import homography_4pt, orientations_4pt
from cvscore.models._homography_refit import homography_normal_matrix
from cvscore.models.homography import homography_model, homography_residuals

MODEL = homography_model()
# Pixels to coordinates of order one; a power of two, so that nothing is rounded.
SCALE = 512.0
CENTRE = np.array([640.0, 480.0])
TO_UNIT = np.array([[1, 0, -CENTRE[0]], [0, 1, -CENTRE[1]], [0, 0, SCALE]]) / SCALE
NUM_SAMPLES = 200 if numba.config.DISABLE_JIT else 4000
NUM_POINTS = 40 if numba.config.DISABLE_JIT else 200


@pytest.fixture(autouse=True)
def _division_by_zero_is_silent():
    # As it is in the compiled kernels; without the JIT NumPy would warn.
    with np.errstate(all="ignore"):
        yield


def packed(x1, x2):
    return np.ascontiguousarray(np.hstack([x1 - CENTRE, x2 - CENTRE]).T / SCALE)


def plane(rng, num=NUM_POINTS, noise=0.5):
    """Packed inliers (4, N) and the true homography, oriented and of unit norm."""
    scene = planar_scene(rng, num=num, inlier_ratio=1.0, noise=noise)
    H = TO_UNIT @ scene.H @ np.linalg.inv(TO_UNIT)
    return packed(scene.x1, scene.x2), H / np.copysign(np.linalg.norm(H), H[2, 2])


def random_samples(rng, num_points, num_samples=NUM_SAMPLES):
    order = np.argsort(rng.random((num_samples, num_points)), axis=1)
    return np.ascontiguousarray(order[:, :4])


def third_coordinates(H, points):
    return H[2, :2] @ points[:2] + H[2, 2]


def cost_of(H, points, weights):
    return weights @ homography_residuals(H[None], points)[0]


SQUARE = np.array([[0.0, 1.0, 1.1, -0.1], [0.0, 0.1, 0.9, 1.0]])
ALL_FOUR = np.arange(4)[None]


# ---- the minimal solver


def test_four_points_are_mapped_exactly(rng):
    points, H = plane(rng, num=60, noise=0.0)
    samples = random_samples(rng, 60)
    models = homography_4pt(points, samples)
    assert len(models) > 0.99 * len(samples)  # no true sample breaks orientation
    assert_allclose(np.linalg.norm(models, axis=(1, 2)), 1.0, rtol=1e-12)
    # Flat samples amplify rounding: most meet the truth, all meet their own points.
    assert np.median(np.abs(models - H).max(axis=(1, 2))) < 1e-13
    samples = samples[orientations_4pt(points, samples) != 0]
    for model, sample in zip(models, samples, strict=True):
        assert homography_residuals(model[None], points[:, sample]).max() < 1e-18


def test_accepts_exactly_the_samples_on_one_side_of_the_horizon(rng):
    points = rng.uniform(-1, 1, (4, 50))
    num_accepted = 0
    for sample in random_samples(rng, 50, NUM_SAMPLES // 4):
        four = np.ascontiguousarray(points[:, sample])
        w = third_coordinates(reference.homography_of_four(four), four)
        is_one_sided = (w > 0).all() or (w < 0).all()
        models = homography_4pt(four, ALL_FOUR)
        assert len(models) == is_one_sided
        assert orientations_4pt(four, ALL_FOUR).any() == is_one_sided
        num_accepted += is_one_sided
        for model in models:
            assert (third_coordinates(model, four) > 0).all()
    assert 0.05 * NUM_SAMPLES / 4 < num_accepted < 0.5 * NUM_SAMPLES / 4


def test_every_opencv_solution_is_found(rng):
    # OpenCV multiplies coordinates in float32, which is exact for whole pixels.
    scene = planar_scene(rng, num=60, inlier_ratio=1.0, noise=3.0)
    x1, x2 = np.round(scene.x1), np.round(scene.x2)
    points = packed(x1, x2)
    samples = random_samples(rng, 60)
    samples = samples[orientations_4pt(points, samples) != 0]
    models = homography_4pt(points, samples)
    assert len(models) == len(samples) > 0.9 * NUM_SAMPLES
    x1, x2 = x1.astype(np.float32), x2.astype(np.float32)
    for model, sample in zip(models, samples, strict=True):
        theirs = TO_UNIT @ cv2.getPerspectiveTransform(x1[sample], x2[sample])
        theirs = theirs @ np.linalg.inv(TO_UNIT)
        theirs /= np.linalg.norm(theirs)
        assert reference.distance_up_to_sign(model, theirs) < 1e-9


def test_the_opencv_solver_serves_the_same_record(rng):
    points, _ = plane(rng, num=40)
    points = np.hstack([points, rng.uniform(-1, 1, (4, 40))])
    samples = random_samples(rng, 80, NUM_SAMPLES // 4)
    ours = MODEL.solve(points, samples)
    theirs = homography_model("opencv").solve(points, samples)
    assert len(ours) == len(theirs)
    assert_allclose(np.linalg.norm(theirs, axis=(1, 2)), 1.0)
    distance = np.abs(ours - theirs).max(axis=(1, 2))
    assert np.median(distance) < 1e-5  # float32
    assert (
        np.sign(np.linalg.det(ours)) == np.sign(np.linalg.det(theirs))
    ).mean() > 0.99


def test_an_unknown_solver_is_refused():
    with pytest.raises(ValueError, match="'magic'"):
        homography_model("magic")


@pytest.mark.parametrize("image", [0, 2])
@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("triple", [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)])
def test_three_collinear_points_are_rejected(image, size, triple):
    points = np.vstack([SQUARE, SQUARE * 1.3 + 0.2])
    assert len(homography_4pt(points, ALL_FOUR)) == 1
    i, j, k = triple
    points[image : image + 2, k] = 0.3 * points[image : image + 2, i] + (
        0.7 * points[image : image + 2, j]
    )
    assert len(homography_4pt(points * size, ALL_FOUR)) == 0
    assert len(homography_model("opencv").solve(points * size, ALL_FOUR)) == 0


@pytest.mark.parametrize("image", [0, 2])
def test_repeated_points_are_rejected(image):
    points = np.vstack([SQUARE, SQUARE * 1.3 + 0.2])
    for i in range(4):
        for j in range(i):
            repeated = points.copy()
            repeated[image : image + 2, i] = points[image : image + 2, j]
            assert len(homography_4pt(repeated, ALL_FOUR)) == 0
    assert len(homography_4pt(np.zeros((4, 4)), ALL_FOUR)) == 0


def test_a_sample_with_two_matches_swapped_is_rejected():
    points = np.vstack([SQUARE, SQUARE[:, [1, 0, 2, 3]]])
    assert len(homography_4pt(points, ALL_FOUR)) == 0


def test_a_mirror_image_is_a_homography():
    points = np.vstack([SQUARE, [[-1.0], [1.0]] * SQUARE])
    (model,) = homography_4pt(points, ALL_FOUR)
    assert_allclose(model, np.diag([-1, 1, 1]) / np.sqrt(3), atol=1e-15)


def test_the_sample_test_does_not_depend_on_scale_or_position(rng):
    points = rng.uniform(-1, 1, (4, 40))
    samples = random_samples(rng, 40, NUM_SAMPLES // 4)
    expected = orientations_4pt(points, samples)
    for scale, shift in [(1e-6, 0.0), (1e6, 0.0), (1.0, 1e3), (1e3, -1e5)]:
        assert_array_equal(orientations_4pt(scale * points + shift, samples), expected)


def test_a_collapse_is_rejected():
    # Onto a speck, and through a horizon that touches the sample.
    speck = np.vstack([SQUARE, 1e-6 * SQUARE])
    assert orientations_4pt(speck, ALL_FOUR)[0] == 1.0
    assert len(homography_4pt(speck, ALL_FOUR)) == 0


# ---- the residuals


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


# ---- the refit


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
    starts = MODEL.solve(points, random_samples(rng, NUM_POINTS, 20))
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
    for start in MODEL.solve(points, random_samples(rng, 40, 100)):
        visible = np.where(third_coordinates(start, points) > 0, weights, 0.0)
        refitted = MODEL.refit(start, points, visible)
        kept = np.ascontiguousarray(points[:, visible > 0])
        before = cost_of(start, kept, visible[visible > 0])
        assert cost_of(refitted, kept, visible[visible > 0]) <= before * (1 + 1e-12)
        assert (third_coordinates(refitted, kept) > 0).all()
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
