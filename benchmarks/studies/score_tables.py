"""What the rows of `scores` say: each score at its best threshold, and a decade off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.compare.board import DEFAULT, OURS, Column, load_board
from benchmarks.compare.front import ALL
from benchmarks.compare.rows import path_of, read_table
from benchmarks.compare.tables import markdown
from benchmarks.data.pair import Array
from benchmarks.data.splits import all_regimes_of
from benchmarks.methods.same_loop import name_of
from benchmarks.methods.scores import BASELINES
from benchmarks.problems import TWO_VIEW
from benchmarks.protocols.accuracy import auc, paired_difference

KINDS = {"test": "synthetic", "real": "photographs"}
DECADE = 10.0
CEILING = "oracle"


class Panel(NamedTuple):
    """All pairs of one problem and split; errors (P,) by method and threshold."""

    problem: str
    split: str
    limit: float
    errors: dict[Column, Array]
    pairs: dict[str, list[str]]  # ids by regime, in the order of the errors

    @property
    def title(self) -> str:
        """Return problem and kind of pairs, as in figure and tables."""
        return f"{self.problem}, {KINDS[self.split]}"

    def auc(self, column: Column) -> float:
        """AUC at the limit of the problem, in points."""
        return auc(self.errors[column], self.limit)

    @property
    def marginal(self) -> float:
        """AUC of the score without a threshold."""
        return self.auc((OURS, DEFAULT))

    def thresholds(self, score: str) -> list[float]:
        """Thresholds at which a baseline ran, pixels."""
        return sorted(x for method, x in self.errors if method == name_of(score))

    @property
    def scores(self) -> list[str]:
        """Baselines that ran here."""
        return [score for score in BASELINES if self.thresholds(score)]

    def at(self, score: str, threshold: float) -> float | None:
        """AUC of a baseline; None if it did not run there."""
        found = [x for x in self.thresholds(score) if abs(x / threshold - 1) < 1e-6]
        return self.auc((name_of(score), found[0])) if found else None

    def best_threshold(self, score: str) -> float:
        """One threshold for all pairs, picked with the truth in hand."""
        name = name_of(score)
        return max(self.thresholds(score), key=lambda x: self.auc((name, x)))

    def decade_off(self, score: str) -> tuple[float | None, float | None]:
        """AUC at a tenth of the best threshold and at ten times it."""
        best = self.best_threshold(score)
        return self.at(score, best / DECADE), self.at(score, best * DECADE)


def load_panels(folder: Path) -> list[Panel]:
    """Read what there is, problem by problem."""
    panels = []
    for problem in TWO_VIEW:
        for split in KINDS:
            regimes = all_regimes_of(problem, split)
            board = load_board(folder, split, problem, regimes)
            if not board.regimes:
                continue
            pairs = {
                regime: _shared_pairs(folder, split, problem, regime)
                for regime in board.regimes
            }
            board.pool(ALL)
            errors = board.errors[ALL]
            panels.append(Panel(problem, split, board.limit, errors, pairs))
    return panels


def _shared_pairs(folder: Path, split: str, problem: str, regime: str) -> list[str]:
    """Pairs that every method has, in the order of a board."""
    results = read_table(path_of(folder, split, problem, regime)).results
    by_column: dict[Column, set[str]] = {}
    for pair, *column in results:
        by_column.setdefault(tuple(column), set()).add(pair)
    return sorted(set.intersection(*by_column.values()))


def scores_table(panels: Iterable[Panel]) -> str:
    """Return markdown: one row a score and panel."""
    rows = []
    for panel in panels:
        num = sum(map(len, panel.pairs.values()))
        title = f"{panel.title}, {num} pairs"
        rows.append(
            [f"**{title}**", "**marginal**", "none", f"**{panel.marginal:.1f}**"]
        )
        rows[-1] += ["", "", ""]
        for score in panel.scores:
            best = panel.best_threshold(score)
            column = name_of(score), best
            ours, theirs = panel.errors[OURS, DEFAULT], panel.errors[column]
            gain, low, high = paired_difference(ours, theirs, panel.limit)
            cells = ["" if a is None else f"{a:.1f}" for a in panel.decade_off(score)]
            rows.append(
                [
                    "",
                    score,
                    f"{best:g} px",
                    f"{panel.auc(column):.1f}",
                    f"{gain:+.1f} [{low:+.1f}, {high:+.1f}]",
                    *cells,
                ]
            )
    header = ["pairs", "score", "best threshold", "AUC@10 there", "marginal minus it"]
    return markdown([*header, "at a tenth of it", "at ten times it"], rows)


def shares_table(panels: Iterable[Panel], peers: Path) -> str:
    """Return markdown: what the loop and what the score is worth.

    ``peers`` is the folder of the comparison's rows; theirs on the same pairs count.
    """
    rows = []
    for panel in panels:
        package, figure = best_package(panel, peers)
        if package is None:
            continue
        score = max(panel.scores, key=lambda s: panel.at(s, panel.best_threshold(s)))
        tuned = panel.at(score, panel.best_threshold(score))
        rows.append(
            [
                panel.title,
                f"{figure:.1f} ({package})",
                f"{tuned:.1f} ({score})",
                f"{panel.marginal:.1f}",
                f"{tuned - figure:+.1f}",
                f"{panel.marginal - tuned:+.1f}",
            ]
        )
    header = [
        "pairs",
        "best other package, tuned",
        "this loop, best other score, tuned",
    ]
    header += ["this loop, marginal score", "the loop's part", "the score's part"]
    return markdown(header, rows)


def best_package(panel: Panel, peers: Path) -> tuple[str | None, float]:
    """Return the best other package at its best threshold, on the same pairs."""
    errors: dict[Column, list[float]] = {}
    for regime, pairs in panel.pairs.items():
        path = path_of(peers, panel.split, panel.problem, regime)
        results = read_table(path).results
        for column in {(method, x) for _, method, x in results}:
            found = [results.get((pair, *column)) for pair in pairs]
            errors.setdefault(column, []).extend(r.error for r in found if r)
    num = sum(map(len, panel.pairs.values()))
    complete = {
        column: auc(values, panel.limit)
        for column, values in errors.items()
        if len(values) == num
        and column[0] not in (OURS, CEILING)
        and not column[0].startswith(f"{OURS} ")
    }
    if not complete:
        return None, float("nan")
    method, x = max(sorted(complete), key=complete.__getitem__)
    return method, complete[method, x]


def widest_gaps(panels: Sequence[Panel]) -> str:
    """Return the sentence that the page begins with, from the rows."""
    leads = [
        panel.marginal - panel.at(s, panel.best_threshold(s))
        for panel in panels
        for s in panel.scores
    ]
    losses = [
        panel.marginal - value
        for panel in panels
        for s in panel.scores
        for value in panel.decade_off(s)
        if value is not None
    ]
    return (
        f"The marginal score minus another at its best threshold: {min(leads):+.1f} to "
        f"{max(leads):+.1f} points. Minus another a decade off: {min(losses):+.1f} to "
        f"{max(losses):+.1f}."
    )
