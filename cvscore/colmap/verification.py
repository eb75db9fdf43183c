"""Geometric verification of a COLMAP database: every pair, in parallel, safely."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

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
from cvscore.parallel.ordered_map import map_in_order, worker_count
from cvscore.scores.calibration import Calibration
from cvscore.types import RansacOptions

# Pairs per transaction: a second of work or so, which is all that a crash can cost.
PAIRS_PER_TRANSACTION = 64

# Odd numbers of 32 bits: whatever the seed and the pair, sums of multiples of them are
# far apart, and the generators mix the bits themselves.
SEED_MULTIPLIERS = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D


class Item(NamedTuple):
    """A pair of images, and what is estimated from."""

    pair: ImagePair
    matches: PairMatches


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
    num_workers = worker_count(num_workers)
    search = PairOptions(RansacOptions.given(options), min_inliers, calibration)
    summary = VerificationSummary()
    with connected(Path(database_path)) as connection:
        inventory = take_inventory(connection)
        pairs = pairs_to_verify(inventory, pairs_path, summary, overwrite=overwrite)
        database = MatchDatabase(connection, inventory)
        results = map_in_order(
            partial(estimate_item, search),
            _readable(database, pairs, summary),
            num_workers=num_workers,
            executor=executor,
        )
        bar = ProgressBar(len(pairs), "verifying", enabled=progress and bool(pairs))
        with closing(results):
            _write(database, results, summary, bar, on_pair, overwrite=overwrite)
    summary.seconds = time.monotonic() - started
    return summary


def _readable(
    database: MatchDatabase,
    pairs: Iterable[ImagePair],
    summary: VerificationSummary,
) -> Iterator[Item]:
    """Read the matches of pairs, and skip those that a damaged row belongs to."""
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
        yield Item(pair, cleaned.matches)


def estimate_item(options: PairOptions, item: Item) -> Outcome:
    """Estimate a pair with a seed of its own; runs in the workers.

    One with numbers that nothing can be computed from must not end the run.
    """
    try:
        return estimate_pair(item.matches, _seeded(options, item.pair))
    except (ValueError, ArithmeticError) as error:
        return f"{type(error).__name__}: {error}"


def _seeded(options: PairOptions, pair: ImagePair) -> PairOptions:
    """Vary the seed by the pair, so that it doesn't depend on who runs it and when."""
    numbers = options.search.seed, *pair
    seed = sum(a * b for a, b in zip(numbers, SEED_MULTIPLIERS, strict=True)) % 2**32
    search = replace(options.search, seed=seed)
    return PairOptions(search, options.min_inliers, options.calibration)


def _write(
    database: MatchDatabase,
    results: Iterable[tuple[Item, Outcome]],
    summary: VerificationSummary,
    bar: ProgressBar,
    on_pair: OnPair | None,
    *,
    overwrite: bool,
) -> None:
    """Write geometries in transactions, and count them."""
    chunk: list[tuple[ImagePair, Any]] = []
    with bar:
        for (pair, matches), found in results:
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
