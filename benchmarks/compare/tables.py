"""Boards to markdown: accuracy, thresholds, paired differences, targets, origins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from benchmarks.compare.board import CEILING, DEFAULT, OURS, Board, is_ours
from benchmarks.compare.targets import Check
from benchmarks.protocols.accuracy import paired_difference


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def cell(value: float, form: str) -> str:
    """Return a figure, or nothing where there is none."""
    return "" if np.isnan(value) else format(value, form)


def by_regime(board: Board, figure: Callable[[str, str], float], form: str) -> str:
    """Table of one figure: a row per method, a column per regime."""
    rows = [
        [method, *(cell(figure(regime, method), form) for regime in board.regimes)]
        for method in board.methods
    ]
    return markdown(["method", *board.regimes], rows)


def best_thresholds(board: Board, limit: float) -> str:
    """AUC of every method at the best of its thresholds, regime by regime."""

    def best(regime: str, method: str) -> str:
        if not board.multipliers(regime, method):
            return ""
        _, multiplier = board.best_column(regime, [method], limit)
        value = board.auc(regime, method, limit, multiplier)
        times = (
            "" if len(board.multipliers(regime, method)) == 1 else f" x{multiplier:g}"
        )
        return f"{value:.1f}{times}"

    rows = [[m, *(best(r, m) for r in board.regimes)] for m in board.methods]
    return markdown(["method", *board.regimes], rows)


def single_thresholds(board: Board, regime: str, limit: float) -> str:
    """AUC on one regime at each threshold multiplier."""
    multipliers = sorted({x for _, x in board.errors[regime]})
    rows = [
        [m, *(cell(board.auc(regime, m, limit, x), ".1f") for x in multipliers)]
        for m in board.methods
    ]
    return markdown(["method", *(f"x{x:g}" for x in multipliers)], rows)


def differences(board: Board, limit: float) -> str:
    """AUC of ours minus each peer's default, with its paired 95 % interval."""

    def difference(regime: str, method: str) -> str:
        ours = board.errors[regime].get((OURS, DEFAULT))
        theirs = board.errors[regime].get((method, DEFAULT))
        if ours is None or theirs is None:
            return ""
        gain, low, high = paired_difference(ours, theirs, limit)
        return f"{gain:+.1f} ({low:+.1f}, {high:+.1f})"

    rows = [[m, *(difference(r, m) for r in board.regimes)] for m in board.peers]
    return markdown(["ours minus", *board.regimes], rows)


def default_and_best(board: Board, regime: str, method: str, limit: float) -> str:
    """AUC at the default threshold, and at the best one where there is a choice."""
    default = board.auc(regime, method, limit)
    if method in {OURS, CEILING} or not board.multipliers(regime, method):
        return cell(default, ".1f")
    _, multiplier = board.best_column(regime, [method], limit)
    best = board.auc(regime, method, limit, multiplier)
    return f"{cell(default, '.1f')} / {cell(best, '.1f')}"


def check_lists(checks: Sequence[Check]) -> str:
    """Return the targets that hold and those that do not, both in full."""

    def rows(holds: bool) -> list[list[str]]:  # noqa: FBT001
        return [
            [
                c.problem,
                c.regime,
                c.what,
                f"{c.ours:.2f}",
                f"{'>=' if c.at_least else '<='} {c.needed:g}",
                c.note,
            ]
            for c in checks
            if c.holds is holds
        ]

    header = ["", "regime", "what", "ours", "target", "peer"]
    won, lost = rows(True), rows(False)
    return "\n\n".join(
        [
            f"**Targets met: {len(won)}**",
            markdown(header, won),
            f"**Targets missed: {len(lost)}**",
            markdown(header, lost),
        ]
    )


def origin(boards: Sequence[Board]) -> str:
    """Say in one line which commits made the rows."""
    ours: set[str] = set()
    others: set[str] = set()
    for board in boards:
        for method in board.methods:
            (ours if is_ours(method) else others).update(board.commits_of(method))
    return (
        f"rows of {OURS}: {', '.join(sorted(ours))}; "
        f"of the others: {len(others)} commits, listed below for each problem"
    )


def commits(board: Board) -> str:
    """Say which commits made the rows of which methods."""
    groups: dict[str, list[str]] = {}
    for method in board.methods:
        made_by = ", ".join(sorted(board.commits_of(method)))
        groups.setdefault(made_by or "not recorded", []).append(method)
    lines = (f"- {', '.join(methods)}: {by}" for by, methods in groups.items())
    return "Commits that made the rows:\n\n" + "\n".join(lines)


def provenance(board: Board) -> str:
    """Say with what the rows were made, and how many pairs there are."""
    counts = ", ".join(f"{r} {board.num_pairs(r)}" for r in board.regimes)
    machines = {
        f"{run['cpu']}, Python {run['python']}, {run['max_iterations']} iterations, "
        f"confidence {run['confidence']}"
        for run in board.runs.values()
    }
    versions = {
        f"{package} {version}"
        for run in board.runs.values()
        for package, version in run["versions"].items()
        if package != OURS  # the commit says more
    }
    spread = [
        method
        for method in board.methods
        if any(run["workers"] > 1 for run in board.runs_of(method))
    ]
    parts = [
        f"Pairs: {counts}.",
        "; ".join([*sorted(machines), ", ".join(sorted(versions))]) + ".",
        commits(board),
    ]
    if spread:
        parts.append(f"SEVERAL WORKERS, times do not count: {', '.join(spread)}.")
    return "\n\n".join(parts)
