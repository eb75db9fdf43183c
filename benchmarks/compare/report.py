"""Rows to markdown: accuracy, times, paired differences, targets met and missed.

python -m benchmarks report                    # the committed rows of the test split
python -m benchmarks report --split real --brief
python -m benchmarks report --folder benchmarks/out    # those made on this machine
python -m benchmarks report --front            # the README's table
python -m benchmarks report --write            # benchmarks/tables, docs, README
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.colmap.table import colmap_page
from benchmarks.command_line import parser_of
from benchmarks.compare.board import (
    CEILING,
    DEFAULT,
    OURS,
    Board,
    is_ours,
    load_board,
)
from benchmarks.compare.front import ALL, front_table
from benchmarks.compare.tables import (
    best_thresholds,
    by_regime,
    check_lists,
    default_and_best,
    differences,
    markdown,
    origin,
    provenance,
    single_thresholds,
)
from benchmarks.compare.targets import (
    Check,
    accuracy_checks,
    real_checks,
    speed_checks,
)
from benchmarks.data import real
from benchmarks.data.splits import SPLITS, all_regimes_of
from benchmarks.folders import RESULTS, ROOT, TABLES
from benchmarks.problems import PROBLEMS, TWO_VIEW
from benchmarks.store import write_atomically

REAL_LIMITS = (5.0, 10.0, 20.0)  # of two views
BEGIN, END = "<!-- begin report: {} -->", "<!-- end report: {} -->"
WRITE = "python -m benchmarks report --write"
OTHERS = tuple(name for name in PROBLEMS if name not in TWO_VIEW)


class Page(NamedTuple):
    """A table file: its split and problems, title, and whether it is a brief one."""

    split: str
    title: str
    is_brief: bool
    problems: tuple[str, ...] = TWO_VIEW


# By the name of the file.  Poses before known points and maps have pages of their own.
PAGES = {
    "test": Page("test", "Synthetic pairs: clouds of points", is_brief=False),
    "surfaces": Page(
        "surfaces", "Synthetic pairs: scenes of another kind", is_brief=True
    ),
    "real": Page("real", "Real pairs", is_brief=False),
    "rematched": Page("rematched", "Photographs matched anew", is_brief=True),
    "poses_and_maps": Page("test", "Absolute poses and maps", False, OTHERS),
    "poses_and_maps_surfaces": Page(
        "surfaces", "Absolute poses and maps: scenes of another kind", True, OTHERS
    ),
    "triplets": Page("real", "Absolute poses in photographs", False, OTHERS),
}
SUMMARISED = ("test", "real")  # in docs/benchmarks.md
FRONT = "front"  # mark of the README's table


def synthetic_report(board: Board) -> str:
    """Return the section of one problem on synthetic pairs."""
    unit = PROBLEMS[board.problem].unit
    parts = [
        f"## {PROBLEMS[board.problem].title}",
        provenance(board),
        f"AUC@{board.limit:g} ({unit}), each at its default threshold:",
        by_regime(board, lambda r, m: board.auc(r, m, board.limit), ".1f"),
        f"AUC@{board.limit:g}, each at the best of its thresholds for that regime:",
        best_thresholds(board, board.limit),
    ]
    if "mixed" in board.regimes:
        parts += [
            f"AUC@{board.limit:g}, mixed, one threshold for all problems:",
            single_thresholds(board, "mixed", board.limit),
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
        f"AUC@{board.limit:g}, ours minus theirs at their default, paired 95 % "
        "interval:",
        differences(board, board.limit),
    ]
    return "\n\n".join(parts)


def _failures(board: Board, regime: str, method: str) -> float:
    errors = board.errors[regime].get((method, DEFAULT))
    return float("nan") if errors is None else float(np.isinf(errors).sum())


def real_limits(board: Board) -> tuple[float, ...]:
    """Return the limits of AUC on real pairs."""
    if board.problem in TWO_VIEW:
        return REAL_LIMITS
    return board.limit, 5.0 * board.limit


def real_report(board: Board) -> str:
    """Return the section of one problem on real pairs."""
    parts = [f"## {PROBLEMS[board.problem].title}", provenance(board)]
    for limit in real_limits(board):
        parts += [
            f"AUC@{limit:g} ({PROBLEMS[board.problem].unit}), default threshold:",
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


def load(folder: Path, split: str, problems: Sequence[str] = TWO_VIEW) -> list[Board]:
    """Read the boards of a split; of real pairs with all of them as one more set."""
    boards = []
    for problem in problems:
        board = load_board(folder, split, problem, all_regimes_of(problem, split))
        if not board.regimes:
            continue
        if split in real.SETS:
            board.pool(ALL)
        boards.append(board)
    return boards


def checks_of(board: Board, split: str) -> list[Check]:
    """Return the targets of a split, where there is somebody to compare with."""
    if split in real.SETS:
        return list(real_checks(board, real_limits(board)))
    return [*accuracy_checks(board), *speed_checks(board)]


def full_report(boards: Sequence[Board], split: str) -> str:
    """Return the report of a split: all problems, then the targets."""
    section = real_report if split in real.SETS else synthetic_report
    return _with_targets([section(board) for board in boards], boards, split)


def brief_report(boards: Sequence[Board], split: str) -> str:
    """Return the accuracy of a split at default and best thresholds, and targets."""
    sections = []
    for board in boards:
        sections += [
            f"## {PROBLEMS[board.problem].title}",
            provenance(board),
            f"AUC@{board.limit:g} ({PROBLEMS[board.problem].unit}), default threshold:",
            by_regime(board, lambda r, m, b=board: b.auc(r, m, b.limit), ".1f"),
            f"AUC@{board.limit:g}, each at the best of its thresholds:",
            best_thresholds(board, board.limit),
        ]
    return _with_targets(sections, boards, split)


def _with_targets(sections: list[str], boards: Sequence[Board], split: str) -> str:
    checks = [check for board in boards for check in checks_of(board, split)]
    if checks:
        sections.append(check_lists(checks))
    sections.append(
        f"AUC@t is the mean of max(0, 1 - error/t), in points. {CEILING}: least "
        "squares on the true inliers, the ceiling."
    )
    return "\n\n".join(sections)


def summary(boards: Sequence[Board], split: str) -> str:
    """Return the table of a split in docs/benchmarks.md."""
    if split in real.SETS:
        return summary_of_sets(boards, split)
    return summary_of_regimes(boards)


def summary_of_regimes(boards: Sequence[Board]) -> str:
    """Some regimes of a split, each method at its default and at its best."""
    of_problem = {board.problem: board for board in boards}
    columns = [(p, r) for p in of_problem for r in PROBLEMS[p].summary]
    rows = [
        [
            m,
            *(
                default_and_best(of_problem[p], r, m, of_problem[p].limit)
                for p, r in columns
            ),
        ]
        for m in of_problem["E"].methods
    ]
    return markdown(["AUC@10", *(f"{p} {r}" for p, r in columns)], rows)


def summary_of_sets(boards: Sequence[Board], split: str) -> str:
    """All pairs of a problem as one, each method at its default and at its best.

    Its best is that of one threshold for all of them.
    """
    of_problem = {board.problem: board for board in boards}
    found = {m for board in boards for m, _ in board.errors[ALL]}
    methods = sorted(found, key=lambda m: (not is_ours(m), m))
    columns = [(p, limit) for p in of_problem for limit in REAL_LIMITS]
    rows = [
        [m, *(default_and_best(of_problem[p], ALL, m, limit) for p, limit in columns)]
        for m in methods
    ]
    names = (f"{p} @{limit:g}" for p, limit in columns)
    return markdown([f"AUC, {split} pairs", *names], rows)


def page(folder: Path, name: str) -> str:
    """Return a table file; its first line says where it comes from."""
    split, title, is_brief, problems = PAGES[name]
    boards = load(folder, split, problems)
    write = brief_report if is_brief else full_report
    first = f"Made by `{WRITE}`; {origin(boards)}."
    return f"{first}\n\n# {title} (`{split}`)\n\n{write(boards, split)}\n"


def update(path: Path, name: str, report: str) -> None:
    """Replace what stands between two marks in a markdown file."""
    text = path.read_text()
    begin, end = BEGIN.format(name), END.format(name)
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    if begin not in text or end not in text:
        raise ValueError(f"{path} lacks the marks {begin} and {end}")
    path.write_text(f"{head}{begin}\n\n{report}\n\n{end}{tail}")


def write_pages(
    folder: Path = RESULTS, to: Path = TABLES, root: Path = ROOT
) -> list[Path]:
    """Write every table file, the summaries of docs/, and the README's table."""
    pages = {name: page(folder, name) for name in PAGES}
    pages["colmap"] = colmap_page(folder)
    for name, text in pages.items():
        write_atomically(to / f"{name}.md", text.encode())
    readme, docs = root / "README.md", root / "docs" / "benchmarks.md"
    update(readme, FRONT, front_table(lambda split: load(folder, split)))
    for split in SUMMARISED:
        update(docs, f"summary, {split}", summary(load(folder, split), split))
    return [*(to / f"{name}.md" for name in pages), docs, readme]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report of a split, or write the table files of all."""
    parser = parser_of("report", __doc__)
    parser.add_argument("--folder", type=Path, default=RESULTS, help="of the rows")
    parser.add_argument("--split", choices=SPLITS, default="test")
    parser.add_argument("--problem", nargs="+", choices=PROBLEMS, default=TWO_VIEW)
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--summary", action="store_true", help="the split's table of docs/benchmarks.md"
    )
    form.add_argument("--front", action="store_true", help="the README's table")
    form.add_argument(
        "--brief", action="store_true", help="AUC@10 and targets, no times, no medians"
    )
    form.add_argument(
        "--write",
        action="store_true",
        help="write the committed rows of all splits to tables, docs and README",
    )
    options = parser.parse_args(arguments)
    if options.write:
        print(*write_pages(), sep="\n")
        return
    if options.front:
        print(front_table(lambda split: load(options.folder, split)))
        return
    write = full_report
    if options.summary:
        write = summary
    elif options.brief:
        write = brief_report
    boards = load(options.folder, options.split, options.problem)
    print(write(boards, options.split))
