"""Verification and mapping: this package beside pycolmap's own verification.

    python -m benchmarks colmap                      # the whole table, about two hours
    python -m benchmarks colmap --wrong 0.3 --noise 2 --scenes planar --seeds 1
    python -m benchmarks colmap --scenes fountain reichstag-lg   # photographs
    python -m benchmarks colmap --threads            # one thread against two
    python -m benchmarks colmap --redo cvscore       # its rows anew

Rows are kept in ``--out``, so that a run goes on where it was stopped; the table is of
all rows that fit (benchmarks/tables has that of benchmarks/results/colmap).  Every
database is verified by cvscore, by pycolmap at its default of 4 px, and by pycolmap at
its best threshold of ten, picked for each database by F1 on some of its pairs with the
truth in hand.  Printed: precision and recall of inliers over all pairs (mean over
seeds), milliseconds of processor time a pair (one thread, median), and for both mappers
the fewest images registered and the median over seeds of the largest error of a
relative rotation, degrees.  Synthetic scenes have 300 points; wrong matches are random
and not one-to-one.  All methods get the same databases.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import pycolmap

from benchmarks.colmap.mapping import (
    MAPPERS,
    best_threshold,
    mapped,
    precision_and_recall,
    verify,
)
from benchmarks.colmap.photographs import is_here, write_photographs
from benchmarks.colmap.scenes import write_scene
from benchmarks.colmap.table import (
    BEST,
    DEFAULT,
    DEFAULT_THRESHOLD,
    METHODS,
    OURS,
    REAL,
    SYNTHETIC,
    Case,
    case_of,
    read_results,
    table,
)
from benchmarks.command_line import parser_of
from benchmarks.folders import COLMAP_ROWS, OUT
from benchmarks.machine import commit
from benchmarks.store import Row, Writer
from cvscore._numba.progress import progress
from cvscore.cli import warmup
from cvscore.colmap import verify_matches


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the rows that are missing, and print the table."""
    options = _parse(arguments)
    pycolmap.logging.minloglevel = 2
    cases = list(_cases(options))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.threads:
            print(threads(folder))
            return
        _warm_up(folder)
        writer = Writer(options.out)
        done = {
            (case_of(row), row["method"])
            for row in read_results(options.out)
            if row["method"] not in options.redo
        }
        for case in progress(cases, label="databases"):
            lacking = [m for m in METHODS if (case, m) not in done]
            for row in compare(folder, case, lacking):
                writer.append({**row, "commit": commit()})
    rows = read_results(options.out)
    print(table([row for row in rows if case_of(row) in cases]))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of("colmap", __doc__)
    parser.add_argument("--scenes", nargs="+", default=[*SYNTHETIC, *REAL])
    parser.add_argument("--noise", nargs="+", type=float, default=[0.5, 2.0, 5.0])
    parser.add_argument("--wrong", nargs="+", type=float, default=[0.3, 0.6, 0.8])
    parser.add_argument("--images", nargs="+", type=int, default=[12, 30])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--redo", nargs="+", default=[], choices=METHODS)
    parser.add_argument("--out", type=Path, default=OUT / COLMAP_ROWS)
    parser.add_argument("--threads", action="store_true")
    return parser.parse_args(arguments)


def _cases(options: argparse.Namespace) -> Iterator[Case]:
    """Databases in the order of their cost; large ones with few wrong matches only."""
    for scene in (s for s in options.scenes if s in REAL and is_here(s)):
        yield Case(scene, 0, 0.0, 0.0, 0)
    for wrong in options.wrong:
        for seed in range(1, options.seeds + 1):
            for images in options.images:
                if images > min(options.images) and (wrong > 0.5 or seed > 1):
                    continue
                for scene in (s for s in options.scenes if s in SYNTHETIC):
                    for noise in options.noise:
                        yield Case(scene, images, noise, wrong, seed)


def _warm_up(folder: Path) -> None:
    """Compile what will be timed, and what only some databases need."""
    for _, step in warmup.steps():
        step()
    for kind in SYNTHETIC:
        path = folder / f"{kind}.db"
        scene = write_scene(path, kind, 3, 1.0, 0.5, 0)
        verify(path, scene, None)


def compare(folder: Path, case: Case, methods: list[str]) -> Iterator[Row]:
    """Verify and map one scene with some methods."""
    if not methods:
        return
    untouched = folder / "untouched.db"
    untouched.unlink(missing_ok=True)
    if case.scene in REAL:
        scene = write_photographs(untouched, case.scene)
    else:
        scene = write_scene(untouched, *asdict(case).values())
    is_labelled = any(scene.matches.values())
    thresholds: dict[str, float | None] = {OURS: None, DEFAULT: DEFAULT_THRESHOLD}
    for method in methods:
        if method == BEST:
            if not is_labelled:
                continue
            thresholds[BEST] = best_threshold(untouched, scene)
        path = folder / "verified.db"
        shutil.copy(untouched, path)
        seconds = verify(path, scene, thresholds[method])
        row = {**asdict(case), "method": method, "threshold": thresholds[method]}
        row["ms"] = 1e3 * seconds / len(scene.matches)
        if is_labelled:
            row["precision"], row["recall"] = precision_and_recall(path, scene)
        for name, mapper in MAPPERS.items():
            row[name] = mapped(path, scene, mapper)
        path.unlink()
        yield row


def threads(folder: Path, num_images: int = 30, num_rounds: int = 4) -> str:
    """Return wall time a pair with one thread and with two, the best of some rounds.

    Rounds alternate; whatever else runs on the machine only ever makes one slower.
    Images are many, for to open and to close a database takes as long as ten pairs.
    Each round begins with a database that has not been verified, as a user's does.
    """
    lines = ["| scene | wrong | 1 thread, ms | 2, ms | ratio |", "|---" * 5 + "|"]
    for kind in SYNTHETIC:
        for wrong in (0.3, 0.6, 0.8):
            untouched, path = (folder / f"{kind}{wrong}{name}.db" for name in "ab")
            scene = write_scene(untouched, kind, num_images, 2.0, wrong, 1)
            num_pairs = len(scene.matches)
            best = {1: float("inf"), 2: float("inf")}
            for _ in range(num_rounds):
                for workers in best:
                    shutil.copy(untouched, path)
                    started = time.perf_counter()
                    verify_matches(path, num_workers=workers, progress=False)
                    seconds = time.perf_counter() - started
                    best[workers] = min(best[workers], 1e3 * seconds / num_pairs)
            lines.append(
                f"| {kind} | {wrong:.0%} | {best[1]:.2f} | {best[2]:.2f} "
                f"| {best[1] / best[2]:.2f} |"
            )
    return "\n".join(lines)
