"""The rows behind the README, small enough to commit: a line per method and threshold.

python -m benchmarks.archive --split test real rematched

Reads benchmarks/out and writes benchmarks/results, which `benchmarks.report` reads as
well.  Only complete columns are kept: a method at one threshold on every pair that
cvscore has; and no ceiling where nobody knows the true inliers.  Errors have four
digits there, times three.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import inf
from pathlib import Path

from benchmarks.board import CEILING, DEFAULT, OURS
from benchmarks.data import PROBLEMS
from benchmarks.run import OUT
from benchmarks.store import Row, Table, Writer, make_column, path_of, read
from benchmarks.suites import SPLITS, regimes_of

RESULTS = Path(__file__).parent / "results"
PUBLISHED = [split for split in SPLITS if split != "val"]


def columns_of(table: Table) -> list[Row]:
    """Headers of the runs that are used, then the complete columns, in order."""
    pairs = sorted(
        (pair for pair, method, x in table.results if (method, x) == (OURS, DEFAULT)),
        key=lambda pair: (len(pair), pair),
    )
    columns = []
    for method, x in sorted({(method, x) for _, method, x in table.results}):
        found = [table.results.get((pair, method, x)) for pair in pairs]
        knows_nothing = method == CEILING and not any(
            r and r.error < inf for r in found
        )
        if found and None not in found and not knows_nothing:
            columns.append(make_column(pairs, method, x, found))
    used = {run for column in columns for run in column["runs"]}
    return [table.runs[run] for run in sorted(used & set(table.runs))] + columns


def archive(split: str, source: Path, target: Path) -> int:
    """Archive a split; return how many files were written."""
    count = 0
    for problem in PROBLEMS:
        for regime in regimes_of(problem, split):
            rows = columns_of(read(path_of(source, split, problem, regime)))
            if not rows:
                continue
            path = path_of(target, split, problem, regime)
            path.unlink(missing_ok=True)
            writer = Writer(path)
            for row in rows:
                writer.append(row)
            count += 1
    return count


def main(arguments: Sequence[str] | None = None) -> None:
    """Archive splits."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.archive")
    parser.add_argument("--split", choices=SPLITS, nargs="+", default=PUBLISHED)
    parser.add_argument("--folder", type=Path, default=OUT)
    parser.add_argument("--to", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    for split in options.split:
        print(f"{split}: {archive(split, options.folder, options.to)} files")


if __name__ == "__main__":
    main()
