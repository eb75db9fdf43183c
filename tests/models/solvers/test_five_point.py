"""The essential matrices of five matches: as many as OpenCV finds, and exact."""

import cv2
import numba
import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose
from synthetic import two_view_scene

from cvscore.models.essential import essential_5pt_opencv, sample_rays
from cvscore.models.solvers.five_point import essential_5pt, essential_5pt_in_front

JIT = not numba.config.DISABLE_JIT
NUM_SAMPLES = 6000 if JIT else 30


def rays_of(samples):
    """Unit rays (B, 5, 6) of normalised matches (B, 4, 5)."""
    points = np.ascontiguousarray(samples.transpose(1, 0, 2).reshape(4, -1))
    indices = np.arange(points.shape[1]).reshape(-1, 5)
    return sample_rays(points, indices, np.stack([np.eye(3), np.eye(3)]))


def scene_samples(rng, num, noise):
    """Normalised matches (num, 4, 5), ten samples a scene, with their matrices."""
    samples, truth = [], []
    while len(samples) < num:
        scene = two_view_scene(rng, num=50, inlier_ratio=1.0, noise=noise)
        points = np.vstack([scene.x1.T, scene.x2.T])
        centre = np.tile(scene.K1[:2, 2], 2)[:, None]
        points = (points - centre) / scene.K1[0, 0]
        samples.extend(points.reshape(4, 10, 5).transpose(1, 0, 2))
        truth.extend([scene.E] * 10)
    return np.array(samples[:num]), np.array(truth[:num])


def random_samples(rng, num):
    return rng.uniform(-1, 1, (num, 4, 5))


def opencv_solutions(sample):
    stacked, _ = cv2.findEssentialMat(
        np.ascontiguousarray(sample[:2].T),
        np.ascontiguousarray(sample[2:].T),
        np.eye(3),
    )
    return [] if stacked is None else stacked.reshape(-1, 3, 3)


@pytest.mark.parametrize("kind", ["scenes", "random"])
def test_every_solution_of_opencv_is_found(kind, rng):
    num = NUM_SAMPLES // 2
    samples = (
        scene_samples(rng, num, noise=1.0)[0]
        if kind == "scenes"
        else random_samples(rng, num)
    )
    num_theirs = num_ours = num_rough = 0
    for sample, rays in zip(samples, rays_of(samples), strict=True):
        ours = essential_5pt(rays[None])
        theirs = opencv_solutions(sample)
        num_ours += len(ours)
        num_theirs += len(theirs)
        for E in theirs:
            E = E * np.sqrt(2) / np.linalg.norm(E)
            if reference.distance_up_to_sign(E, ours) < 1e-6:
                continue
            # OpenCV loses digits, to 1e-2 in the worst of thousands: what it was
            # after is the solution next to it.
            num_rough += 1
            refined = reference.nearest_essential(E, sample)
            violation = np.abs(reference.essential_violations(refined, sample)).max()
            assert violation < 1e-9
            assert reference.distance_up_to_sign(refined, ours) < 1e-6
    assert num_rough < 0.02 * num_theirs
    # All of OpenCV's, and (pairs of nearly equal roots apart) no others.
    assert abs(num_ours - num_theirs) <= 2e-3 * num_theirs


@pytest.mark.parametrize("noise", [0.0, 1.0, 30.0])
def test_solutions_are_essential_and_fit_exactly(noise, rng):
    samples, _ = scene_samples(rng, NUM_SAMPLES // 10, noise)
    for sample, rays in zip(samples, rays_of(samples), strict=True):
        for E in essential_5pt(rays[None]):
            assert np.abs(reference.essential_violations(E, sample)).max() < 1e-11
            assert_allclose(np.linalg.svd(E)[1], [1, 1, 0], atol=1e-13)


@pytest.mark.parametrize("solver", [essential_5pt, essential_5pt_in_front])
def test_truth_is_among_the_solutions_without_noise(solver, rng):
    samples, truth = scene_samples(rng, NUM_SAMPLES // 4, noise=0.0)
    for rays, E in zip(rays_of(samples), truth, strict=True):
        assert reference.distance_up_to_sign(E, solver(rays[None])) < 1e-6


def test_a_batch_gives_the_solutions_of_its_samples(rng):
    rays = rays_of(random_samples(rng, 20))
    one_by_one = np.concatenate([essential_5pt(sample[None]) for sample in rays])
    assert_allclose(essential_5pt(rays), one_by_one, rtol=0, atol=0)


def test_solutions_are_distinct(rng):
    for rays in rays_of(random_samples(rng, NUM_SAMPLES // 20)):
        ours = essential_5pt(rays[None])
        for k in range(1, len(ours)):
            assert reference.distance_up_to_sign(ours[k], ours[:k]) > 1e-7


def test_large_coordinates_lose_no_solution(rng):
    # Without intrinsics, pixels come as if they were normalised.
    samples = 2000 * random_samples(rng, NUM_SAMPLES // 40)
    num_theirs = sum(len(opencv_solutions(sample)) for sample in samples)
    assert len(essential_5pt(rays_of(samples))) >= num_theirs


def test_only_matrices_of_scenes_in_front_are_kept(rng):
    samples = random_samples(rng, NUM_SAMPLES // 100)
    for sample, rays in zip(samples, rays_of(samples), strict=True):
        kept = essential_5pt_in_front(rays[None])
        for E in essential_5pt(rays[None]):
            has_scene = any(
                all((reference.depths(R, t, match) > 0).all() for match in sample.T)
                for R, t in reference.poses_of_essential(E)
            )
            is_kept = len(kept) > 0 and reference.distance_up_to_sign(E, kept) < 1e-9
            assert is_kept == has_scene


def test_degenerate_samples_are_rejected(rng):
    (sample,) = random_samples(rng, 1)
    repeated = sample.copy()
    repeated[:, 4] = repeated[:, 1]
    all_equal = np.repeat(sample[:, :1], 5, axis=1)
    # No motion at all: every direction of translation is a solution.
    still = np.vstack([sample[:2], sample[:2]])
    for degenerate in (repeated, all_equal, still):
        assert essential_5pt(rays_of(degenerate[None])).shape == (0, 3, 3)
    both = rays_of(np.stack([repeated, sample]))
    assert_allclose(essential_5pt(both), essential_5pt(both[1:]), rtol=0, atol=0)


def test_no_samples_give_no_models():
    assert essential_5pt_in_front(np.empty((0, 5, 6))).shape == (0, 3, 3)


def test_opencv_solver_of_degenerate_samples_does_not_raise(rng):
    rays = rays_of(np.repeat(random_samples(rng, 1)[:, :, :1], 5, axis=2))
    assert np.isfinite(essential_5pt_opencv(rays)).all()
    assert essential_5pt_opencv(rays[:0]).shape == (0, 3, 3)
