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

import zlib
from collections.abc import Sequence

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.noisy_pair import NoisyPair
from benchmarks.data.pair import Array
from benchmarks.data.views import log_uniform, random_camera
from benchmarks.methods.cvscore import estimate
from benchmarks.problems import PROBLEMS

FIRST = ("H", "F", "E")  # by whose order random matches were seeded first
NUM_MATCHES = (20, 5000)  # log-uniform
UNITS = (1e-4, 1e4)  # the points are multiplied by one, log-uniform
CLUSTERS = (2, 30)
CLUSTER_SIZE = (1.0, 100.0)  # pixels, log-uniform


def uniform(rng: np.random.Generator, size: Array, num: int) -> Array:
    """Points (num, D) anywhere in an image, or a box."""
    return rng.uniform(0.0, size, (num, len(size)))


def clustered(rng: np.random.Generator, size: Array, num: int) -> Array:
    """Points (num, D) in a few spots."""
    centres = uniform(rng, size, rng.integers(*CLUSTERS))
    spread = log_uniform(rng, *CLUSTER_SIZE)
    chosen = centres[rng.integers(0, len(centres), num)]
    return chosen + spread * rng.normal(size=chosen.shape)


def on_grid(rng: np.random.Generator, size: Array, num: int) -> Array:
    """Points (num, D) at the corners of a facade's windows, a pixel off."""
    step = size / rng.integers(5, 40)
    corners = np.round(uniform(rng, size, num) / step) * step
    return corners + rng.normal(size=corners.shape)


def on_lines(rng: np.random.Generator, size: Array, num: int) -> Array:
    """Points (num, D) on a few horizontal lines, a pixel off."""
    points = uniform(rng, size, num)
    points[:, 1] = rng.choice(uniform(rng, size, rng.integers(*CLUSTERS))[:, 1], num)
    return points + rng.normal(size=points.shape)


def permuted(
    rng: np.random.Generator, size1: Array, size2: Array, num: int
) -> tuple[Array, Array]:
    """Two images of the same clusters (if they can be), matched at random."""
    x1 = clustered(rng, size1, num)
    x2 = x1 if len(size1) == len(size2) else clustered(rng, size2, num)
    return x1, rng.permutation(x2) + rng.normal(size=x2.shape)


def hubs(
    rng: np.random.Generator, size1: Array, size2: Array, num: int
) -> tuple[Array, Array]:
    """Matches that lead from anywhere to a few favourite features."""
    size2 = size1 if len(size1) == len(size2) else size2
    favourites = uniform(rng, size2, max(num // 5, 5))
    return uniform(rng, size1, num), favourites[rng.integers(0, len(favourites), num)]


PLACES = (uniform, clustered, on_grid, on_lines)
PAIRINGS = (permuted, hubs)
NOISE = (*PLACES, *PAIRINGS)


def random_matches(
    rng: np.random.Generator, dims: tuple[int, int]
) -> tuple[NoisyPair, str]:
    """Matches (N, dims) without a model, with cameras of their images, and the kind."""
    camera1, camera2 = random_camera(rng), random_camera(rng)
    # A box is as deep as it is wide.
    size1, size2 = (
        np.array([*camera.size, camera.size[0]][:dim])
        for camera, dim in zip((camera1, camera2), dims, strict=True)
    )
    num = round(log_uniform(rng, *NUM_MATCHES))
    kind = NOISE[rng.integers(0, len(NOISE))]
    if kind in PLACES:
        x1, x2 = kind(rng, size1, num), kind(rng, size2, num)
    else:
        x1, x2 = kind(rng, size1, size2, num)
    unit = log_uniform(rng, *UNITS)
    scale = np.diag([unit, unit, 1.0])
    cameras = scale @ camera1.K, scale @ camera2.K
    return NoisyPair(unit * x1, unit * x2, 0, np.nan, *cameras), kind.__name__


def seed_of(problem: str) -> int:
    """Return the number that problems are told apart by in seeds."""
    return FIRST.index(problem) if problem in FIRST else zlib.crc32(problem.encode())


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each model, and the trials on the wrong side of the bound."""
    parser = parser_of("evidence", __doc__)
    parser.add_argument("--num", type=int, default=1000, help="trials a model")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--inliers", action="store_true", help="with true inliers")
    parser.add_argument("--models", nargs="+", default=[*PROBLEMS], choices=PROBLEMS)
    args = parser.parse_args(arguments)
    for model in args.models:
        evidences, wrong = [], []
        for trial in range(args.first, args.first + args.num):
            rng = np.random.default_rng([trial, seed_of(model), args.inliers])
            if args.inliers:
                pair = what = PROBLEMS[model].draw_noisy(rng)
            else:
                pair, what = random_matches(rng, PROBLEMS[model].dims)
            found = estimate(model, pair)
            evidences.append(found.evidence)
            if found.is_significant != args.inliers:
                wrong.append(f"{trial}: {len(pair.x1)} {what} {found.evidence:.1f}")
        worst = min(evidences) if args.inliers else max(evidences)
        share = 100.0 * (1.0 - len(wrong) / args.num)
        print(f"{model}: {share:.2f} % of {args.num} right, worst {worst:.1f}", wrong)
