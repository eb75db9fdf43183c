"""Absolute poses: a camera before known points (PnP)."""

from __future__ import annotations

import numpy as np

from benchmarks.data import resection, synthetic
from benchmarks.data.noisy_pair import NoisyPair, noisy_pair, num_inliers_of
from benchmarks.data.pair import Array, Pair
from benchmarks.problems.problem import Problem


def with_camera(pair: Pair | NoisyPair) -> tuple[Array, ...]:
    """Return points and the camera."""
    return pair.x1, pair.x2, pair.K1


def draw_noisy(rng: np.random.Generator) -> NoisyPair:
    """Matches of a random scene, and outliers anywhere."""
    scene = resection.draw_scene(rng, "val", 0.0)
    matches = scene.true_matches(rng, num_inliers_of(rng))
    return noisy_pair(rng, matches, scene.uniform, 2, K1=scene.camera.K, num_noisy=2)


PROBLEMS = (
    Problem(
        name=resection.PROBLEM,
        title="Absolute pose",
        model="absolute_pose",
        num_params=6,
        unit="degrees or per cent of the depth",
        limit=1.0,
        dims=(2, 3),
        regimes=tuple(name for name in synthetic.REGIMES if name != "video"),
        splits=resection.SPLITS,
        generate=resection.generate,
        draw_noisy=draw_noisy,
        arguments=with_camera,
        paces={"poselib": 0.5},
        wanted={
            "typical": 98.0,
            "lowinl": 96.0,
            "sig3": 94.0,
            "sig10": 72.0,
            "mixed": 89.0,
        },
    ),
)
