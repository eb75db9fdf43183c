"""What a pair costs, and hence the whole paper: `python -m benchmarks cost`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median

import numpy as np

from benchmarks import synthetic
from benchmarks.paper.methods import BASELINES, START, Grid
from benchmarks.paper.pairs import PairKey, PaperPair
from benchmarks.paper.record import Settings, evaluate

NUM_MATCHES = 1000
# Pairs of the whole job, by what is estimated: PhotoTourism, ETH3D, HEB.
JOB = {"E": 52_500, "F": 7_500, "H": 10_000}
REGIME = "typical"


@dataclass(frozen=True)
class TypicalPairs:
    """Synthetic pairs of about a thousand matches each."""

    problem: str
    num: int

    def keys(self) -> list[PairKey]:
        """List the first problems with the right number of matches."""
        found, index = [], 0
        while len(found) < self.num:
            pair = synthetic.generate(self.problem, REGIME, index, "val")
            if 0.8 * NUM_MATCHES <= len(pair.x1) <= 1.2 * NUM_MATCHES:
                found.append(PairKey(self.problem, str(index)))
            index += 1
        return found

    def load(self, key: PairKey) -> PaperPair:
        """Return one problem as a dataset would."""
        pair = synthetic.generate(self.problem, REGIME, int(key.name), "val")
        R, t = np.eye(3), np.array([1.0, 0.0, 0.0])  # a homography's error costs alike
        if self.problem != "H":
            R, t = pair.truth.R, pair.truth.t  # type: ignore[union-attr]
        return PaperPair(
            key, pair.x1, pair.x2, pair.K1, pair.K2, R, t, pair.quality, pair.is_inlier
        )


def seconds_per_pair(problem: str, solver: str, num: int) -> float:
    """Median processor time of one record, loading left out."""
    dataset = TypicalPairs(problem, num)
    grids = {name: Grid.around(START[name]) for name in BASELINES}
    settings = Settings(problem, solver=solver)
    times, keys = [], dataset.keys()
    for key in keys:
        loaded = _Loaded(dataset.load(key))
        start = time.process_time()
        evaluate(loaded, key, settings, grids, "cost")
        times.append(time.process_time() - start)
    return median(times[1:])  # the first one loads kernels


@dataclass(frozen=True)
class _Loaded:
    pair: PaperPair

    def keys(self) -> list[PairKey]:
        return [self.pair.key]

    def load(self, key: PairKey) -> PaperPair:
        return self.pair


def print_cost(num: int = 8) -> None:
    """Measure and extrapolate."""
    print(f"1,000 samples, about {NUM_MATCHES} matches, 7 methods x 200 grid points")
    for solver in ("native", "opencv"):
        hours = 0.0
        for problem, count in JOB.items():
            seconds = seconds_per_pair(problem, solver, num)
            hours += count * seconds / 3600
            rate = f"{60 / seconds:.0f} pairs a minute and core"
            print(f"{solver} {problem}: {seconds:.3f} s a pair, {rate}")
        print(f"{solver}: {sum(JOB.values())} pairs in {hours:.1f} core hours")
