"""The fundamental matrices of seven matches: all, oriented, and their cubic."""

import cv2
import numba
import numpy as np
import pytest
import reference
from canonical_scenes import NUM_POINTS, random_samples, volume
from numpy.testing import assert_allclose, assert_array_equal

from cvscore.models.fundamental import fundamental_model
from cvscore.models.solvers.seven_point import (
    fundamental_7pt,
    fundamental_7pt_solutions,
)
from cvscore.numerics.cubic import cubic_roots

NUM_SAMPLES = 100 if numba.config.DISABLE_JIT else 3000
ALL_SEVEN = np.arange(7)[None]


@pytest.mark.parametrize("kind", ["scene", "noise"])
def test_solutions_satisfy_their_constraints(rng, kind):
    points = volume(rng)[0] if kind == "scene" else rng.uniform(-1, 1, (4, NUM_POINTS))
    samples = random_samples(rng, NUM_POINTS, (NUM_SAMPLES, 7))
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
    samples = random_samples(rng, NUM_POINTS, (NUM_SAMPLES, 7))
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
    samples = random_samples(rng, 50, (NUM_SAMPLES // 10, 7))
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
        for sample in random_samples(rng, NUM_POINTS, (NUM_SAMPLES // 10, 7))
    ]
    assert np.median(distances) < 1e-11
    assert np.max(distances) < 1e-4  # a sample may be nearly degenerate


def test_kept_solutions_are_those_that_keep_orientation(rng):
    points = np.hstack([volume(rng, num=25)[0], rng.uniform(-1, 1, (4, 25))])
    samples = random_samples(rng, 50, (NUM_SAMPLES // 10, 7))
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
    samples = random_samples(rng, 30, (NUM_SAMPLES // 10, 7))
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
    samples = random_samples(rng, 40, (NUM_SAMPLES // 10, 7))
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
