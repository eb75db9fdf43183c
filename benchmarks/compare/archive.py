"""The rows behind the tables, small enough to commit: a line per method and threshold.

    python -m benchmarks archive --split test real rematched

Takes rows from benchmarks/out to benchmarks/results.  A method at one threshold is
taken if it has every pair of the archive, and then replaces what was there; all else
stays.  `--anew` starts from nothing: the pairs are then those that cvscore has.
Errors have four digits there, times three.  There is no ceiling where nobody knows the
true inliers.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from pathlib import Path

from benchmarks.command_line import parser_of
from benchmarks.compare.board import CEILING, DEFAULT, OURS, Column
from benchmarks.compare.rows import Table, make_column, path_of, read_table
from benchmarks.data.splits import PUBLISHED, SPLITS, all_regimes_of
from benchmarks.folders import OUT, RESULTS
from benchmarks.problems import PROBLEMS
from benchmarks.store import Row, write_rows


def pairs_of(table: Table, column: Column = (OURS, DEFAULT)) -> list[str]:
    """Return the pairs that a column has, in order; by default this package's."""
    found = (pair for pair, method, x in table.results if (method, x) == column)
    return sorted(found, key=lambda pair: (len(pair), pair))


def columns_of(table: Table) -> list[Row]:
    """Headers of the runs that are used, then the complete columns, in order."""
    pairs = pairs_of(table)
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


def merged(archived: Table, new: Table) -> Table:
    """Return the archive with the new columns that have all of its pairs."""
    pairs = set(pairs_of(archived))
    if not pairs:
        return new
    result = Table(dict(archived.runs), dict(archived.results))
    for column in {(method, x) for _, method, x in new.results}:
        if pairs <= set(pairs_of(new, column)):
            keys = [(pair, *column) for pair in pairs]
            result.update(Table(new.runs, {key: new.results[key] for key in keys}))
    return result


def archive(split: str, source: Path, target: Path, *, anew: bool = False) -> int:
    """Archive a split; return how many files were written."""
    count = 0
    for problem in PROBLEMS:
        for regime in all_regimes_of(problem, split):
            path = path_of(target, split, problem, regime)
            new = read_table(path_of(source, split, problem, regime))
            rows = columns_of(merged(Table() if anew else read_table(path), new))
            if new.results and rows:
                write_rows(path, rows)
                count += 1
    return count


def main(arguments: Sequence[str] | None = None) -> None:
    """Archive splits."""
    parser = parser_of("archive", __doc__)
    parser.add_argument("--split", choices=SPLITS, nargs="+", default=PUBLISHED)
    parser.add_argument("--folder", type=Path, default=OUT)
    parser.add_argument("--to", type=Path, default=RESULTS)
    parser.add_argument("--anew", action="store_true", help="keep nothing archived")
    options = parser.parse_args(arguments)
    for split in options.split:
        count = archive(split, options.folder, options.to, anew=options.anew)
        print(f"{split}: {count} files")
