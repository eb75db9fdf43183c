"""What a hypothesis costs with ever more matches, in time and in memory.

    python -m benchmarks.scaling

A fixed number of samples, so that only the number of matches differs.  Every case runs
in a process of its own: peak memory is a property of a process.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time

import numpy as np

import cvscore
from benchmarks.data import PROBLEMS
from benchmarks.machine import describe_run
from cvscore.types import Array

SIZES = (1_000, 10_000, 100_000)
NUM_SAMPLES = 300
MAX_MEGABYTES = 200
INLIER_RATIO = 0.5
NOISE = 0.5  # pixels
K = np.array([[1000.0, 0.0, 640.0], [0.0, 1000.0, 480.0], [0.0, 0.0, 1.0]])


def matches(problem: str, num: int) -> tuple[Array, Array]:
    """Return ``num`` matches of a plane (H) or a volume, half of them wrong."""
    rng = np.random.default_rng(num)
    x1 = rng.uniform([0, 0], [1280, 960], (num, 2))
    depth = np.full(num, 5.0) if problem == "H" else rng.uniform(4, 8, num)
    rays = np.column_stack([x1, np.ones(num)]) @ np.linalg.inv(K).T
    moved = (rays * depth[:, None] + [0.8, 0.1, 0.2]) @ K.T
    x2 = moved[:, :2] / moved[:, 2:] + rng.normal(0, NOISE, (num, 2))
    wrong = round((1 - INLIER_RATIO) * num)
    x2[:wrong] = rng.uniform([0, 0], [1280, 960], (wrong, 2))
    return x1, x2


def estimate(problem: str, x1: Array, x2: Array) -> cvscore.Estimate:
    """Draw exactly `NUM_SAMPLES` samples."""
    options = cvscore.RansacOptions(
        max_iterations=NUM_SAMPLES, min_iterations=NUM_SAMPLES
    )
    if problem == "E":
        return cvscore.estimate_essential(x1, x2, K, options=options)
    if problem == "F":
        return cvscore.estimate_fundamental(x1, x2, options=options)
    return cvscore.estimate_homography(x1, x2, options=options)


def measure(problem: str, num: int) -> tuple[float, float]:
    """Return milliseconds of processor time and megabytes beyond the input."""
    x1, x2 = matches(problem, num)
    estimate(problem, *matches(problem, 200))  # compiles, or loads what was compiled
    before = _peak()
    start = time.process_time()
    estimate(problem, x1, x2)
    return 1e3 * (time.process_time() - start), _peak() - before


def _peak() -> float:
    """Return the most memory that this process ever had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print a table, and what exceeds linear growth or the limit of memory."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(describe_run(["numba", "numpy"], seed=0))
    print(
        f"{NUM_SAMPLES} samples; ms a call, ns a sample and match, MB beyond the input"
    )
    # Spawned: a fork would inherit the memory, and the peak, of this process.
    context = multiprocessing.get_context("spawn")
    for problem in PROBLEMS:
        cells = []
        for num in SIZES:
            with context.Pool(1) as pool:
                milliseconds, megabytes = pool.apply(measure, (problem, num))
            each = 1e6 * milliseconds / (NUM_SAMPLES * num)
            note = "" if megabytes < MAX_MEGABYTES else " TOO MUCH"
            cells.append(
                f"{num}: {milliseconds:.1f}, {each:.2f}, {megabytes:.0f}{note}"
            )
        print(f"{problem}: " + "; ".join(cells), flush=True)


if __name__ == "__main__":
    main()
