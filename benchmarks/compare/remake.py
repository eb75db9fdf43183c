"""Make the committed rows of this package anew, then every table: one command.

    python -m benchmarks remake

Runs cvscore on every pair of benchmarks/results, all splits, and replaces its rows
there.  Beside it runs the method that a problem's time is measured by (for pairs of
views cv2's USAC_MAGSAC) at its default threshold, so that the ratio of their times is
of one run.  Then writes benchmarks/tables, and the tables of docs/ and
README.
Stop it at any moment; the same command at the same commit goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import cvscore
from benchmarks.command_line import parser_of
from benchmarks.compare.archive import archive, pairs_of
from benchmarks.compare.board import DEFAULT, OURS
from benchmarks.compare.report import write_pages
from benchmarks.compare.rows import path_of, read_table
from benchmarks.compare.run import Budget, run_regime
from benchmarks.data.splits import PUBLISHED, all_regimes_of, regimes_of
from benchmarks.folders import OUT, RESULTS, ROOT
from benchmarks.machine import commit
from benchmarks.methods import METHODS
from benchmarks.problems import PROBLEMS


class Archived(NamedTuple):
    """One file of the archive, and its pairs."""

    problem: str
    regime: str
    split: str
    pairs: list[str]


def archived_files(folder: Path, splits: Sequence[str]) -> Iterator[Archived]:
    """Yield what the archive has of some splits."""
    for split in splits:
        for problem in PROBLEMS:
            for regime in all_regimes_of(problem, split):
                table = read_table(path_of(folder, split, problem, regime))
                if table.results:
                    yield Archived(problem, regime, split, pairs_of(table))


def check_source() -> str:
    """Return the commit that the rows will name; exit if it would not be the truth."""
    imported = Path(cvscore.__file__).resolve()
    if ROOT not in imported.parents:
        raise SystemExit(f"cvscore is imported from {imported}, not from this checkout")
    made_with = commit()
    if made_with.endswith("+"):
        raise SystemExit("cvscore/ has changes that are not committed; commit them")
    return made_with


def remake(
    splits: Sequence[str],
    methods: Sequence[str],
    *,
    source: Path,
    results: Path,
    workers: int = 1,
) -> None:
    """Run the methods at their defaults into ``source``, then archive.

    Without methods: this package, and by problem the one its time is measured by.
    """
    files = list(archived_files(results, splits))
    absent = [f for f in files if f.regime not in regimes_of(f.problem, f.split)]
    if absent:
        names = sorted({f"{f.split} {f.regime}" for f in absent})
        raise SystemExit(f"set CVSCORE_DATA; not on this machine: {', '.join(names)}")
    for problem, regime, split, pairs in files:
        run_regime(
            problem,
            regime,
            split,
            ids=pairs,
            methods=methods or [OURS, PROBLEMS[problem].pace],
            multipliers=[DEFAULT],
            out=source,
            budget=Budget(),
            workers=workers,
        )
    for split in splits:
        print(f"{split}: {archive(split, source, results)} files")


def main(arguments: Sequence[str] | None = None) -> None:
    """Make rows and tables anew."""
    parser = parser_of("remake", __doc__)
    parser.add_argument("--split", choices=PUBLISHED, nargs="+", default=PUBLISHED)
    parser.add_argument(
        "--methods", nargs="+", choices=METHODS, default=[], metavar="METHOD"
    )
    parser.add_argument("--workers", type=int, default=1, help="1, or times are void")
    options = parser.parse_args(arguments)
    source = OUT / "remake" / check_source()
    remake(
        options.split,
        options.methods,
        source=source,
        results=RESULTS,
        workers=options.workers,
    )
    print(*write_pages(), sep="\n")
