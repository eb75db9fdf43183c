"""Essential and fundamental matrices, and homographies, of two views."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.data import synthetic
from benchmarks.data.noisy_pair import NoisyPair, noisy_pair, num_inliers_of
from benchmarks.data.pair import Array, Pair
from benchmarks.data.views import (
    cloud_matches,
    plane_matches,
    random_plane,
    random_views,
)
from benchmarks.problems.problem import Problem


def with_cameras(pair: Pair | NoisyPair) -> tuple[Array, ...]:
    """Return points and cameras."""
    return pair.x1, pair.x2, pair.K1, pair.K2


def draw_noisy(rng: np.random.Generator, *, planar: bool) -> NoisyPair:
    """Matches of a random scene, or of a plane, and outliers anywhere."""
    views = random_views(rng)
    num_inliers = num_inliers_of(rng)
    if planar:
        plane, patch = random_plane(rng, views), rng.uniform(0.5, 1.0)
        matches = plane_matches(rng, views, plane, num_inliers, patch)
    else:
        matches = cloud_matches(rng, views, num_inliers)
    cameras = {"K1": views.camera1.K, "K2": views.camera2.K}
    return noisy_pair(rng, matches, views.random_matches, 2, **cameras)


def _problem(name: str, **fields: object) -> Problem:
    return Problem(
        name=name,
        limit=10.0,
        dims=(2, 2),
        regimes=tuple(synthetic.regimes_of(name)),
        splits=synthetic.SPLITS,
        generate=partial(synthetic.generate, name),
        draw_noisy=partial(draw_noisy, planar=name == "H"),
        **fields,
    )


PACE = "cv2 USAC_MAGSAC"
SLOWEST = {"pycolmap": 1.0}  # never slower than

PROBLEMS = (
    _problem(
        "E",
        title="Essential matrix",
        model="essential",
        num_params=5,
        unit="degrees",
        arguments=with_cameras,
        paces={PACE: 0.6, **SLOWEST},
        summary=("typical", "lowinl", "sig10", "mixed"),
    ),
    _problem(
        "F",
        title="Fundamental matrix",
        model="fundamental",
        num_params=7,
        unit="degrees",
        paces={PACE: 1.2, **SLOWEST},
        summary=("typical", "lowinl", "planar", "mixed"),
    ),
    _problem(
        "H",
        title="Homography",
        model="homography",
        num_params=8,
        unit="pixels",
        paces={PACE: 2.0, **SLOWEST},
        summary=("typical", "lowinl", "sig3", "mixed"),
    ),
)
