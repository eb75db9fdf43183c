"""Rows on disk: one .jsonl per (split, problem, regime), safe to kill at any moment.

A line is either a header, which describes a run (``"run"`` and ``"versions"``), or a
row: what one method did on one pair at one or more threshold multipliers.  A header
stands before the first row of its run; later rows of the same pair, method and
multiplier replace earlier ones.  An error that is not finite is stored as null.
An archived row holds one method at one threshold on many pairs instead.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Key = tuple[str, str, float]  # pair, method, multiplier


@dataclass(frozen=True)
class Result:
    """One call: error in degrees or pixels (inf on failure), time, and its run."""

    error: float
    ms: float
    run: str


@dataclass
class Table:
    """The content of one file: its runs by id, its results by key."""

    runs: dict[str, Row] = field(default_factory=dict)
    results: dict[Key, Result] = field(default_factory=dict)


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
        "runs": sorted({r.run for r in results}),
        "multiplier": multiplier,
        "error": [
            _rounded(r.error, 4) if r.error < math.inf else None for r in results
        ],
        "ms": [_rounded(r.ms, 3) for r in results],
    }


def results_of_column(row: Row) -> Iterator[tuple[Key, Result]]:
    """Yield every call of an archived row."""
    for pair, error, ms in zip(row["pairs"], row["error"], row["ms"], strict=True):
        key = (pair, row["method"], float(row["multiplier"]))
        run = row["runs"][0]
        yield key, Result(math.inf if error is None else error, ms, run)


def results_of(row: Row) -> Iterator[tuple[Key, Result]]:
    """Yield every call of a row."""
    calls = zip(row["multiplier"], row["error"], row["ms"], strict=True)
    for multiplier, error, ms in calls:
        key = (row["pair"], row["method"], float(multiplier))
        yield key, Result(math.inf if error is None else error, ms, row["run"])


def read(path: Path) -> Table:
    """Read a file; a line cut short by a kill is left out."""
    table = Table()
    if not path.exists():
        return table
    for line in path.read_bytes().splitlines(keepends=True):
        row = _parsed(line)
        if row is None:
            continue
        if "versions" in row:
            table.runs[row["run"]] = row
        elif "pairs" in row:
            table.results.update(results_of_column(row))
        else:
            table.results.update(results_of(row))
    return table


def _parsed(line: bytes) -> Row | None:
    """Return the row of a complete line, None of a half-written one."""
    if not line.endswith(b"\n"):
        return None
    try:
        return json.loads(line)
    except ValueError:
        return None


class Writer:
    """Appends to a file, each line in one write, after mending its end."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        if path.exists():
            self._mend()

    def _mend(self) -> None:
        """Cut off what follows the last complete line."""
        content = self._path.read_bytes()
        end = content.rfind(b"\n") + 1
        if end < len(content):
            with self._path.open("r+b") as file:
                file.truncate(end)

    def append(self, row: Row) -> None:
        """Write one line and hand it to the system."""
        line = json.dumps(row, separators=(",", ":"), allow_nan=False) + "\n"
        with self._path.open("ab") as file:
            file.write(line.encode())
