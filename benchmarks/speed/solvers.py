"""Minimal solvers, ours against OpenCV's: microseconds a sample, and their ratio.

    python -m benchmarks solvers

Both are called from Python as their users do: ours with a batch, OpenCV's with one
sample (it has no other way).  Calls alternate, so that both meet the same load; times
are medians of warm calls on one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.machine import describe_run
from cvscore.models.essential import essential_model
from cvscore.models.fundamental import fundamental_model
from cvscore.models.homography import homography_model
from cvscore.types import Array

# As many samples as the loop solves at once.
BATCH_SIZE = 128
NUM_ROUNDS = 200
SEED = 5


@dataclass(frozen=True)
class Contest:
    """One problem: our batched solver and OpenCV's of one sample, on the same data."""

    name: str
    ours: Callable[[], object]
    opencv: Callable[[int], object]
    max_ratio: float  # the target: our time over OpenCV's


def matches(rng: np.random.Generator) -> Array:
    """(4, N) noisy matches of a volume, in coordinates of order one."""
    num = 5 * BATCH_SIZE
    X = rng.uniform([-2, -2, 4], [2, 2, 8], (num, 3))
    angle = 0.2
    R = np.array(
        [
            [np.cos(angle), 0, np.sin(angle)],
            [0, 1, 0],
            [-np.sin(angle), 0, np.cos(angle)],
        ]
    )
    Y = X @ R.T + [1.0, 0.2, -0.1]
    exact = np.vstack([(X[:, :2] / X[:, 2:]).T, (Y[:, :2] / Y[:, 2:]).T])
    return exact + rng.normal(0, 1e-3, exact.shape)


def samples_of(rng: np.random.Generator, points: Array, size: int) -> np.ndarray:
    """(BATCH_SIZE, size) indices, distinct in each row."""
    order = rng.permuted(np.tile(np.arange(points.shape[1]), (BATCH_SIZE, 1)), axis=1)
    return np.ascontiguousarray(order[:, :size])


def one_by_one(points: Array, samples: np.ndarray) -> tuple[list, list]:
    """Points (size, 2) of each sample, in image 1 and in image 2, for OpenCV."""
    x1 = [np.ascontiguousarray(points[:2, sample].T) for sample in samples]
    x2 = [np.ascontiguousarray(points[2:, sample].T) for sample in samples]
    return x1, x2


def five_point(rng: np.random.Generator) -> Contest:
    """Essential matrix; ours includes normalisation and the cheirality test."""
    points = matches(rng)
    samples = samples_of(rng, points, 5)
    model = essential_model(np.eye(3), np.eye(3))
    x1, x2 = one_by_one(points, samples)
    return Contest(
        "essential, 5 points",
        lambda: model.solve(points, samples),
        lambda i: cv2.findEssentialMat(x1[i], x2[i], np.eye(3)),
        max_ratio=1 / 10,
    )


def seven_point(rng: np.random.Generator) -> Contest:
    """Fundamental matrix; ours includes the oriented epipolar constraint."""
    points = matches(rng)
    samples = samples_of(rng, points, 7)
    model = fundamental_model()
    x1, x2 = one_by_one(points, samples)
    return Contest(
        "fundamental, 7 points",
        lambda: model.solve(points, samples),
        lambda i: cv2.findFundamentalMat(x1[i], x2[i], cv2.FM_7POINT),
        max_ratio=1 / 3,
    )


def four_point(rng: np.random.Generator) -> Contest:
    """Homography, by OpenCV's fastest call; ours includes the test of orientation."""
    points = matches(rng)
    samples = samples_of(rng, points, 4)
    model = homography_model()
    # In the order that OpenCV takes without a copy.
    x1 = [points[:2, sample].T.astype(np.float32, order="C") for sample in samples]
    x2 = [points[2:, sample].T.astype(np.float32, order="C") for sample in samples]
    return Contest(
        "homography, 4 points",
        lambda: model.solve(points, samples),
        lambda i: cv2.getPerspectiveTransform(x1[i], x2[i]),
        max_ratio=1 / 3,
    )


CONTESTS = (five_point, seven_point, four_point)


def run(contest: Contest) -> tuple[float, float]:
    """Median seconds a sample: ours, OpenCV's."""
    contest.ours()
    contest.opencv(0)
    ours, theirs = [], []
    for i in range(NUM_ROUNDS):
        start = time.perf_counter()
        contest.ours()
        middle = time.perf_counter()
        contest.opencv(i % BATCH_SIZE)
        end = time.perf_counter()
        ours.append((middle - start) / BATCH_SIZE)
        theirs.append(end - middle)
    return float(np.median(ours)), float(np.median(theirs))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one line a problem."""
    parser_of("solvers", __doc__).parse_args(arguments)
    cv2.setNumThreads(1)
    machine = describe_run(["numpy", "numba", "opencv-python"])
    print(f"{machine['cpu']}, commit {machine['commit']}, {machine['versions']}")
    print(f"{'solver':22s}{'ours':>9s}{'OpenCV':>10s}{'ratio':>8s}{'target':>8s}")
    for build in CONTESTS:
        contest = build(np.random.default_rng(SEED))
        ours, theirs = run(contest)
        print(
            f"{contest.name:22s}{1e6 * ours:6.2f} us{1e6 * theirs:7.1f} us"
            f"{ours / theirs:8.3f}{contest.max_ratio:8.3f}"
        )
