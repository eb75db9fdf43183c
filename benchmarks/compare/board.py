"""All results of one problem as arrays, aligned pair by pair."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.compare.rows import Table, path_of, read_table
from benchmarks.data.pair import Array
from benchmarks.problems import PROBLEMS
from benchmarks.protocols.accuracy import auc
from benchmarks.store import Row

OURS = "cvscore"
CEILING = "oracle"
DEFAULT = 1.0  # the multiplier of a method's own threshold

Column = tuple[str, float]  # method, multiplier


@dataclass
class Board:
    """Errors and times by regime and column; all arrays of a regime are aligned."""

    problem: str
    errors: dict[str, dict[Column, Array]] = field(default_factory=dict)
    ms: dict[str, dict[Column, Array]] = field(default_factory=dict)
    runs: dict[str, Row] = field(default_factory=dict)
    sources: dict[str, set[str]] = field(default_factory=dict)  # runs of a method

    @property
    def limit(self) -> float:
        """The limit of AUC that is the figure of the problem."""
        return PROBLEMS[self.problem].limit

    @property
    def regimes(self) -> list[str]:
        """Regimes that have rows."""
        return list(self.errors)

    @property
    def methods(self) -> list[str]:
        """Methods that have rows, ours first, the ceiling last, peers by name."""
        names = {m for columns in self.errors.values() for m, _ in columns}
        return sorted(names, key=lambda m: (m == CEILING, not is_ours(m), m))

    @property
    def peers(self) -> list[str]:
        """Methods to be compared with."""
        return [m for m in self.methods if m != CEILING and not is_ours(m)]

    @property
    def compared(self) -> list[str]:
        """Regimes in which we and some peer, at its default at least, have rows."""
        return [
            regime
            for regime, columns in self.errors.items()
            if (OURS, DEFAULT) in columns
            and any((peer, DEFAULT) in columns for peer in self.peers)
        ]

    def runs_of(self, method: str) -> list[Row]:
        """Return the runs that the rows of a method come from."""
        return [self.runs[r] for r in self.sources.get(method, ()) if r in self.runs]

    def commits_of(self, method: str) -> set[str]:
        """Return the commits that the rows of a method were made with."""
        return {run["commit"] for run in self.runs_of(method)}

    def num_pairs(self, regime: str) -> int:
        """Count the pairs that every column of the regime has."""
        return len(next(iter(self.errors[regime].values())))

    def auc(
        self, regime: str, method: str, limit: float, multiplier: float = DEFAULT
    ) -> float:
        """AUC@limit of one column, NaN if it was not run."""
        errors = self.errors[regime].get((method, multiplier))
        return float("nan") if errors is None else auc(errors, limit)

    def median(self, regime: str, method: str, multiplier: float = DEFAULT) -> float:
        """Median error of one column, NaN if it was not run."""
        errors = self.errors[regime].get((method, multiplier))
        return float("nan") if errors is None else float(np.median(errors))

    def time(self, regime: str, method: str, multiplier: float = DEFAULT) -> float:
        """Median time in ms of one column, NaN if it was not run."""
        ms = self.ms[regime].get((method, multiplier))
        return float("nan") if ms is None else float(np.median(ms))

    def multipliers(self, regime: str, method: str) -> list[float]:
        """Threshold multipliers at which a method was run."""
        return sorted(x for m, x in self.errors[regime] if m == method)

    def best_column(self, regime: str, methods: list[str], limit: float) -> Column:
        """Return the (method, multiplier) with the highest AUC@limit."""
        columns = [c for c in self.errors[regime] if c[0] in methods]
        return max(sorted(columns), key=lambda c: self.auc(regime, c[0], limit, c[1]))

    def best_default(self, regime: str, methods: list[str], limit: float) -> Column:
        """Return the column with the highest AUC@limit at default thresholds."""
        columns = [c for c in self.errors[regime] if c[0] in methods]
        defaults = sorted(c for c in columns if c[1] == DEFAULT)
        return max(defaults, key=lambda c: self.auc(regime, c[0], limit))

    def pool(self, name: str) -> None:
        """Add all pairs of all regimes as one more, with the columns that all have."""
        regimes = list(self.errors)
        columns = set.intersection(*(set(self.errors[r]) for r in regimes))
        for figures in (self.errors, self.ms):
            figures[name] = {
                column: np.concatenate([figures[r][column] for r in regimes])
                for column in sorted(columns)
            }


def is_ours(method: str) -> bool:
    """Whether a method is a form of this package."""
    return method.split()[0] == OURS


def load_board(folder: Path, split: str, problem: str, regimes: list[str]) -> Board:
    """Read the rows of a problem; regimes without rows are left out."""
    board = Board(problem)
    for regime in regimes:
        table = read_table(path_of(folder, split, problem, regime))
        if table.results:
            _add(board, regime, table)
    return board


def _add(board: Board, regime: str, table: Table) -> None:
    """Align a regime's columns on the pairs that all of them have."""
    pairs: dict[Column, set[str]] = {}
    for pair, method, multiplier in table.results:
        pairs.setdefault((method, multiplier), set()).add(pair)
    shared = sorted(set.intersection(*pairs.values()))
    if not shared:
        return
    board.runs.update(table.runs)
    for (_, method, _), result in table.results.items():
        board.sources.setdefault(method, set()).update(result.runs)
    found = {
        column: [table.results[(pair, *column)] for pair in shared] for column in pairs
    }
    board.errors[regime] = {
        column: np.array([r.error for r in rows]) for column, rows in found.items()
    }
    board.ms[regime] = {
        column: np.array([r.ms for r in rows]) for column, rows in found.items()
    }
