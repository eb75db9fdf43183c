"""Verification and mapping: this package beside pycolmap's own verification.

    python -m benchmarks.colmap                      # the whole table, about two hours
    python -m benchmarks.colmap --wrong 0.3 --noise 2 --scenes planar --seeds 1
    python -m benchmarks.colmap --scenes fountain reichstag-lg   # photographs
    python -m benchmarks.colmap --threads            # one thread against two

Rows are kept in ``--out``, so that a run goes on where it was stopped; the table is of
all rows that fit.  Every database is verified by cvscore, by pycolmap at its default of
4 px, and by pycolmap at its best threshold of ten, picked for each database by F1 on
some of its pairs with the truth in hand.  Printed: precision and recall of inliers over
all pairs (mean over seeds), milliseconds of processor time a pair (one thread, median),
and for both mappers the fewest images registered and the median over seeds of the
largest error of a relative rotation, degrees.  Synthetic scenes have 300 points; wrong
matches are random and not one-to-one.  All methods get the same databases.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import pycolmap

from benchmarks.colmap_mapping import (
    MAPPERS,
    best_threshold,
    mapped,
    precision_and_recall,
    verify,
)
from benchmarks.colmap_photographs import NAMES as REAL
from benchmarks.colmap_photographs import is_here, write_photographs
from benchmarks.colmap_scenes import write_scene
from cvscore.cli import warmup
from cvscore.colmap import verify_matches
from cvscore._numba.progress import progress

DEFAULT_THRESHOLD = 4.0
OURS, DEFAULT, BEST = "cvscore", f"pycolmap {DEFAULT_THRESHOLD:g} px", "pycolmap best"
METHODS = (OURS, DEFAULT, BEST)
ROWS = Path("benchmarks/out/colmap.jsonl")
COMMITTED = Path("benchmarks/results/colmap/rows.jsonl")
SYNTHETIC = ("general", "planar")

HEADER = (
    "| scene | images | noise | wrong | verified by | precision | recall | F1 | ms "
    "| global | incremental |\n|---|---|---|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True)
class Case:
    """A database: how it is made."""

    scene: str
    images: int
    noise: float
    wrong: float
    seed: int


def main() -> None:
    """Make the rows that are missing, and print the table."""
    arguments = _parser().parse_args()
    pycolmap.logging.minloglevel = 2
    cases = list(_cases(arguments))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.threads:
            print(threads(folder))
            return
        _warm_up(folder)
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        for case in progress(cases, label="databases"):
            done = {
                row["method"] for row in read_rows(arguments.out) if _is_of(row, case)
            }
            for row in compare(folder, case, [m for m in METHODS if m not in done]):
                with arguments.out.open("a") as stream:
                    stream.write(json.dumps(row) + "\n")
    rows = [
        r for r in read_rows(arguments.out) if any(_is_of(r, case) for case in cases)
    ]
    print(table(rows))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", nargs="+", default=[*SYNTHETIC, *REAL])
    parser.add_argument("--noise", nargs="+", type=float, default=[0.5, 2.0, 5.0])
    parser.add_argument("--wrong", nargs="+", type=float, default=[0.3, 0.6, 0.8])
    parser.add_argument("--images", nargs="+", type=int, default=[12, 30])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=ROWS)
    parser.add_argument("--threads", action="store_true")
    return parser


def _cases(arguments: argparse.Namespace) -> Iterator[Case]:
    """Databases in the order of their cost; large ones with few wrong matches only."""
    for scene in (s for s in arguments.scenes if s in REAL and is_here(s)):
        yield Case(scene, 0, 0.0, 0.0, 0)
    for wrong in arguments.wrong:
        for seed in range(1, arguments.seeds + 1):
            for images in arguments.images:
                if images > min(arguments.images) and (wrong > 0.5 or seed > 1):
                    continue
                for scene in (s for s in arguments.scenes if s in SYNTHETIC):
                    for noise in arguments.noise:
                        yield Case(scene, images, noise, wrong, seed)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file, none where there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def _is_of(row: dict[str, Any], case: Case) -> bool:
    return all(row[name] == value for name, value in asdict(case).items())


def _warm_up(folder: Path) -> None:
    """Compile what will be timed, and what only some databases need."""
    for _, step in warmup.steps():
        step()
    for kind in SYNTHETIC:
        path = folder / f"{kind}.db"
        scene = write_scene(path, kind, 3, 1.0, 0.5, 0)
        verify(path, scene, None)


def compare(folder: Path, case: Case, methods: list[str]) -> Iterator[dict[str, Any]]:
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


def table(rows: list[dict[str, Any]]) -> str:
    """Return rows as Markdown, those that differ in their seed as one."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        names = ("scene", "images", "noise", "wrong", "method")
        groups.setdefault(tuple(row[name] for name in names), []).append(row)

    def place(key: tuple[Any, ...]) -> tuple[Any, ...]:
        scenes = [*SYNTHETIC, *REAL]
        return scenes.index(key[0]), *key[1:4], METHODS.index(key[4])

    return "\n".join([HEADER, *(_line(groups[k]) for k in sorted(groups, key=place))])


def _line(rows: list[dict[str, Any]]) -> str:
    row = rows[0]
    cells = [row["scene"], "", "", ""]
    if row["images"]:
        cells[1:] = f"{row['images']}", f"{row['noise']:g}", f"{row['wrong']:.0%}"
    method = row["method"]
    if method == BEST:
        used = sorted({f"{row['threshold']:.2g}" for row in rows}, key=float)
        method += f", {' / '.join(used)} px"
    labels = ["", "", ""]
    if "precision" in row:
        precision, recall = (mean(r[n] for r in rows) for n in ("precision", "recall"))
        f1 = 2.0 * precision * recall / max(precision + recall, 1e-12)
        labels = [f"{value:.4f}" for value in (precision, recall, f1)]
    maps = [
        f"{min(r[name][0] for r in rows)}, {median(r[name][1] for r in rows):.2f}°"
        for name in MAPPERS
    ]
    ms = f"{median(r['ms'] for r in rows):.1f}"
    return f"| {' | '.join([*cells, method, *labels, ms, *maps])} |"


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


if __name__ == "__main__":
    # Linear algebra in one thread, as the rest: times are processor times.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
