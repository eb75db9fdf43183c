"""What is asked of an estimate is answered or refused by name: no NaN, no warning."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic import two_view_scene

import cvscore

K = np.array([[800.0, 0.0, 500.0], [0.0, 800.0, 400.0], [0.0, 0.0, 1.0]])

pytestmark = pytest.mark.filterwarnings("error")


def estimates(noise=0.5):
    """One of each kind of model."""
    rng = np.random.default_rng(5)
    x1 = rng.uniform(0, 1000, (60, 2))
    mapped = x1 @ [[0.9, 0.1], [-0.1, 0.9]] + 20 + noise * rng.normal(size=(60, 2))
    rays = np.column_stack([(x1 - [500, 400]) / 800, np.ones(60)])
    X = rays * rng.uniform(3, 8, (60, 1))
    seen = (X + np.array([0.5, 0.1, 0.1])) @ K.T
    x2 = seen[:, :2] / seen[:, 2:] + noise * rng.normal(size=(60, 2))
    return {
        "homography": cvscore.estimate_homography(x1, mapped),
        "fundamental": cvscore.estimate_fundamental(x1, x2),
        "essential": cvscore.estimate_essential(x1, x2, K),
        "absolute_pose": cvscore.estimate_absolute_pose(x2, X, K),
        "affine": cvscore.estimate_affine(x1, mapped),
        "similarity": cvscore.estimate_similarity(x1, mapped),
        "rigid": cvscore.estimate_rigid(X, X + noise / 800 * rng.normal(size=X.shape)),
        "translation": cvscore.estimate_translation(x1, x1 + noise),
    }


ESTIMATES = estimates()
MAPS = [ESTIMATES[name] for name in ("homography", "affine", "similarity")]


def own_model(found):
    return found.model if found.pose is None else np.column_stack(found.pose)


@pytest.mark.parametrize("found", MAPS)
@pytest.mark.parametrize(
    ("points", "words"),
    [
        (np.zeros((3, 3)), "shape"),
        (np.zeros(2), "shape"),
        (None, "real numbers"),
        ([[1.0, np.nan]], "NaN"),
        ([["a", "b"]], "real numbers"),
        (np.full((1, 2), 1e300), "within"),
        (np.ones((2, 2), dtype=complex), "real numbers"),
    ],
)
def test_points_that_are_none_are_refused(found, points, words):
    with pytest.raises(ValueError, match=words):
        found.transfer(points)
    with pytest.raises(ValueError, match=words):
        ESTIMATES["fundamental"].epipolar_lines(points)


@pytest.mark.parametrize("found", MAPS)
def test_points_far_away_have_places_and_covariances(found):
    rng = np.random.default_rng(0)
    for size in (0.0, 1.0, 1e6, 1e30, 1e70):
        places, covariances = found.transfer(size * rng.normal(size=(20, 2)))
        assert not np.isnan(places).any()
        assert not np.isnan(covariances).any()
        assert (np.diagonal(covariances, axis1=1, axis2=2) >= 0.0).all()


def test_a_point_that_goes_to_infinity_is_there_without_a_warning():
    rng = np.random.default_rng(1)
    x1 = rng.uniform(0, 1000, (60, 2))
    x2 = x1 / (1.0 + x1[:, :1] / 1000)
    found = cvscore.estimate_homography(x1, x2)
    a, _, c = found.model[2]
    places, covariances = found.transfer([[-c / a, 0.0]])
    assert np.abs(places).max() > 1e10
    assert not np.isnan(covariances).any()


def test_a_point_exactly_at_infinity_has_infinite_coordinates():
    """Across the direction to it there is a zero over zero."""
    x1 = np.mgrid[1:9, -4:4].reshape(2, -1).T * 1.0
    x2 = np.column_stack([1.0 / x1[:, 0], x1[:, 1] / x1[:, 0]])
    found = cvscore.estimate_homography(x1, x2)
    posterior = replace(
        found.posterior,
        model=np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
    )
    there = posterior.frame.shift[:2]  # the origin inside
    places, covariances = replace(found, posterior=posterior).transfer([there])
    assert (places == np.inf).all()
    assert (covariances == np.inf).all()


@pytest.mark.parametrize("name", sorted(ESTIMATES))
@pytest.mark.parametrize("noise", [0.5, 0.0])
def test_a_model_contains_itself_and_not_what_is_far_from_it(name, noise):
    found = ESTIMATES[name] if noise else estimates(0.0)[name]
    here = own_model(found)
    assert found.contains(here)
    assert np.isfinite(found.covariance).all()
    far = here.copy()
    far[:, -1] = -far[:, -1] + 100.0
    assert not found.contains(far)


@pytest.mark.parametrize("name", sorted(ESTIMATES))
@pytest.mark.parametrize(
    "spoil",
    [
        lambda here: here[:2, :2],
        lambda here: here * np.nan,
        lambda here: "model",
        lambda here: None,
        lambda here: here.astype(complex),
    ],
)
def test_what_is_no_model_is_refused(name, spoil):
    found = ESTIMATES[name]
    with pytest.raises(ValueError, match="model must"):
        found.contains(spoil(own_model(found)))


@pytest.mark.parametrize("name", ["essential", "absolute_pose", "similarity", "rigid"])
def test_a_mirror_image_is_no_rotation(name):
    found = ESTIMATES[name]
    here = own_model(found).copy()
    here[0] *= -1.0
    with pytest.raises(ValueError, match="rotation"):
        found.contains(here)


def test_maps_of_another_kind_are_not_contained():
    for name in ("rigid", "translation"):
        found = ESTIMATES[name]
        here = found.model.copy()
        here[:, :-1] *= 1.1
        assert not found.contains(here)
    no_direction = own_model(ESTIMATES["essential"]).copy()
    no_direction[:, 3] = 0.0
    assert not ESTIMATES["essential"].contains(no_direction)


@pytest.mark.parametrize("mass", [0.0, 1.0, -1.0, np.nan, "0.9", None, True])
def test_masses_are_shares(mass):
    found = ESTIMATES["affine"]
    with pytest.raises((TypeError, ValueError), match="mass must"):
        found.contains(found.model, mass)
    with pytest.raises((TypeError, ValueError), match="mass must"):
        found.scale_interval(mass)


@pytest.mark.parametrize("image", [0, 3, "1", None, 1.5])
def test_images_are_one_or_two(image):
    with pytest.raises((TypeError, ValueError), match="image must"):
        ESTIMATES["fundamental"].epipolar_lines([[1.0, 2.0]], image)


def test_covariances_are_never_negative():
    """Directions that inliers hardly fix have huge ones, whose rounding shows."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        x1 = np.column_stack([rng.uniform(0, 1000, 40), 1e-6 * rng.normal(size=40)])
        found = cvscore.estimate_affine(x1, x1 + 1e-3 * rng.normal(size=(40, 2)))
        if not found:
            continue
        _, covariances = found.transfer(rng.uniform(0, 1000, (20, 2)))
        for covariance in covariances:
            assert (np.diag(covariance) >= 0.0).all()
            np.testing.assert_array_equal(covariance, covariance.T)


def test_the_solver_of_opencv_gives_no_model_that_is_no_number():
    """Its float32 has NaN for samples of points that are next to each other."""
    rng = np.random.default_rng(2)
    x1 = np.round(rng.uniform(0, 3, (40, 2))) * 1e-20 + rng.uniform(0, 1, (40, 1))
    found = cvscore.estimate_homography(
        x1, x1[:, ::-1], solver="opencv", options=cvscore.RansacOptions(seed=1)
    )
    assert found.model is None or np.isfinite(found.model).all()


def test_f_has_rank_two_where_terms_cancel():
    rng = np.random.default_rng(4)
    for _ in range(30):
        x1 = np.minimum(rng.uniform(0, 1000, (50, 2)), 255.0)
        x2 = rng.uniform(-100, 900, (50, 2))
        found = cvscore.estimate_fundamental(x1, x2)
        if found:
            values = np.linalg.svd(found.model, compute_uv=False)
            assert values[2] <= 1e-12 * values[0]


def test_a_line_at_infinity_is_no_line(rng):
    """Nor half of one: what rounding makes of an epipole may have an offset alone."""
    scene = two_view_scene(rng)
    posterior = cvscore.estimate_fundamental(scene.x1, scene.x2).posterior
    at_infinity = np.array([[0.0, 0, 0], [0, 0, 0], [0, 1, 5]])
    lines, covariances = replace(posterior, model=at_infinity).epipolar_lines(
        scene.x1, 1
    )
    assert np.isnan(lines).all()
    assert np.isposinf(covariances).all()


def test_programs_in_which_every_rounding_raises_are_answered(rng):
    """Of wrong matches nothing is left, of small numbers less than a number holds."""
    x1 = rng.uniform(0, 1000, (60, 2))
    x2 = x1 + 1e-3 * rng.normal(size=x1.shape)
    x2[40:] = rng.uniform(0, 1000, (20, 2))
    with np.errstate(all="raise"):
        found = cvscore.estimate_rigid(x1, x2)
        assert found.probabilities[:40].min() > 0.5
        assert found.probabilities[40:].max() < 1e-3
        near = found.model + 1e-300
        assert found.contains(near)
        assert cvscore.fit_mle([1e-300, 1.0, 1e300]).alpha > 0.0
