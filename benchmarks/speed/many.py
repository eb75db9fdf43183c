"""Throughput on many pairs: `cvscore.estimate_many` beside loops over other libraries.

    python -m benchmarks many [--num 10000] [--workers 2]

Pairs of 500 matches, half of them wrong.  The others are called from as many threads,
a pair at a time, with one thread of their own each.  Rounds alternate, and the best of
each counts: whatever else runs on the machine only ever makes a round slower.  On a
busy machine look at the processor time of a pair, which is that of all threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from itertools import cycle, islice
from typing import NamedTuple

import cv2
import numpy as np

import cvscore
from benchmarks.command_line import parser_of
from benchmarks.data.pair import Pair
from benchmarks.machine import describe_run
from benchmarks.methods import METHODS, Method, Settings
from benchmarks.problems import PROBLEMS, TWO_VIEW, Problem
from benchmarks.speed.matches import SIZE, K, half_wrong
from cvscore.parallel.ordered_map import worker_count

NUM_MATCHES = 500
NUM_DISTINCT = 100  # pairs, again and again: to make 10,000 takes longer than to solve
NUM_ROUNDS = 5
SEED = 5
PEERS = ("cv2 RANSAC", "cv2 USAC_MAGSAC", "poselib", "poselib fast")

Run = Callable[[Iterable[Pair], int], None]  # of pairs in so many threads


class Speed(NamedTuple):
    """Of the best round: pairs a second, and processor time of a pair (ms)."""

    pairs_per_second: float
    milliseconds: float


def pairs_of(problem: str) -> list[Pair]:
    """Return distinct pairs."""
    rng = np.random.default_rng(SEED)
    planar = problem == "H"
    return [
        Pair(
            str(i),
            problem,
            *half_wrong(rng, NUM_MATCHES, planar=planar),
            truth=None,
            K1=K,
            K2=K,
            size1=SIZE,
            size2=SIZE,
        )
        for i in range(NUM_DISTINCT)
    ]


def run_cvscore(problem: Problem, pairs: Iterable[Pair], num_workers: int) -> None:
    """Estimate all pairs in one call."""
    given = map(problem.arguments, pairs)
    for _ in cvscore.estimate_many(given, problem.model, num_workers=num_workers):
        pass


def run_peer(method: Method, pairs: Iterable[Pair], num_workers: int) -> None:
    """Estimate pair by pair in threads."""

    def run(pair: Pair) -> object:
        return method.run(pair, Settings(method.thresholds[pair.problem]))

    with ThreadPoolExecutor(num_workers) as pool:
        for _ in pool.map(run, pairs):
            pass


def runs_of(problem: str) -> Iterator[tuple[str, Run]]:
    """Return what is compared, by name."""
    yield "cvscore", partial(run_cvscore, PROBLEMS[problem])
    for name in PEERS:
        if find_spec(METHODS[name].module) is not None:
            yield name, partial(run_peer, METHODS[name])


def measure(run: Run, pairs: Iterable[Pair], num: int, num_workers: int) -> Speed:
    """Return the speed on ``num`` of the pairs, from the first again where they end."""
    wall, processor = time.perf_counter(), time.process_time()
    run(islice(cycle(pairs), num), num_workers)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    return Speed(num / wall, 1e3 * processor / num)


def best_speeds(problem: str, num: int, num_workers: int) -> dict[str, Speed]:
    """Return the speed of each on ``num`` pairs, over all rounds."""
    pairs, runs = pairs_of(problem), dict(runs_of(problem))
    for run in runs.values():
        run(pairs[:4], 1)  # compiles, or loads what was compiled
    rounds = [
        {
            name: measure(run, pairs, max(num // NUM_ROUNDS, 1), num_workers)
            for name, run in runs.items()
        }
        for _ in range(NUM_ROUNDS)
    ]
    return {name: max(speeds[name] for speeds in rounds) for name in runs}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print pairs a second of each, in one thread and in as many as there are cores."""
    parser = parser_of("many", __doc__)
    parser.add_argument("--num", type=int, default=10_000, help="pairs")
    parser.add_argument("--workers", type=int, help="threads; by default all cores")
    options = parser.parse_args(arguments)
    most = worker_count(options.workers)
    cv2.setNumThreads(1)
    print(describe_run(["numba", "numpy", "opencv-python", "poselib"], seed=SEED))
    print(
        f"{options.num} pairs of {NUM_MATCHES} matches: pairs/s (processor ms a pair)"
    )
    for problem in TWO_VIEW:
        for num_workers in sorted({1, most}):
            speeds = best_speeds(problem, options.num, num_workers)
            cells = (
                f"{name} {speed.pairs_per_second:.0f} ({speed.milliseconds:.2f})"
                for name, speed in speeds.items()
            )
            print(f"{problem}, threads {num_workers}: " + ", ".join(cells), flush=True)
