"""Pools of models: their rotation errors, and what they depend on."""

import cv2
import numpy as np
import pytest
from paper_pairs import pair_for, pair_of
from synthetic import cross_matrix, rotation, rotation_angle, two_view_scene

from benchmarks.paper.datasets.pairs import PaperPair
from benchmarks.paper.pool import draw_models, prepare
from benchmarks.paper.rotations import essential_errors, homography_errors
from benchmarks.paper.truth import right_matches


def true_homography(rng):
    R, t = rotation(rng.normal(0, 0.3, 3)), rng.normal(0, 0.3, 3)
    normal = np.append(rng.normal(0, 0.3, 2), 1.0)
    return R, R + np.outer(t, normal)


def test_rotation_of_a_homography_is_found_and_measured(rng):
    for _ in range(50):
        R, H = true_homography(rng)
        turn = rotation(rng.normal(0, 0.1, 3))
        found = homography_errors(rng.uniform(0.1, 9) * H[None], turn @ R)
        # Of the two rotations of H one is R; the other may be nearer by chance.
        assert found[0] <= rotation_angle(turn) + 1e-6
        assert homography_errors(-H[None], R)[0] < 1e-6


def test_rotations_of_homographies_agree_with_opencv(rng):
    for _ in range(100):
        H, truth = rng.normal(size=(3, 3)), rotation(rng.normal(size=3))
        if np.linalg.det(H) < 0:
            H = -H
        _, theirs, _, _ = cv2.decomposeHomographyMat(H, np.eye(3))
        expected = min(rotation_angle(R @ truth.T) for R in theirs)
        assert abs(homography_errors(H[None], truth)[0] - expected) < 1e-4


def test_a_homography_without_parallax_is_its_rotation(rng):
    R = rotation(rng.normal(0, 0.3, 3))
    assert homography_errors(3.0 * R[None], R)[0] < 1e-6


def test_rotations_of_essential_matrices_agree_with_opencv(rng):
    for _ in range(100):
        E = cross_matrix(rng.normal(size=3)) @ rotation(rng.normal(size=3))
        truth = rotation(rng.normal(size=3))
        one, two, _ = cv2.decomposeEssentialMat(E)
        expected = min(rotation_angle(one @ truth.T), rotation_angle(two @ truth.T))
        assert abs(essential_errors(E[None], truth)[0] - expected) < 1e-4
        assert essential_errors(-E[None], truth)[0] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("problem", ["E", "F", "H"])
def test_pools_without_noise_hold_the_truth(rng, problem):
    pair = pair_for(problem, rng, num=60, noise=0.0)
    prepared = prepare(pair, problem)
    models = draw_models(pair, prepared, 300, seed=0)
    errors = prepared.errors(models, pair.R)
    assert errors.min() < 1e-4
    # The model with the least residuals is the right one, seen in pixels.
    if problem != "H":
        best = np.argmin(np.median(prepared.sq_residuals(models), axis=1))
        assert errors[best] < 0.1


@pytest.mark.parametrize("problem", ["E", "F", "H"])
def test_pools_depend_on_seed_and_pair_alone(rng, problem):
    pair = pair_for(problem, rng)
    prepared = prepare(pair, problem)
    one = draw_models(pair, prepared, 50, seed=3)
    assert np.array_equal(one, draw_models(pair, prepared, 50, seed=3))
    assert not np.array_equal(one[0], draw_models(pair, prepared, 50, seed=4)[0])


@pytest.mark.parametrize("problem", ["E", "F", "H"])
def test_the_solvers_of_opencv_give_the_same_best_models(rng, problem):
    pair = pair_for(problem, rng, num=40, noise=0.0, inlier_ratio=1.0)
    errors = []
    for solver in ("native", "opencv"):
        prepared = prepare(pair, problem, solver)
        models = draw_models(pair, prepared, 30, seed=1)
        errors.append(prepared.errors(models, pair.R).min())
    assert max(errors) < 0.05


def test_copies_are_collapsed(rng):
    scene = two_view_scene(rng, num=50)
    pair = pair_of(scene)
    twice = PaperPair(
        **{**vars(pair), "x1": np.repeat(pair.x1, 2, 0), "x2": np.repeat(pair.x2, 2, 0),
           "is_inlier": np.repeat(scene.is_inlier, 2)}
    )  # fmt: skip
    prepared = prepare(twice, "F")
    assert prepared.points.shape[1] == 50
    assert right_matches(twice, prepared).sum() == scene.is_inlier.sum()
