"""What a pair costs, and hence the whole paper: `python -m benchmarks paper cost`."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np

from benchmarks.data import synthetic
from benchmarks.methods.scores import BASELINES, SCORES
from benchmarks.paper.datasets.pairs import PairKey, PaperPair
from benchmarks.paper.envelope import Envelopes, SortedSweep
from benchmarks.paper.evaluation import evaluate
from benchmarks.paper.grid import Grid
from benchmarks.paper.pool import draw_models, prepare
from benchmarks.paper.record import Settings
from benchmarks.paper.tables import SMOOTH, TableSweep
from cvscore.scores.marginal_score import MarginalScore
from cvscore.scores.priors import jeffreys

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
    grids = {name: Grid.around(SCORES[name].start) for name in BASELINES}
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


def grid_ratios(num_samples: int = 300, repeats: int = 7) -> tuple[float, float]:
    """Time of 200 grid points over that of one evaluation by the definition.

    First for RANSAC, MSAC and the marginal score together, over one sorted evaluation
    of the last; then for GaU and MAGSAC++ together, over one evaluation of each.
    """
    dataset = TypicalPairs("E", 1)
    pair = dataset.load(dataset.keys()[0])
    problem = prepare(pair, "E")
    models = draw_models(pair, problem, num_samples, seed=0)
    sq_residuals = problem.sq_residuals(models)
    counts = problem.geometry.residual_dim, problem.geometry.num_params
    grid = Grid.around(1.0).values

    def sorted_grids() -> None:
        sweep = SortedSweep.of(sq_residuals.shape[1], np.stack([grid, grid]) ** 2)
        sweep.absorb(sq_residuals, 0)
        ends, nothing = np.array([0, len(sweep.rss)]), np.zeros(len(sweep.rss))
        envelopes = Envelopes(ends, sweep.rss, nothing, np.full(1, 1e-9), *counts)
        envelopes.sweep(jeffreys(), grid, 0.0)

    def table_grids() -> None:
        sweep = TableSweep(len(models), dict.fromkeys(SMOOTH, grid), *counts)
        sweep.absorb(sq_residuals, 0)
        sweep.winners(lambda rows: sq_residuals[rows], sq_residuals.shape[1])

    def sorted_once() -> None:
        MarginalScore(half_width=10.0).best_prefix_by_sorting(sq_residuals, *counts)

    def table_once() -> None:
        for score in SMOOTH.values():
            score(1.0).evaluate(sq_residuals, *counts)

    def seconds(function: Callable[[], None]) -> float:
        times = []
        for _ in range(repeats + 1):
            start = time.thread_time()
            function()
            times.append(time.thread_time() - start)
        return min(times[1:])

    return (
        seconds(sorted_grids) / seconds(sorted_once),
        seconds(table_grids) / seconds(table_once),
    )


def print_cost(num: int = 8) -> None:
    """Measure and extrapolate."""
    ratios = "{:.2f} (RANSAC, MSAC, marginal) and {:.1f} (GaU, MAGSAC++)"
    print(f"a grid over one evaluation: {ratios.format(*grid_ratios())}")
    print(f"1,000 samples, about {NUM_MATCHES} matches, 7 methods x 200 grid points")
    for solver in ("native", "opencv"):
        hours = 0.0
        for problem, count in JOB.items():
            seconds = seconds_per_pair(problem, solver, num)
            hours += count * seconds / 3600
            rate = f"{60 / seconds:.0f} pairs a minute and core"
            print(f"{solver} {problem}: {seconds:.3f} s a pair, {rate}")
        print(f"{solver}: {sum(JOB.values())} pairs in {hours:.1f} core hours")
