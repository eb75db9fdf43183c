"""What a hypothesis costs with ever more matches, in time and in memory.

    python -m benchmarks scaling

A fixed number of samples, so that only the number of matches differs.  Every case runs
in a process of its own: peak memory is a property of a process.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Sequence

import numpy as np

import cvscore
from benchmarks.command_line import parser_of
from benchmarks.data.noisy_pair import NoisyPair
from benchmarks.machine import describe_run
from benchmarks.methods.cvscore import estimate
from benchmarks.problems import TWO_VIEW
from benchmarks.speed.matches import K, half_wrong
from cvscore.types import Array

SIZES = (1_000, 10_000, 100_000)
NUM_SAMPLES = 300
MAX_MEGABYTES = 200


def measure(problem: str, num: int) -> tuple[float, float]:
    """Return milliseconds of processor time and megabytes beyond the input."""
    rng = np.random.default_rng(num)
    # Exactly so many samples.
    samples = {"max_iterations": NUM_SAMPLES, "min_iterations": NUM_SAMPLES}
    options = cvscore.RansacOptions(**samples)

    def run(x1: Array, x2: Array) -> None:
        estimate(problem, NoisyPair(x1, x2, num // 2, 0.5, K, K), options=options)

    x1, x2 = half_wrong(rng, num, planar=problem == "H")
    run(x1[:500], x2[:500])  # compiles, or loads what was compiled
    before = _peak()
    start = time.process_time()
    run(x1, x2)
    return 1e3 * (time.process_time() - start), _peak() - before


def _peak() -> float:
    """Return the most memory that this process ever had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table, and what exceeds linear growth or the limit of memory."""
    parser_of("scaling", __doc__).parse_args(arguments)
    print(describe_run(["numba", "numpy"], seed=0))
    print(
        f"{NUM_SAMPLES} samples; ms a call, ns a sample and match, MB beyond the input"
    )
    # Spawned: a fork would inherit the memory, and the peak, of this process.
    context = multiprocessing.get_context("spawn")
    for problem in TWO_VIEW:
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
