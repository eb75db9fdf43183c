"""Is it the score or the loop? One loop, every score, every threshold.

    python -m benchmarks scores                 # some minutes
    python -m benchmarks scores --num 50 --num-real 1000     # all real pairs: an hour
    python -m benchmarks scores --write         # docs/score_or_loop.md too
    python -m benchmarks scores --draw          # the committed rows; runs nothing

The loop is cvscore's own. It runs with the marginal score, which has no threshold, and
with RANSAC's inlier count, MSAC, GaU and MAGSAC++ at thresholds from 0.1 to 100 pixels,
on the same pairs with the same seeds.  Rows are appended to benchmarks/out/scores (or
--out).  Stop it at any moment; the same command goes on, and larger numbers add pairs.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

from benchmarks.command_line import parser_of
from benchmarks.compare.archive import archive
from benchmarks.compare.board import OURS
from benchmarks.compare.report import update
from benchmarks.compare.run import Budget, run_regime
from benchmarks.data.splits import pair_ids, regimes_of
from benchmarks.folders import OUT, RESULTS, ROOT
from benchmarks.methods import same_loop
from benchmarks.problems import TWO_VIEW
from benchmarks.studies.score_figure import save_figure
from benchmarks.studies.score_tables import (
    load_panels,
    scores_table,
    shares_table,
    widest_gaps,
)

THRESHOLDS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # pixels
SPLITS = ("test", "real")
ALL_PAIRS = 10**6
ROWS = RESULTS / "scores"
PAGE = ROOT / "docs" / "score_or_loop.md"
PICTURE = ROOT / "docs" / "pictures" / "score_or_loop.png"
SMOKE = {"test": ["easy"]}


def some_pairs(problem: str, regime: str, split: str, num: int) -> list[str]:
    """Ids of pairs, in an order in which neighbours share no photograph by rule."""
    ids = pair_ids(problem, regime, split, num if split == "test" else ALL_PAIRS)
    random.Random(0).shuffle(ids)
    return ids[:num]


def run_all(options: argparse.Namespace) -> None:
    """Run what is still missing of every regime."""
    methods = [OURS, *(method.name for method in same_loop.METHODS)]
    for problem in options.problem:
        for split in options.splits:
            num = options.num if split == "test" else options.num_real
            here = regimes_of(problem, split)
            for regime in SMOKE.get(split, []) if options.smoke else here:
                run_regime(
                    problem,
                    regime,
                    split,
                    ids=some_pairs(problem, regime, split, num),
                    methods=methods,
                    multipliers=THRESHOLDS,
                    out=options.out,
                    budget=Budget(),
                    workers=options.workers,
                )


def write_page(source: Path, page: Path = PAGE, picture: Path = PICTURE) -> None:
    """Put the tables and the figure of some rows into the documentation."""
    panels = load_panels(source)
    update(page, "scores", scores_table(panels))
    update(page, "shares", shares_table(panels, RESULTS))
    save_figure(panels, picture)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, draw and print."""
    parser = parser_of("scores", __doc__)
    parser.add_argument("--num", type=int, default=6, help="synthetic pairs a regime")
    parser.add_argument("--num-real", type=int, default=10, help="real pairs a set")
    parser.add_argument(
        "--problem", nargs="+", choices=TWO_VIEW, default=list(TWO_VIEW)
    )
    parser.add_argument("--splits", nargs="+", choices=SPLITS, default=list(SPLITS))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT / "scores")
    parser.add_argument("--smoke", action="store_true", help="two easy pairs a problem")
    parser.add_argument(
        "--draw", action="store_true", help="run nothing; draw the committed rows"
    )
    parser.add_argument(
        "--write", action="store_true", help=f"commit rows; write {PAGE.name}"
    )
    options = parser.parse_args(arguments)
    if options.smoke:
        options.num, options.splits = 2, ["test"]
    if not options.draw:
        run_all(options)
    panels = load_panels(ROWS if options.draw else options.out)
    print(scores_table(panels))
    print(f"\n{shares_table(panels, RESULTS)}\n\n{widest_gaps(panels)}")
    figure = save_figure(panels, options.out / "scores.png")
    print(f"\nwrote {figure}")
    if options.write:
        for split in options.splits:
            archive(split, options.out, ROWS, anew=True)
        write_page(ROWS)
        print(f"wrote {ROWS}, {PAGE} and {PICTURE}")
        print("next: read the sentences of that page against its tables, and commit")
    elif not options.draw:
        print(
            "next: larger --num and --num-real for narrower intervals, or --write "
            "for the docs; your own score: docs/your_own.md"
        )
