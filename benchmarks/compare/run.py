"""Run methods over pairs and append what they did to benchmarks/out (or --out).

    python -m benchmarks compare --problem E --regimes typical mixed --num 200
    python -m benchmarks real                # the real pairs
    python -m benchmarks rematched           # the same photographs, other features

Every pair is loaded once and given to all methods in turn, in an order shuffled from
pair to pair, after each method has been warmed.  Stop it at any moment; the same
command goes on where it stopped.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

import cv2

from benchmarks.command_line import parser_of
from benchmarks.compare.rows import make_row, path_of, read_table
from benchmarks.data import synthetic
from benchmarks.data.splits import load_pair, pair_ids, regimes_of
from benchmarks.folders import OUT
from benchmarks.machine import describe_run
from benchmarks.methods import METHODS, Settings, available
from benchmarks.problems import PROBLEMS
from benchmarks.protocols import error_of
from benchmarks.store import Row, Writer

MULTIPLIERS = (0.1, 0.33, 1.0, 3.0, 10.0)
# Far beyond any problem that is measured, and easy enough for every method.
WARM_UP = ("easy", 10**6)


@dataclass(frozen=True)
class Budget:
    """What every method may spend."""

    max_iterations: int = 1000
    confidence: float = 0.999


@dataclass(frozen=True)
class Job:
    """One pair and the (method, multiplier) calls that it still lacks."""

    problem: str
    regime: str
    split: str
    pair_id: str
    calls: tuple[tuple[str, float], ...]
    budget: Budget


def multipliers_for(method: str, wanted: Sequence[float]) -> Sequence[float]:
    """Return the multipliers worth running: one if the method has no threshold."""
    return wanted if METHODS[method].has_threshold else (1.0,)


def pending(
    problem: str,
    regime: str,
    split: str,
    calls: Sequence[tuple[str, float]],
    ids: Iterable[str],
    done: Iterable[tuple[str, str, float]],
    budget: Budget,
) -> list[Job]:
    """List the pairs with calls that are not done yet."""
    done = set(done)
    jobs = []
    for pair_id in ids:
        lacking = tuple(call for call in calls if (pair_id, *call) not in done)
        if lacking:
            jobs.append(Job(problem, regime, split, pair_id, lacking, budget))
    return jobs


def perform(job: Job, run_id: str) -> list[Row]:
    """Make all calls of a job, interleaved, and return one row per method."""
    _warm(job.problem, tuple(sorted({name for name, _ in job.calls})))
    pair = load_pair(job.problem, job.regime, job.split, job.pair_id)
    seed = zlib.crc32(f"{job.split} {job.problem} {job.regime} {pair.id}".encode())
    order = list(job.calls)
    random.Random(seed).shuffle(order)
    outcome: dict[str, list[tuple[float, float, float]]] = {}
    for name, multiplier in order:
        method = METHODS[name]
        settings = Settings(
            threshold=multiplier * method.thresholds[job.problem] * pair.unit,
            max_iterations=job.budget.max_iterations,
            confidence=job.budget.confidence,
            seed=seed % 2**31,
        )
        start = time.process_time()
        fit = method.run(pair, settings)
        ms = 1e3 * (time.process_time() - start)
        outcome.setdefault(name, []).append((multiplier, error_of(pair, fit), ms))
    return [
        make_row(job.pair_id, name, run_id, sorted(calls))
        for name, calls in sorted(outcome.items())
    ]


@cache
def _warm(problem: str, names: tuple[str, ...]) -> None:
    """Call each method once, untimed: compilation and first touches happen here."""
    cv2.setNumThreads(1)
    regime, index = WARM_UP
    pair = load_pair(problem, regime, "val", str(index))
    for name in names:
        threshold = METHODS[name].thresholds[problem] * pair.unit
        METHODS[name].run(pair, Settings(threshold))


def execute(jobs: Sequence[Job], run_id: str, workers: int) -> Iterator[list[Row]]:
    """Perform the jobs here or on several processes; yield rows as they come."""
    if workers == 1:
        yield from (perform(job, run_id) for job in jobs)
        return
    # Spawned, not forked: the libraries' thread pools do not survive a fork.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(perform, jobs, [run_id] * len(jobs), chunksize=1)


def with_progress(batches: Iterator, total: int, title: str) -> Iterator:
    """Show a progress bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        return batches
    try:
        from tqdm import tqdm
    except ImportError:
        return batches
    return tqdm(batches, total=total, desc=title, unit="pair")


def run_regime(
    problem: str,
    regime: str,
    split: str,
    *,
    ids: Sequence[str],
    methods: Sequence[str],
    multipliers: Sequence[float],
    out: Path,
    budget: Budget,
    workers: int,
    redo: Sequence[str] = (),
) -> None:
    """Bring one file up to date; rows of the methods in ``redo`` are made anew."""
    methods = [m for m in methods if problem in METHODS[m].thresholds]
    path = path_of(out, split, problem, regime)
    table = read_table(path)
    done = [key for key in table.results if key[1] not in redo]
    calls = [(m, x) for m in methods for x in multipliers_for(m, multipliers)]
    jobs = pending(problem, regime, split, calls, ids, done, budget)
    if not jobs:
        return
    header = describe_run(
        [METHODS[m].package for m in methods] + ["numpy", "numba"],
        problem=problem,
        regime=regime,
        split=split,
        max_iterations=budget.max_iterations,
        confidence=budget.confidence,
        workers=workers,  # more than one: accuracy is sound, times are not
    )
    writer = Writer(path)
    if header["run"] not in table.runs:
        writer.append(header)
    batches = execute(jobs, header["run"], workers)
    for rows in with_progress(batches, len(jobs), f"{problem} {regime}"):
        for row in rows:
            writer.append(row)


def parse(
    arguments: Sequence[str] | None, command: str, splits: Sequence[str], num: int
) -> argparse.Namespace:
    """Read the command line; the first of the splits is the default."""
    parser = parser_of(command, __doc__)
    parser.add_argument(
        "--problem", nargs="+", choices=PROBLEMS, default=list(PROBLEMS)
    )
    parser.add_argument("--split", choices=splits, default=splits[0])
    parser.add_argument("--regimes", nargs="+", help="default: all of the split")
    parser.add_argument("--methods", nargs="+", help="default: all installed")
    parser.add_argument("--num", type=int, default=num, help="pairs per regime")
    parser.add_argument("--multipliers", nargs="+", type=float, default=MULTIPLIERS)
    parser.add_argument("--max-iterations", type=int, default=1000)
    parser.add_argument("--confidence", type=float, default=0.999)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--redo", nargs="+", default=[], metavar="METHOD")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument(
        "--smoke", action="store_true", help="ten small problems, default thresholds"
    )
    options = parser.parse_args(arguments)
    unknown = set(options.methods or []) - set(METHODS)
    if unknown:
        parser.error(f"no method {sorted(unknown)}; there are {list(METHODS)}")
    if options.smoke:
        options.regimes, options.num, options.multipliers = ["easy", "small"], 5, [1.0]
    return options


def run(
    arguments: Sequence[str] | None, command: str, splits: Sequence[str], num: int
) -> None:
    """Run what the command line asks for."""
    options = parse(arguments, command, splits, num)
    for problem in options.problem:
        names = regimes_of(problem, options.split)
        for regime in names if options.regimes is None else options.regimes:
            if regime not in names:
                print(f"{problem} has no regime {regime}", file=sys.stderr)
                continue
            run_regime(
                problem,
                regime,
                options.split,
                ids=pair_ids(problem, regime, options.split, options.num),
                methods=options.methods or available(problem),
                multipliers=options.multipliers,
                out=options.out,
                budget=Budget(options.max_iterations, options.confidence),
                workers=options.workers,
                redo=options.redo,
            )
    print(f"wrote {options.out}")
    print(
        f"next: python -m benchmarks plots --split {options.split} --folder "
        f"{options.out}, or report with the same words for tables"
    )


SYNTHETIC = sorted(synthetic.SPLITS, key=lambda split: split != "test")
# Real sets have as many pairs as they have.
main = partial(run, command="compare", splits=SYNTHETIC, num=200)
main_real = partial(run, command="real", splits=["real"], num=1000)
main_rematched = partial(run, command="rematched", splits=["rematched"], num=1000)
