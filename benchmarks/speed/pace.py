"""Our time over OpenCV's, pair by pair in the same run.

    python -m benchmarks pace
    python -m benchmarks pace --split surfaces --num 60
    python -m benchmarks pace --regimes lowinl --max-iterations 10000

Calls of both take turns on every pair, and the fastest of some rounds counts: whatever
else runs on the machine only ever makes a call slower.  It is the processor's time of
one warm call in one thread, and the medians over pairs are compared.  The peer is cv2's
USAC_MAGSAC; for two frames of a video its RANSAC, which ends early there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import cv2
import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.pair import Pair
from benchmarks.data.splits import SPLITS, load_pair, pair_ids
from benchmarks.machine import describe_run
from benchmarks.methods import METHODS
from benchmarks.methods.method import Settings

OURS, PEER, VIDEO_PEER = "cvscore", "cv2 USAC_MAGSAC", "cv2 RANSAC"
# What we want to be at most, at 1,000 iterations.
TARGETS = {
    "H": {"small": 1.5, "typical": 1.0, "lowinl": 1.5, "large": 1.0, "video": 1.0},
    "F": {
        "small": 1.2,
        "typical": 0.8,
        "lowinl": 0.9,
        "large": 0.8,
        "planar": 1.2,
        "video": 1.2,
    },
    "E": {
        "small": 0.7,
        "typical": 0.3,
        "lowinl": 0.45,
        "large": 0.45,
        "planar": 0.35,
        "video": 1.0,
    },
}


def milliseconds(
    name: str, pair: Pair, problem: str, max_iterations: int = 1000
) -> float:
    """Return the time of one call of a method at its default threshold."""
    method = METHODS[name]
    threshold = method.thresholds[problem] * pair.unit
    settings = Settings(threshold, max_iterations=max_iterations)
    start = time.thread_time()
    method.run(pair, settings)
    return 1e3 * (time.thread_time() - start)


def medians(
    problem: str, pairs: Sequence[Pair], names: Sequence[str], rounds: int, limit: int
) -> list[float]:
    """Return the median time of each method over pairs, of the best rounds."""
    for name in names:
        milliseconds(name, pairs[0], problem)  # warm
    best = np.full((len(pairs), len(names)), np.inf)
    for i, pair in enumerate(pairs):
        for _ in range(rounds):
            for k, name in enumerate(names):
                spent = milliseconds(name, pair, problem, limit)
                best[i, k] = min(best[i, k], spent)
    return [float(median) for median in np.median(best, axis=0)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each regime."""
    parser = parser_of("pace", __doc__)
    parser.add_argument("--problem", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--regimes", nargs="+", help="default: those with a target")
    parser.add_argument("--split", choices=SPLITS, default="val")
    parser.add_argument("--num", type=int, default=60, help="pairs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--max-iterations", type=int, default=1000)
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    print(describe_run(["numba", "numpy", "opencv-python"], seed=0))
    for problem in given.problem:
        for regime in given.regimes or TARGETS[problem]:
            ids = pair_ids(problem, regime, given.split, given.num)
            pairs = [load_pair(problem, regime, given.split, i) for i in ids]
            names = OURS, VIDEO_PEER if regime == "video" else PEER
            ours, peer = medians(
                problem, pairs, names, given.rounds, given.max_iterations
            )
            target = TARGETS[problem].get(regime, "-")
            print(
                f"{problem} {regime:10s} {ours:7.3f} ms, {names[1]} {peer:7.3f} ms: "
                f"{ours / peer:5.2f} (wanted {target})",
                flush=True,
            )
