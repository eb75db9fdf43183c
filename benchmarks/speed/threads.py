"""How much faster two threads are than one: cvscore's drop-in, and OpenCV beside it.

    python -m benchmarks threads

OpenCV gives up the interpreter lock for its whole call, so it is the control that says
what the machine has to give at the moment.  Rounds alternate, and the best of each
counts: whatever else runs on the machine only ever makes a round slower.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cv2
import numpy as np

import cvscore
from benchmarks.command_line import parser_of
from benchmarks.machine import describe_run
from benchmarks.speed.matches import K, half_wrong

NUM_PAIRS = 16
NUM_MATCHES = 1000
NUM_ROUNDS = 9
SEED = 3
TARGET = 1.8
FUNCTIONS = ("findHomography", "findFundamentalMat", "findEssentialMat")


def seconds(run: Callable[[Any], object], jobs: Sequence[Any], threads: int) -> float:
    """Return the time that ``threads`` threads take for all jobs."""
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, jobs[:threads]))  # starts the threads
        start = time.perf_counter()
        list(pool.map(run, jobs))
        return time.perf_counter() - start


Job = tuple[str, tuple[Any, ...]]  # the name of a function, and its arguments


def jobs_of(function: str) -> list[Job]:
    """Return calls of one function, each of another pair."""
    rng = np.random.default_rng(SEED)
    planar = function == "findHomography"
    cameras = (K,) if function == "findEssentialMat" else ()
    return [
        (function, (*half_wrong(rng, NUM_MATCHES, planar=planar), *cameras, cv2.RANSAC))
        for _ in range(NUM_PAIRS)
    ]


def speed_up(jobs: Sequence[Job]) -> dict[str, float]:
    """Return one thread's time over two threads', for each library."""

    def runner(library: Any) -> Callable[[Job], object]:
        return lambda job: getattr(library, job[0])(*job[1])

    runs = {"cv2": runner(cv2), "cvscore": runner(cvscore)}
    best: dict[tuple[str, int], float] = {}
    for _ in range(NUM_ROUNDS):
        for name, run in runs.items():
            for threads in (1, 2):
                key = name, threads
                best[key] = min(best.get(key, np.inf), seconds(run, jobs, threads))
    return {name: best[name, 1] / best[name, 2] for name in runs}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the ratio for each function, and for all of them mixed."""
    parser_of("threads", __doc__).parse_args(arguments)
    cv2.setNumThreads(1)
    print(describe_run(["numba", "numpy", "opencv-python"], seed=SEED))
    print(f"{'':20}  cvscore  cv2     (target {TARGET})")
    of_each = {function: jobs_of(function) for function in FUNCTIONS}
    mixed = [job for jobs in zip(*of_each.values(), strict=True) for job in jobs]
    for name, jobs in {**of_each, "mixed": mixed}.items():
        ratios = speed_up(jobs)
        print(f"{name:20}  {ratios['cvscore']:7.2f}  {ratios['cv2']:.2f}")
