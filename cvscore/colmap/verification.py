"""Geometric verification of a COLMAP database: every pair, in parallel, safely."""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cvscore._numba.progress import ProgressBar
from cvscore.colmap.chosen_pairs import pairs_to_verify
from cvscore.colmap.cleaning import clean_matches
from cvscore.colmap.connection import connected
from cvscore.colmap.database import MatchDatabase
from cvscore.colmap.geometry import MIN_INLIERS, as_pycolmap
from cvscore.colmap.inventory import ImagePair, take_inventory
from cvscore.colmap.pycolmap_module import import_pycolmap
from cvscore.colmap.rows import DamagedRow
from cvscore.colmap.summary import VerificationSummary
from cvscore.estimators.pair_geometry import (
    PairGeometry,
    PairMatches,
    PairOptions,
    estimate_pair,
)
from cvscore.scores.calibration import Calibration
from cvscore.types import RansacOptions

# Pairs per task: ten milliseconds of work or more, beside which handing it over is
# nothing; few, because at the end some wait while others finish their last task.
PAIRS_PER_TASK = 4
# Tasks that wait or run, per worker of an executor and per other thread: enough that
# none is idle while results are written and while the caller's thread does a task, few
# enough that memory holds them whatever the size of the collection.
TASKS_PER_WORKER = 4
TASKS_PER_THREAD = 2
MAX_WAITING = 64  # tasks that wait for a slow one before them to be written
# Pairs per transaction: a second of work or so, which is all that a crash can cost.
PAIRS_PER_TRANSACTION = 64

# Odd numbers of 32 bits: whatever the seed and the pair, sums of multiples of them are
# far apart, and the generators mix the bits themselves.
SEED_MULTIPLIERS = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D

Task = list[tuple[ImagePair, PairMatches]]
# Of a pair: its geometry, or what is wrong with its numbers.
Outcome = PairGeometry | str
OnPair = Callable[[ImagePair, PairGeometry], None]


def verify_matches(
    database_path: str | os.PathLike[str],
    pairs_path: str | os.PathLike[str] | None = None,
    *,
    overwrite: bool = False,
    min_inliers: int = MIN_INLIERS,
    options: RansacOptions | None = None,
    calibration: Calibration | None = None,
    num_workers: int | None = None,
    executor: Executor | None = None,
    progress: bool = True,
    on_pair: OnPair | None = None,
) -> VerificationSummary:
    """Verify the matches of a database, as ``pycolmap.verify_matches`` does.

    Every pair gets a two-view geometry: accepted, with its inliers and a configuration
    chosen by evidence, or degenerate, without inliers.  The result depends neither on
    the number of workers nor on the order of pairs.  A run that was killed leaves a
    valid database, and the next run goes on where it stopped.  Pairs that a damaged row
    belongs to are skipped, and the summary names the row.

    Close a ``pycolmap.Database`` of the same file before: it is another SQLite library,
    and two of them in one process don't see each other's locks.

    Parameters
    ----------
    database_path : path
        A COLMAP database with images, cameras, keypoints and matches.
    pairs_path : path, optional
        A text file with the names of two images per line; by default all pairs that
        have matches.
    overwrite : bool
        Whether pairs that have a two-view geometry are verified anew; by default they
        are kept as they are.
    min_inliers : int
        Pairs with fewer inliers are rejected.
    options : RansacOptions, optional
        Limits of the search of each pair.
    calibration : Calibration, optional
        Prior and half-width learned for one model, for the pairs that are of it.
    num_workers : int, optional
        Threads; by default as many as there are cores.  With one, all is done in the
        thread of the caller.
    executor : concurrent.futures.Executor, optional
        Where to run instead: a pool of processes, or a Dask client's
        ``client.get_executor()``.  It is not shut down.
    progress : bool
        Whether to show a progress bar, on terminals.
    on_pair : callable, optional
        Called with the ids (i, j) of two images and their `PairGeometry`, in the thread
        of the caller, for each pair that was estimated.

    Returns
    -------
    VerificationSummary
        Counts of everything; ``print`` shows it as a table.

    Raises
    ------
    FileNotFoundError, PermissionError, TimeoutError, OSError, ValueError
        Where the database is missing, read-only, locked by another program for long, on
        a full disk, or no COLMAP database.  What was written before is safe.
    """
    started = time.monotonic()
    import_pycolmap()
    if num_workers is not None and num_workers < 1:
        raise ValueError(f"num_workers must be at least 1, got {num_workers}")
    if min_inliers < 0:
        raise ValueError(f"min_inliers must not be negative, got {min_inliers}")
    ransac = RansacOptions() if options is None else options
    search = PairOptions(ransac, min_inliers, calibration)
    summary = VerificationSummary()
    with connected(Path(database_path)) as connection:
        inventory = take_inventory(connection)
        pairs = pairs_to_verify(inventory, pairs_path, summary, overwrite=overwrite)
        database = MatchDatabase(connection, inventory)
        results = _run(_tasks(database, pairs, summary), search, num_workers, executor)
        bar = ProgressBar(len(pairs), "verifying", enabled=progress and bool(pairs))
        _write(database, results, summary, bar, on_pair, overwrite=overwrite)
    summary.seconds = time.monotonic() - started
    return summary


def _tasks(
    database: MatchDatabase,
    pairs: Iterable[ImagePair],
    summary: VerificationSummary,
) -> Iterator[Task]:
    """Read the matches of pairs and put some into a task each."""
    task: Task = []
    for pair in pairs:
        try:
            view1, view2 = database.view(pair[0]), database.view(pair[1])
            indices = database.matches(pair)
        except DamagedRow as damage:
            summary.skipped[f"damaged {damage.kind}"] += 1
            summary.damaged[damage.row] = damage.reason
            continue
        if view1 is None or view2 is None:
            summary.skipped["missing image"] += 1
            continue
        cleaned = clean_matches(indices, view1, view2)
        summary.num_matches += len(cleaned.matches.x1)
        summary.dropped += Counter(
            {
                "index out of range": cleaned.num_out_of_range,
                "duplicate": cleaned.num_duplicates,
                "without a ray": cleaned.num_not_finite,
            }
        )
        task.append((pair, cleaned.matches))
        if len(task) == PAIRS_PER_TASK:
            yield task
            task = []
    if task:
        yield task


def _run(
    tasks: Iterable[Task],
    options: PairOptions,
    num_workers: int | None,
    executor: Executor | None,
) -> Iterator[tuple[ImagePair, PairMatches, Outcome]]:
    """Estimate the pairs of all tasks, and yield them in their order."""
    workers = num_workers or _num_cores()
    if executor is not None:
        return _run_elsewhere(tasks, options, executor, TASKS_PER_WORKER * workers)
    return _run_in_threads(tasks, options, workers - 1)


def _run_elsewhere(
    tasks: Iterable[Task], options: PairOptions, executor: Executor, num_ahead: int
) -> Iterator[tuple[ImagePair, PairMatches, Outcome]]:
    """Let an executor do all of it, with ``num_ahead`` tasks under way."""
    waiting: deque[tuple[Task, Future[list[Outcome]]]] = deque()
    for task in tasks:
        waiting.append((task, executor.submit(estimate_task, task, options)))
        if len(waiting) > num_ahead:
            task, future = waiting.popleft()
            yield from _in_order(task, future.result())
    for task, future in waiting:
        yield from _in_order(task, future.result())


def _run_in_threads(
    tasks: Iterable[Task], options: PairOptions, num_others: int
) -> Iterator[tuple[ImagePair, PairMatches, Outcome]]:
    """Work here and in other threads: a thread that only waited would be in the way.

    One that reads, writes and waits beside as many busy ones as there are cores takes
    turns with them at the interpreter's lock.
    """
    waiting: deque[tuple[Task, Future[list[Outcome]]]] = deque()
    num_ahead = TASKS_PER_THREAD * num_others
    most = num_ahead + MAX_WAITING
    with ThreadPoolExecutor(max(num_others, 1)) as pool:
        for task in tasks:
            num_pending = sum(not future.done() for _, future in waiting)
            if num_pending < num_ahead:
                future = pool.submit(estimate_task, task, options)
            else:
                future = Future()
                future.set_result(estimate_task(task, options))
            waiting.append((task, future))
            while waiting and (waiting[0][1].done() or len(waiting) > most):
                task, future = waiting.popleft()
                yield from _in_order(task, future.result())
        for task, future in waiting:
            yield from _in_order(task, future.result())


def _in_order(
    task: Task, results: list[Outcome]
) -> Iterator[tuple[ImagePair, PairMatches, Outcome]]:
    for (pair, matches), found in zip(task, results, strict=True):
        yield pair, matches, found


def estimate_task(task: Task, options: PairOptions) -> list[Outcome]:
    """Estimate some pairs, each with a seed of its own; runs in the workers."""
    return [_outcome(matches, _seeded(options, pair)) for pair, matches in task]


def _outcome(matches: PairMatches, options: PairOptions) -> Outcome:
    """One pair with numbers that nothing can be computed from must not end the run."""
    try:
        return estimate_pair(matches, options)
    except (ValueError, ArithmeticError) as error:
        return f"{type(error).__name__}: {error}"


def _seeded(options: PairOptions, pair: ImagePair) -> PairOptions:
    """Vary the seed by the pair, so that it doesn't depend on who runs it and when."""
    numbers = options.search.seed, *pair
    seed = sum(a * b for a, b in zip(numbers, SEED_MULTIPLIERS, strict=True)) % 2**32
    search = replace(options.search, seed=seed)
    return PairOptions(search, options.min_inliers, options.calibration)


def _num_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _write(
    database: MatchDatabase,
    results: Iterable[tuple[ImagePair, PairMatches, Outcome]],
    summary: VerificationSummary,
    bar: ProgressBar,
    on_pair: OnPair | None,
    *,
    overwrite: bool,
) -> None:
    """Write geometries in transactions, and count them."""
    chunk: list[tuple[ImagePair, Any]] = []
    with bar:
        for pair, matches, found in results:
            bar.advance()
            if isinstance(found, str):
                row = f"matches of images {pair[0]} and {pair[1]}"
                summary.skipped["could not be estimated"] += 1
                summary.damaged[row] = found
                continue
            if on_pair is not None:
                on_pair(pair, found)
            counts = summary.accepted if found else summary.rejected
            counts[found.reason or found.configuration] += 1
            summary.num_inliers += int(np.count_nonzero(found.inliers))
            chunk.append((pair, as_pycolmap(found, matches.keypoints)))
            if len(chunk) == PAIRS_PER_TRANSACTION:
                database.write(chunk, overwrite=overwrite)
                chunk = []
        if chunk:
            database.write(chunk, overwrite=overwrite)
