"""Is the evidence honest?  Random matches stay below the bound, real ones above it.

    python -m benchmarks evidence --num 10000            # random matches, each model
    python -m benchmarks evidence --num 1000 --inliers   # 30 or more true inliers

Random matches are of six kinds (`NOISE`), 20 to 5000 of them, in images of any size,
aspect and unit.  For the other direction there are 30 to 300 true inliers, 30 to 90 %
of all matches, with noise of 0.3 to 3 pixels in images of 640 to 4000 pixels.  Written
for every model: how often the estimate was significant, and the largest (or smallest)
evidence.  Trials are independent and seeded one by one, so runs may be split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.pair import Array
from benchmarks.data.views import (
    cloud_matches,
    log_uniform,
    plane_matches,
    random_camera,
    random_plane,
    random_views,
)
from benchmarks.methods.cvscore import estimate

MODELS = ("H", "F", "E")
NUM_MATCHES = (20, 5000)  # log-uniform
UNITS = (1e-4, 1e4)  # the points are multiplied by one, log-uniform
CLUSTERS = (2, 30)
CLUSTER_SIZE = (1.0, 100.0)  # pixels, log-uniform
INLIERS = (30, 300)  # log-uniform
INLIER_RATIO = (0.3, 0.9)
PIXEL_NOISE = (0.3, 3.0)  # log-uniform


def uniform(rng: np.random.Generator, size: Array, num: int) -> Array:
    """Points (num, 2) anywhere in an image."""
    return rng.uniform(0.0, size, (num, 2))


def clustered(rng: np.random.Generator, size: Array, num: int) -> Array:
    """Points (num, 2) in a few spots."""
    centres = uniform(rng, size, rng.integers(*CLUSTERS))
    spread = log_uniform(rng, *CLUSTER_SIZE)
    chosen = centres[rng.integers(0, len(centres), num)]
    return chosen + spread * rng.normal(size=(num, 2))


def on_grid(rng: np.random.Generator, size: Array, num: int) -> Array:
    """Points (num, 2) at the corners of a facade's windows, a pixel off."""
    step = size / rng.integers(5, 40)
    return np.round(uniform(rng, size, num) / step) * step + rng.normal(size=(num, 2))


def on_lines(rng: np.random.Generator, size: Array, num: int) -> Array:
    """Points (num, 2) on a few horizontal lines, a pixel off."""
    points = uniform(rng, size, num)
    points[:, 1] = rng.choice(uniform(rng, size, rng.integers(*CLUSTERS))[:, 1], num)
    return points + rng.normal(size=(num, 2))


def permuted(rng: np.random.Generator, size: Array, num: int) -> tuple[Array, Array]:
    """Two images of the same clusters, matched at random."""
    x1 = clustered(rng, size, num)
    return x1, rng.permutation(x1) + rng.normal(size=x1.shape)


def hubs(rng: np.random.Generator, size: Array, num: int) -> tuple[Array, Array]:
    """Matches that lead from anywhere to a few favourite features."""
    favourites = uniform(rng, size, max(num // 5, 5))
    return uniform(rng, size, num), favourites[rng.integers(0, len(favourites), num)]


PLACES = (uniform, clustered, on_grid, on_lines)
PAIRINGS = (permuted, hubs)
NOISE = (*PLACES, *PAIRINGS)


def random_matches(rng: np.random.Generator) -> tuple[Array, Array, Array, Array, str]:
    """Matches without a model: x1, x2 (N, 2), cameras of their images, and the kind."""
    camera1, camera2 = random_camera(rng), random_camera(rng)
    size1, size2 = (np.array(camera.size) for camera in (camera1, camera2))
    num = round(log_uniform(rng, *NUM_MATCHES))
    kind = NOISE[rng.integers(0, len(NOISE))]
    if kind in PLACES:
        x1, x2 = kind(rng, size1, num), kind(rng, size2, num)
    else:
        x1, x2 = kind(rng, size1, num)
    unit = log_uniform(rng, *UNITS)
    scale = np.diag([unit, unit, 1.0])
    return unit * x1, unit * x2, scale @ camera1.K, scale @ camera2.K, kind.__name__


@dataclass(frozen=True)
class NoisyPair:
    """Matches (N, 2) of which ``num_inliers`` are right, with noise in pixels."""

    x1: Array
    x2: Array
    K1: Array
    K2: Array
    num_inliers: int
    noise: float

    def __str__(self) -> str:
        return f"{self.num_inliers} inliers, {self.noise:.1f} px"


def draw_noisy(rng: np.random.Generator, model: str) -> NoisyPair:
    """Matches of a random scene, a plane for "H", and outliers anywhere."""
    views = random_views(rng)
    num_inliers = round(log_uniform(rng, *INLIERS))
    if model == "H":
        plane, patch = random_plane(rng, views), rng.uniform(0.5, 1.0)
        matches = plane_matches(rng, views, plane, num_inliers, patch)
    else:
        matches = cloud_matches(rng, views, num_inliers)
    noise, ratio = log_uniform(rng, *PIXEL_NOISE), rng.uniform(*INLIER_RATIO)
    matches = matches + noise * rng.normal(size=matches.shape)
    num_outliers = int(num_inliers * (1.0 / ratio - 1.0))
    outliers = views.random_matches(rng, num_outliers)
    rows = rng.permutation(np.vstack([matches, outliers]))
    x1, x2 = rows[:, :2].copy(), rows[:, 2:].copy()
    K1, K2 = views.camera1.K, views.camera2.K
    return NoisyPair(x1, x2, K1, K2, num_inliers, noise)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each model, and the trials on the wrong side of the bound."""
    parser = parser_of("evidence", __doc__)
    parser.add_argument("--num", type=int, default=1000, help="trials a model")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--inliers", action="store_true", help="with true inliers")
    parser.add_argument("--models", nargs="+", default=MODELS, choices=MODELS)
    args = parser.parse_args(arguments)
    for model in args.models:
        evidences, wrong = [], []
        for trial in range(args.first, args.first + args.num):
            rng = np.random.default_rng([trial, MODELS.index(model), args.inliers])
            if args.inliers:
                what = draw_noisy(rng, model)
                data = what.x1, what.x2, what.K1, what.K2
            else:
                *data, what = random_matches(rng)
            found = estimate(model, *data)
            evidences.append(found.evidence)
            if found.is_significant != args.inliers:
                wrong.append(f"{trial}: {len(data[0])} {what} {found.evidence:.1f}")
        worst = min(evidences) if args.inliers else max(evidences)
        share = 100.0 * (1.0 - len(wrong) / args.num)
        print(f"{model}: {share:.2f} % of {args.num} right, worst {worst:.1f}", wrong)
