"""Which kind of geometry: right on pairs of known kind, and fair by construction."""

import dataclasses
import itertools

import numba
import numpy as np
import pytest
from synthetic import (
    homogeneous,
    planar_scene,
    project,
    rotation,
    sampson_homography,
    two_view_scene,
)

from cvscore import select_model
from cvscore.calibration.plane_fit import whitened_transfer
from cvscore.inference.inlier_mixture import fit_membership
from cvscore.models.rotation_homography import fit_rotation
from cvscore.two_view.plane_line_mixture import log_likelihood

JIT = not numba.config.DISABLE_JIT
NUM_PAIRS = 8 if JIT else 1


def pair_of(kind, rng, noise):
    """Pixels x1, x2 (120, 2), half of them right, and the cameras."""
    s = two_view_scene(rng, 120, noise=noise, planar=kind == "planar")
    if kind == "rotation":
        R = rotation(rng.normal(0, 0.1, 3))
        turned = s.K2 @ R @ np.linalg.inv(s.K1)
        x2 = project(turned, s.x1) + rng.normal(0, noise, s.x1.shape)
        s = dataclasses.replace(s, x2=np.where(s.is_inlier[:, None], x2, s.x2))
    return s.x1, s.x2, s.K1, s.K2


@pytest.mark.parametrize("kind", ["general", "planar", "rotation"])
@pytest.mark.parametrize("noise", [0.3, 3.0])
def test_kinds_are_told_apart(kind, noise, rng):
    for _ in range(NUM_PAIRS):
        x1, x2, K1, K2 = pair_of(kind, rng, noise)
        calibrated = select_model(x1, x2, K1, K2)
        assert calibrated.kind == kind
        assert set(calibrated.evidence) == {"general", "planar", "rotation"}
        assert max(calibrated.evidence.values()) == calibrated.evidence[kind]
        without = select_model(x1, x2)
        assert without.kind == (
            "general" if kind == "general" else "planar_or_rotation"
        )
        chosen = without.epipolar if kind == "general" else without.homography
        assert without.estimate is chosen


def test_the_unit_of_the_points_is_irrelevant(rng):
    x1, x2, K1, K2 = pair_of("planar", rng, 1.0)
    pixels = select_model(x1, x2, K1, K2)
    unit = np.diag([1e-3, 1e-3, 1.0])
    scaled = select_model(1e-3 * x1, 1e-3 * x2, unit @ K1, unit @ K2)
    assert scaled.kind == pixels.kind
    for kind, evidence in pixels.evidence.items():
        assert scaled.evidence[kind] == pytest.approx(evidence, rel=1e-3, abs=0.5)


def test_random_matches_have_no_kind(rng):
    for num in (20, 200):
        x1, x2 = rng.uniform(0, 1000, (2, num, 2))
        assert select_model(x1, x2).kind == "none"


def test_too_few_matches_have_no_kind(rng):
    x1, x2 = rng.uniform(0, 1000, (2, 4, 2))
    selection = select_model(x1, x2)
    assert selection.kind == "none"
    assert not selection.homography


def test_one_camera_is_both(rng):
    x1, x2, K, _ = pair_of("general", rng, 1.0)
    assert select_model(x1, x2, K).evidence == select_model(x1, x2, K, K).evidence
    with pytest.raises(ValueError, match="K2 was given without K1"):
        select_model(x1, x2, None, K)


# The mixture.


def test_plane_is_a_limit_of_the_general_model(rng):
    e = rng.normal(0, 1, (200, 2))
    e[100:] *= 100
    sq = (e**2).sum(axis=1)
    planar = fit_membership(sq, 2, 1e-4, 0.5, 1.0).log_likelihood
    starts = np.array([[0.5, 0.0, 1.0, 1.0]])
    general = log_likelihood(sq, e[:, 1] ** 2, 1e-4, 1e-2, starts)
    assert general >= planar - 0.02


def test_mixture_is_at_its_maximum(rng):
    """No mixture on a grid around the truth is likelier."""
    e = rng.normal(0, [6.0, 2.0], (600, 2))
    e[200:400, 0] = rng.uniform(-50, 50, 200)
    e[400:] = rng.uniform(-50, 50, (200, 2))
    sq_along, sq_across = e.T**2
    starts = np.array([[0.3, 0.3, 4.0, 4.0]])
    reached = log_likelihood(sq_along + sq_across, sq_across, 1e-4, 1e-2, starts)

    def ratio(on_plane, on_line, scale, spread):
        near = np.exp(-0.5 * sq_across / scale**2) / (np.sqrt(2 * np.pi) * scale)
        there = np.exp(-0.5 * sq_along / spread**2) / (np.sqrt(2 * np.pi) * spread)
        total = on_plane * near * there / 1e-4 + on_line * near / 1e-2
        return np.log(total + 1 - on_plane - on_line).sum()

    grid = itertools.product(
        np.linspace(0.25, 0.42, 9),
        np.linspace(0.25, 0.42, 9),
        np.linspace(1.7, 2.3, 9),
        np.linspace(5.0, 7.0, 9),
    )
    best = max(ratio(*mixture) for mixture in grid)
    assert best - 0.1 <= reached <= best + 0.5


# Rotations.


def test_rotation_is_recovered(rng):
    s = two_view_scene(rng, 60, inlier_ratio=1.0, focals=(900.0, 1200.0))
    R = rotation(rng.normal(0, 0.2, 3))
    H = s.K2 @ R @ np.linalg.inv(s.K1)
    points = np.ascontiguousarray(np.vstack([s.x1.T, project(H, s.x1).T]))
    found = fit_rotation(points, np.full(60, True), s.K1, s.K2)
    turn = np.linalg.inv(s.K2) @ found @ s.K1
    assert np.abs(turn - R).max() < 1e-7
    assert (homogeneous(s.x1) @ found[2] > 0).all()


def test_whitened_residuals_are_sampson_residuals(rng):
    s = planar_scene(rng, 30)
    residuals = whitened_transfer(s.H, np.vstack([s.x1.T, s.x2.T])).reshape(2, -1)
    expected = sampson_homography(s.H, s.x1, s.x2)
    assert np.hypot(*residuals) == pytest.approx(expected, rel=1e-9)
