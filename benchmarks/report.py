"""Rows to markdown: accuracy, times, paired differences, targets met and missed.

python -m benchmarks.report --split test
python -m benchmarks.report --folder benchmarks/results --update benchmarks/README.md
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from benchmarks import real, synthetic
from benchmarks.accuracy import paired_difference
from benchmarks.board import CEILING, DEFAULT, OURS, Board, is_ours, load_board
from benchmarks.data import PROBLEMS
from benchmarks.run import OUT
from benchmarks.suites import SPLITS
from benchmarks.targets import (
    LIMIT,
    Check,
    accuracy_checks,
    real_checks,
    speed_checks,
)

NAMES = {"E": "Essential matrix", "F": "Fundamental matrix", "H": "Homography"}
UNITS = {"E": "degrees", "F": "degrees", "H": "pixels"}
REAL_LIMITS = (5.0, 10.0, 20.0)
# Of the README's table: the regimes of each problem.
SUMMARY = {
    "E": ("typical", "lowinl", "sig10", "mixed"),
    "F": ("typical", "lowinl", "planar", "mixed"),
    "H": ("typical", "lowinl", "sig3", "mixed"),
}
ALL = "all"  # real pairs of all sets, as one
BEGIN, END = "<!-- begin report: {} -->", "<!-- end report: {} -->"


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: float, form: str) -> str:
    return "" if np.isnan(value) else format(value, form)


def by_regime(board: Board, figure: Callable[[str, str], float], form: str) -> str:
    """Table of one figure: a row per method, a column per regime."""
    rows = [
        [method, *(_cell(figure(regime, method), form) for regime in board.regimes)]
        for method in board.methods
    ]
    return markdown(["method", *board.regimes], rows)


def best_thresholds(board: Board, limit: float) -> str:
    """AUC of every method at the best of its thresholds, regime by regime."""

    def cell(regime: str, method: str) -> str:
        if not board.multipliers(regime, method):
            return ""
        _, multiplier = board.best_column(regime, [method], limit)
        value = board.auc(regime, method, limit, multiplier)
        times = (
            "" if len(board.multipliers(regime, method)) == 1 else f" x{multiplier:g}"
        )
        return f"{value:.1f}{times}"

    rows = [[m, *(cell(r, m) for r in board.regimes)] for m in board.methods]
    return markdown(["method", *board.regimes], rows)


def single_thresholds(board: Board, regime: str, limit: float) -> str:
    """AUC on one regime at each threshold multiplier."""
    multipliers = sorted({x for _, x in board.errors[regime]})
    rows = [
        [m, *(_cell(board.auc(regime, m, limit, x), ".1f") for x in multipliers)]
        for m in board.methods
    ]
    return markdown(["method", *(f"x{x:g}" for x in multipliers)], rows)


def differences(board: Board, limit: float) -> str:
    """AUC of ours minus each peer's default, with its paired 95 % interval."""

    def cell(regime: str, method: str) -> str:
        ours = board.errors[regime].get((OURS, DEFAULT))
        theirs = board.errors[regime].get((method, DEFAULT))
        if ours is None or theirs is None:
            return ""
        difference, low, high = paired_difference(ours, theirs, limit)
        return f"{difference:+.1f} ({low:+.1f}, {high:+.1f})"

    rows = [[m, *(cell(r, m) for r in board.regimes)] for m in board.peers]
    return markdown(["ours minus", *board.regimes], rows)


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


def provenance(board: Board) -> str:
    """Say with what the rows were made, and how many pairs there are."""
    counts = ", ".join(f"{r} {board.num_pairs(r)}" for r in board.regimes)
    lines = {
        f"commit {run['commit']}, {run['cpu']}, Python {run['python']}, "
        f"{run['max_iterations']} iterations, confidence {run['confidence']}, "
        + ", ".join(f"{k} {v}" for k, v in run["versions"].items())
        + ("" if run["workers"] == 1 else "; SEVERAL WORKERS: times do not count")
        for run in board.runs.values()
    }
    return f"Pairs: {counts}.\n\n" + "\n\n".join(sorted(lines))


def synthetic_report(board: Board) -> str:
    """Return the section of one problem on synthetic pairs."""
    unit = UNITS[board.problem]
    parts = [
        f"### {NAMES[board.problem]}",
        provenance(board),
        f"AUC@{LIMIT:g} ({unit}), each at its default threshold:",
        by_regime(board, lambda r, m: board.auc(r, m, LIMIT), ".1f"),
        f"AUC@{LIMIT:g}, each at the best of its thresholds for that regime:",
        best_thresholds(board, LIMIT),
    ]
    if "mixed" in board.regimes:
        parts += [
            f"AUC@{LIMIT:g}, mixed, one threshold for all problems:",
            single_thresholds(board, "mixed", LIMIT),
        ]
    parts += [
        f"Median error ({unit}), default threshold:",
        by_regime(board, board.median, ".3g"),
        "Median time (ms), default threshold:",
        by_regime(board, board.time, ".3g"),
        "Our median time over theirs:",
        by_regime(board, lambda r, m: board.time(r, OURS) / board.time(r, m), ".2f"),
        "No model at all (pairs), default threshold:",
        by_regime(board, lambda r, m: _failures(board, r, m), ".0f"),
        f"AUC@{LIMIT:g}, ours minus theirs at their default, paired 95 % interval:",
        differences(board, LIMIT),
    ]
    return "\n\n".join(parts)


def _failures(board: Board, regime: str, method: str) -> float:
    errors = board.errors[regime].get((method, DEFAULT))
    return float("nan") if errors is None else float(np.isinf(errors).sum())


def real_report(board: Board) -> str:
    """Return the section of one problem on real pairs."""
    parts = [f"### {NAMES[board.problem]}", provenance(board)]
    for limit in REAL_LIMITS:
        parts += [
            f"AUC@{limit:g} ({UNITS[board.problem]}), default threshold:",
            by_regime(board, lambda r, m, t=limit: board.auc(r, m, t), ".1f"),
            f"AUC@{limit:g}, best threshold for that set:",
            best_thresholds(board, limit),
        ]
    parts += [
        "Median error, default threshold:",
        by_regime(board, board.median, ".3g"),
        "Median time (ms), default threshold:",
        by_regime(board, board.time, ".3g"),
    ]
    return "\n\n".join(parts)


def load(folder: Path, split: str) -> list[Board]:
    """Read the boards of a split; of real pairs with all of them as one more set."""
    boards = []
    for problem in PROBLEMS:
        names = synthetic.regimes_of(problem)
        if split in real.SETS:
            names = list(real.SETS[split][problem])
        board = load_board(folder, split, problem, names)
        if not board.regimes:
            continue
        if split in real.SETS:
            board.pool(ALL)
        boards.append(board)
    return boards


def checks_of(board: Board, split: str) -> list[Check]:
    """Return the targets of a split, where there is somebody to compare with."""
    if split in real.SETS:
        return list(real_checks(board, REAL_LIMITS))
    return [*accuracy_checks(board), *speed_checks(board)]


def full_report(folder: Path, split: str) -> str:
    """Return the report of a split: all problems, then the targets."""
    boards = load(folder, split)
    section = real_report if split in real.SETS else synthetic_report
    sections = [section(board) for board in boards]
    return _with_targets(sections, boards, split)


def brief_report(folder: Path, split: str) -> str:
    """Return the accuracy of a split at default and best thresholds, and targets."""
    boards = load(folder, split)
    sections = []
    for board in boards:
        sections += [
            f"### {NAMES[board.problem]}",
            provenance(board),
            f"AUC@{LIMIT:g} ({UNITS[board.problem]}), default threshold:",
            by_regime(board, lambda r, m, b=board: b.auc(r, m, LIMIT), ".1f"),
            f"AUC@{LIMIT:g}, each at the best of its thresholds:",
            best_thresholds(board, LIMIT),
        ]
    return _with_targets(sections, boards, split)


def _with_targets(sections: list[str], boards: list[Board], split: str) -> str:
    checks = [check for board in boards for check in checks_of(board, split)]
    if checks:
        sections.append(check_lists(checks))
    sections.append(
        f"AUC@t is the mean of max(0, 1 - error/t), in points. {CEILING}: least "
        "squares on the true inliers, the ceiling."
    )
    return "\n\n".join(sections)


def summary(folder: Path, split: str) -> str:
    """Return the README's table of a split."""
    if split in real.SETS:
        return summary_of_sets(folder, split)
    return summary_of_regimes(folder, split)


def summary_of_regimes(folder: Path, split: str) -> str:
    """Some regimes of a split, each method at its default and at its best."""
    boards = {board.problem: board for board in load(folder, split)}
    columns = [(p, r) for p, regimes in SUMMARY.items() for r in regimes]
    rows = [
        [m, *(_default_and_best(boards[p], r, m, LIMIT) for p, r in columns)]
        for m in boards["E"].methods
    ]
    return markdown(["AUC@10", *(f"{p} {r}" for p, r in columns)], rows)


def summary_of_sets(folder: Path, split: str) -> str:
    """All pairs of a problem as one, each method at its default and at its best.

    Its best is that of one threshold for all of them.
    """
    boards = {board.problem: board for board in load(folder, split)}
    found = {m for board in boards.values() for m, _ in board.errors[ALL]}
    methods = sorted(found, key=lambda m: (not is_ours(m), m))
    columns = [(p, limit) for p in boards for limit in REAL_LIMITS]
    rows = [
        [m, *(_default_and_best(boards[p], ALL, m, limit) for p, limit in columns)]
        for m in methods
    ]
    names = (f"{p} @{limit:g}" for p, limit in columns)
    return markdown([f"AUC, {split} pairs", *names], rows)


def _default_and_best(board: Board, regime: str, method: str, limit: float) -> str:
    default = board.auc(regime, method, limit)
    if method in {OURS, CEILING} or not board.multipliers(regime, method):
        return _cell(default, ".1f")
    _, multiplier = board.best_column(regime, [method], limit)
    best = board.auc(regime, method, limit, multiplier)
    return f"{_cell(default, '.1f')} / {_cell(best, '.1f')}"


def update(path: Path, split: str, report: str) -> None:
    """Replace what stands between the split's two marks in a markdown file."""
    text = path.read_text()
    begin, end = BEGIN.format(split), END.format(split)
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    if begin not in text or end not in text:
        raise ValueError(f"{path} lacks the marks {begin} and {end}")
    path.write_text(f"{head}{begin}\n\n{report}\n\n{end}{tail}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report, or put it into a file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report")
    parser.add_argument("--folder", type=Path, default=OUT)
    parser.add_argument("--split", choices=SPLITS, default="test")
    parser.add_argument("--update", type=Path, help="markdown file with marks")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--summary", action="store_true", help="only the README's table of the split"
    )
    form.add_argument(
        "--brief", action="store_true", help="AUC@10 and targets, no times, no medians"
    )
    options = parser.parse_args(arguments)
    write, name = full_report, options.split
    if options.summary:
        write, name = summary, f"summary, {options.split}"
    elif options.brief:
        write = brief_report
    report = write(options.folder, options.split)
    if options.update is None:
        print(report)
    else:
        update(options.update, name, report)


if __name__ == "__main__":
    main()
