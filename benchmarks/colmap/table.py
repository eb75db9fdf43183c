"""The rows of the COLMAP databases: what they hold, and their table.

A row is what one method did on one database.  Later rows of the same database and
method replace earlier ones.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.data.real import POSE_SETS
from benchmarks.folders import COLMAP_ROWS
from benchmarks.store import Row, read_rows

DEFAULT_THRESHOLD = 4.0  # pixels, pycolmap's
OURS, DEFAULT, BEST = "cvscore", f"pycolmap {DEFAULT_THRESHOLD:g} px", "pycolmap best"
METHODS = (OURS, DEFAULT, BEST)
SYNTHETIC = ("general", "planar")
# With images, whose features are extracted; the others have the real pairs' matches.
IMAGES = {
    "fountain": "phototourism/strecha/fountain_P11",
    "reichstag": "phototourism/val/reichstag",
}
REAL = (*IMAGES, *POSE_SETS)
MAPPERS = ("global", "incremental")

HEADER = (
    "| scene | images | noise | wrong | verified by | precision | recall | F1 | ms "
    "| global | incremental |\n|---|---|---|---|---|---|---|---|---|---|---|"
)
COLUMNS = """\
Synthetic scenes have 300 points, and wrong matches at random. `fountain` and
`reichstag` are photographs with COLMAP's SIFT features; those with a suffix have the
matches of the real pairs (SIFT at a ratio of 0.8 or 0.95, ALIKED with LightGlue), and
nobody knows which of them are right. Precision, recall and F1 are those of the inliers
over all pairs, means over seeds; ms is processor time a pair on one thread, median.
For both mappers: the fewest images registered, and the median over seeds of the largest
error of a relative rotation. "pycolmap best" is its best of ten thresholds, picked by
F1 with the truth in hand. Three seeds with 12 images at 30 and 60 % wrong, one else."""


@dataclass(frozen=True)
class Case:
    """A database: how it is made."""

    scene: str
    images: int
    noise: float
    wrong: float
    seed: int


def case_of(row: Row) -> Case:
    """Return the database that a row is of."""
    return Case(*(row[name] for name in asdict(Case("", 0, 0.0, 0.0, 0))))


def read_results(path: Path) -> list[Row]:
    """Return the rows of a file, the latest of every database and method."""
    return list({(case_of(r), r["method"]): r for r in read_rows(path)}.values())


def table(rows: list[Row]) -> str:
    """Return rows as markdown, those that differ in their seed as one."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        names = ("scene", "images", "noise", "wrong", "method")
        groups.setdefault(tuple(row[name] for name in names), []).append(row)

    def place(key: tuple[Any, ...]) -> tuple[Any, ...]:
        scenes = [*SYNTHETIC, *REAL]
        return scenes.index(key[0]), *key[1:4], METHODS.index(key[4])

    return "\n".join([HEADER, *(_line(groups[k]) for k in sorted(groups, key=place))])


def _line(rows: list[Row]) -> str:
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


def commits_of(rows: list[Row]) -> str:
    """Say which commits made the rows of which methods."""
    found: dict[str, set[str]] = {method: set() for method in METHODS}
    for row in rows:
        found[row["method"]].add(row.get("commit", "not recorded"))
    return "; ".join(f"{m}: {', '.join(sorted(c))}" for m, c in found.items())


def colmap_page(folder: Path) -> str:
    """Return the table file; its first line says where it comes from."""
    rows = read_results(folder / COLMAP_ROWS)
    origin = (
        "Made by `python -m benchmarks report --write` from rows of "
        f"`python -m benchmarks colmap`, commits: {commits_of(rows)}."
    )
    return f"{origin}\n\n# COLMAP databases\n\n{COLUMNS}\n\n{table(rows)}\n"
