"""Tune on validation problems: this package now, beside the peers' stored figures.

    python -m benchmarks quick --problem F --num 50 --regimes typical lowinl

The peers' rows on the very same problems come from benchmarks/out; make them once with

    python -m benchmarks compare --split val --num 60 --methods poselib pycolmap ...
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.compare.board import CEILING
from benchmarks.compare.rows import Result, Table, path_of, read_table, results_of
from benchmarks.compare.run import Budget, Job, execute
from benchmarks.data.splits import SPLITS, pair_ids, regimes_of
from benchmarks.folders import OUT
from benchmarks.problems import PROBLEMS, Problem
from benchmarks.protocols.accuracy import auc

COLUMNS = (
    f"{'':9s}{'ours':>6s}{'dflt':>6s}{'best':>6s}{'orcl':>6s}"
    f"{'median':>9s}{'best':>8s}{'fail':>5s}{'ms':>7s}{'pace':>8s}   best peers"
)


def peers_of(table: Table, ids: Sequence[str]) -> dict[tuple[str, float], list[Result]]:
    """Results by (method, multiplier) of the methods that did all of the pairs."""
    columns = {(method, x) for _, method, x in table.results}
    found = {
        (method, x): [table.results.get((i, method, x)) for i in ids]
        for method, x in columns
    }
    return {key: rows for key, rows in found.items() if None not in rows}


def line_of(
    problem: Problem,
    regime: str,
    ours: Sequence[Result],
    peers: dict[tuple[str, float], list[Result]],
) -> str:
    """One line: AUC of ours, best default, best of all, oracle; medians; times."""
    limit, errors = problem.limit, [r.error for r in ours]
    text = f"{regime[:9]:9s}{auc(errors, limit):6.1f}"
    ceiling = peers.pop((CEILING, 1.0), None)
    pace = peers.get((problem.pace, 1.0))
    scores = {key: auc([r.error for r in rows], limit) for key, rows in peers.items()}
    default = max((k for k in scores if k[1] == 1.0), key=scores.get, default=None)
    best = max(scores, key=scores.get, default=None)
    medians = [np.median([r.error for r in rows]) for rows in peers.values()]
    text += f"{scores[default]:6.1f}" if default else f"{'-':>6s}"
    text += f"{scores[best]:6.1f}" if best else f"{'-':>6s}"
    text += f"{auc([r.error for r in ceiling], limit):6.1f}" if ceiling else " " * 6
    text += f"{np.median(errors):9.3f}"
    text += f"{min(medians):8.3f}" if medians else f"{'-':>8s}"
    text += f"{sum(np.isinf(errors)):5d}{np.median([r.ms for r in ours]):7.1f}"
    text += f"{np.median([r.ms for r in pace]):8.1f}" if pace else f"{'-':>8s}"
    if default and best:
        text += f"   {default[0]}; {best[0]} x{best[1]:g}"
    return text


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = parser_of("quick", __doc__)
    parser.add_argument(
        "--problem", nargs="+", choices=PROBLEMS, default=list(PROBLEMS)
    )
    parser.add_argument("--regimes", nargs="+", help="default: all")
    parser.add_argument("--split", choices=SPLITS, default="val")
    parser.add_argument("--num", type=int, default=50)
    parser.add_argument("--method", default="cvscore")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--max-iterations", type=int, default=1000)
    parser.add_argument("--confidence", type=float, default=0.999)
    parser.add_argument("--peers", type=Path, default=OUT, help="folder of their rows")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one line per regime, in order, as soon as it is done."""
    options = parse(arguments)
    budget = Budget(options.max_iterations, options.confidence)
    for problem in options.problem:
        regimes = options.regimes or regimes_of(problem, options.split)
        ids = {
            regime: pair_ids(problem, regime, options.split, options.num)
            for regime in regimes
        }
        jobs = [
            Job(problem, regime, options.split, i, ((options.method, 1.0),), budget)
            for regime in regimes
            for i in ids[regime]
        ]
        print(
            f"\n{problem}, AUC@{PROBLEMS[problem].limit:g} of {options.num}\n{COLUMNS}",
            flush=True,
        )
        batches = execute(jobs, "quick", options.workers)
        for regime in regimes:
            rows = [row for batch in islice(batches, len(ids[regime])) for row in batch]
            ours = [result for row in rows for _, result in results_of(row)]
            stored = read_table(path_of(options.peers, options.split, problem, regime))
            peers = peers_of(stored, ids[regime])
            line = line_of(PROBLEMS[problem], regime, ours, peers)
            print(line, flush=True)
