"""Which kind of geometry: right on pairs of known kind, and fair by construction."""

import dataclasses

import numba
import numpy as np
import pytest
from synthetic import (
    project,
    rotation,
    two_view_scene,
)

from cvscore import select_model

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
