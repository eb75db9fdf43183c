"""The homography of four matches: exact, oriented, and none where they degenerate."""

import cv2
import numba
import numpy as np
import pytest
import reference
from canonical_scenes import TO_UNIT, canonical, plane, random_samples
from numpy.testing import assert_allclose, assert_array_equal
from synthetic import planar_scene

from cvscore.models.homography import homography_model, homography_residuals
from cvscore.models.solvers.four_point import homography_4pt, orientations_4pt

NUM_SAMPLES = 200 if numba.config.DISABLE_JIT else 4000
SQUARE = np.array([[0.0, 1.0, 1.1, -0.1], [0.0, 0.1, 0.9, 1.0]])
ALL_FOUR = np.arange(4)[None]


def test_four_points_are_mapped_exactly(rng):
    points, H = plane(rng, num=60, noise=0.0)
    samples = random_samples(rng, 60, (NUM_SAMPLES, 4))
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
    for sample in random_samples(rng, 50, (NUM_SAMPLES // 4, 4)):
        four = np.ascontiguousarray(points[:, sample])
        w = reference.third_coordinates(reference.homography_of_four(four), four)
        is_one_sided = (w > 0).all() or (w < 0).all()
        models = homography_4pt(four, ALL_FOUR)
        assert len(models) == is_one_sided
        assert orientations_4pt(four, ALL_FOUR).any() == is_one_sided
        num_accepted += is_one_sided
        for model in models:
            assert (reference.third_coordinates(model, four) > 0).all()
    assert 0.05 * NUM_SAMPLES / 4 < num_accepted < 0.5 * NUM_SAMPLES / 4


def test_every_opencv_solution_is_found(rng):
    # OpenCV multiplies coordinates in float32, which is exact for whole pixels.
    scene = planar_scene(rng, num=60, inlier_ratio=1.0, noise=3.0)
    x1, x2 = np.round(scene.x1), np.round(scene.x2)
    points = canonical(x1, x2)
    samples = random_samples(rng, 60, (NUM_SAMPLES, 4))
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
    samples = random_samples(rng, 80, (NUM_SAMPLES // 4, 4))
    ours = homography_model().solve(points, samples)
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
    samples = random_samples(rng, 40, (NUM_SAMPLES // 4, 4))
    expected = orientations_4pt(points, samples)
    for scale, shift in [(1e-6, 0.0), (1e6, 0.0), (1.0, 1e3), (1e3, -1e5)]:
        assert_array_equal(orientations_4pt(scale * points + shift, samples), expected)


def test_a_collapse_is_rejected():
    # Onto a speck, and through a horizon that touches the sample.
    speck = np.vstack([SQUARE, 1e-6 * SQUARE])
    assert orientations_4pt(speck, ALL_FOUR)[0] == 1.0
    assert len(homography_4pt(speck, ALL_FOUR)) == 0
