"""What every step of every estimator is worth: leave it out, and see what changes.

    python -m benchmarks steps --num 100

A row is what is left out, a column a set of pairs: validation problems and those of the
other generator (from number 4,000 on, on which nothing was chosen), real pairs, and the
photographs matched anew.  A cell is the change of AUC@10 with its 95 % interval over
pairs; then the regime that changes most, and the change of the median time of a call in
per cent.  ``--write`` puts the tables into benchmarks/tables/steps.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.pair import Pair
from benchmarks.data.real import SETS
from benchmarks.data.splits import load_pair, pair_ids, regimes_of
from benchmarks.folders import ROOT
from benchmarks.machine import commit
from benchmarks.methods.cvscore import error_with
from benchmarks.problems import PROBLEMS
from benchmarks.protocols.accuracy import paired_difference
from benchmarks.studies.variants import estimating_with, estimator_of, variants_of
from cvscore._numba.progress import progress

SPLITS = ("val", "surfaces", "real", "rematched")
FIRST = 4000  # of the synthetic problems: beyond those on which anything was chosen
FULL = "full"
PAGE = ROOT / "benchmarks" / "tables" / "steps.md"


class Outcome(NamedTuple):
    """One call: its error in degrees or pixels, and its time in seconds."""

    error: float
    seconds: float


# By split, regime and variant, in the order of the pairs.
Outcomes = dict[tuple[str, str, str], list[Outcome]]


def pairs_of(problem: str, split: str, regime: str, num: int) -> Iterator[Pair]:
    """Yield the pairs of a regime that steps are judged on."""
    ids = pair_ids(problem, regime, split, 1000 if split in SETS else num)
    if split not in SETS:
        ids = [str(FIRST + int(index)) for index in ids]
    for pair_id in ids:
        yield load_pair(problem, regime, split, pair_id)


def measure(problem: str, splits: Sequence[str], num: int) -> Outcomes:
    """Run every variant on every pair, interleaved."""
    variants = {FULL: estimator_of(problem), **variants_of(problem)}
    outcomes: Outcomes = {}
    regimes = [(s, r) for s in splits for r in regimes_of(problem, s)]
    for split, regime in progress(regimes, label=f"{problem} regimes"):
        for pair in pairs_of(problem, split, regime, num):
            for name, estimator in variants.items():
                with estimating_with(problem, estimator):
                    start = time.thread_time()
                    error = error_with(pair)
                    seconds = time.thread_time() - start
                outcome = Outcome(error, seconds)
                outcomes.setdefault((split, regime, name), []).append(outcome)
    return outcomes


def table_of(outcomes: Outcomes, limit: float) -> list[str]:
    """Return the rows of the table of one problem."""
    splits = list(dict.fromkeys(split for split, _, _ in outcomes))
    variants = list(dict.fromkeys(name for _, _, name in outcomes if name != FULL))
    lines = [
        "| left out | " + " | ".join(splits) + " | changes most | time |",
        "| --- " * (len(splits) + 3) + "|",
    ]
    for variant in variants:
        cells = [cell_of(outcomes, split, variant, limit) for split in splits]
        largest = largest_change(outcomes, variant, limit)
        cells += [largest, f"{slower_by(outcomes, variant):+.0f} %"]
        lines.append(f"| {variant} | " + " | ".join(cells) + " |")
    return lines


def of_variant(outcomes: Outcomes, variant: str) -> Mapping[tuple[str, str], list]:
    """Return the outcomes of one variant by split and regime."""
    return {(s, r): found for (s, r, v), found in outcomes.items() if v == variant}


def cell_of(outcomes: Outcomes, split: str, variant: str, limit: float) -> str:
    """Return the change of AUC over all pairs of a split, with its interval."""
    ours, theirs = (
        [
            outcome.error
            for (s, _), found in of_variant(outcomes, name).items()
            if s == split
            for outcome in found
        ]
        for name in (variant, FULL)
    )
    change, low, high = paired_difference(ours, theirs, limit)
    return f"{change:+.2f} [{low:+.1f}, {high:+.1f}]"


def largest_change(outcomes: Outcomes, variant: str, limit: float) -> str:
    """Return the regime whose AUC changes most, and by how much."""
    full, changes = of_variant(outcomes, FULL), {}
    for key, found in of_variant(outcomes, variant).items():
        errors = [[o.error for o in rows] for rows in (found, full[key])]
        changes[key] = paired_difference(*errors, limit)[0]
    split, regime = max(changes, key=lambda key: abs(changes[key]))
    return f"{split} {regime} {changes[split, regime]:+.1f}"


def slower_by(outcomes: Outcomes, variant: str) -> float:
    """Return the change of the median time of a call, in per cent."""
    medians = [
        np.median(
            [o.seconds for rows in of_variant(outcomes, v).values() for o in rows]
        )
        for v in (variant, FULL)
    ]
    return 100.0 * float(medians[0] / medians[1] - 1.0)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one table for each problem."""
    parser = parser_of("steps", __doc__)
    parser.add_argument("--num", type=int, default=100, help="synthetic pairs a regime")
    parser.add_argument(
        "--problem", nargs="+", default=list(PROBLEMS), choices=PROBLEMS
    )
    parser.add_argument("--splits", nargs="+", default=SPLITS, choices=SPLITS)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args(arguments)
    command = f"python -m benchmarks steps --num {options.num} --write"
    lines = [f"Made by `{command}` at commit {commit()}.", "", "# What steps are worth"]
    for problem in options.problem:
        outcomes = measure(problem, options.splits, options.num)
        lines += ["", f"## {problem}", "", *table_of(outcomes, PROBLEMS[problem].limit)]
    text = "\n".join(lines) + "\n"
    print(text)
    if options.write:
        Path(PAGE).write_text(text, encoding="utf-8")
