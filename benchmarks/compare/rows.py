"""What the rows of the comparison hold: one file per (split, problem, regime).

A row is either a header, which describes a run (``"run"`` and ``"versions"``), or what
one method did on one pair at one or more threshold multipliers.  A header stands before
the first row of its run; later rows of the same pair, method and multiplier replace
earlier ones.  An error that is not finite is stored as null.
An archived row holds one method at one threshold on many pairs instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.store import Row, read_rows

Key = tuple[str, str, float]  # pair, method, multiplier


@dataclass(frozen=True)
class Result:
    """One call: error in degrees or pixels (inf on failure), time, and its run.

    There are several runs where an archived row does not say which of them it was.
    """

    error: float
    ms: float
    runs: tuple[str, ...]


@dataclass
class Table:
    """The content of one file: its runs by id, its results by key."""

    runs: dict[str, Row] = field(default_factory=dict)
    results: dict[Key, Result] = field(default_factory=dict)

    def update(self, other: Table) -> None:
        """Take in newer results."""
        self.runs.update(other.runs)
        self.results.update(other.results)


def path_of(folder: Path, split: str, problem: str, regime: str) -> Path:
    """Return the file of one (split, problem, regime)."""
    return folder / f"{split}-{problem}-{regime}.jsonl"


def make_row(
    pair: str, method: str, run: str, calls: Iterable[tuple[float, float, float]]
) -> Row:
    """Build the row of (multiplier, error, ms) calls, with the digits that matter."""
    multipliers, errors, times = zip(*calls, strict=True)
    return {
        "pair": pair,
        "method": method,
        "run": run,
        "multiplier": list(multipliers),
        "error": [_rounded(e, 5) if math.isfinite(e) else None for e in errors],
        "ms": [_rounded(t, 4) for t in times],
    }


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


def make_column(
    pairs: Sequence[str], method: str, multiplier: float, results: Sequence[Result]
) -> Row:
    """Build the row of one method at one threshold on many pairs, to be archived."""
    return {
        "pairs": list(pairs),
        "method": method,
        "runs": sorted({run for r in results for run in r.runs}),
        "multiplier": multiplier,
        "error": [
            _rounded(r.error, 4) if r.error < math.inf else None for r in results
        ],
        "ms": [_rounded(r.ms, 3) for r in results],
    }


def results_of_column(row: Row) -> Iterator[tuple[Key, Result]]:
    """Yield every call of an archived row."""
    runs = tuple(row["runs"])
    for pair, error, ms in zip(row["pairs"], row["error"], row["ms"], strict=True):
        key = (pair, row["method"], float(row["multiplier"]))
        yield key, Result(math.inf if error is None else error, ms, runs)


def results_of(row: Row) -> Iterator[tuple[Key, Result]]:
    """Yield every call of a row."""
    calls = zip(row["multiplier"], row["error"], row["ms"], strict=True)
    for multiplier, error, ms in calls:
        key = (row["pair"], row["method"], float(multiplier))
        yield key, Result(math.inf if error is None else error, ms, (row["run"],))


def read_table(path: Path) -> Table:
    """Read a file of rows, or of archived ones."""
    table = Table()
    for row in read_rows(path):
        if "versions" in row:
            table.runs[row["run"]] = row
        elif "pairs" in row:
            table.results.update(results_of_column(row))
        else:
            table.results.update(results_of(row))
    return table
