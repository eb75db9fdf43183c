"""Why the defaults are what they are: half-width, prior, polish, one at a time.

    python -m benchmarks defaults --num 30

Validation problems only.  A column is a regime, a row a choice, the number AUC at the
limit of the problem; the last column is the mean over regimes, which decides unless a
regime falls off.  Units matter to one row alone: the prior in pixels, which is why it
is not the default.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.pair import Pair
from benchmarks.methods.cvscore import error_with
from benchmarks.problems import PROBLEMS
from benchmarks.protocols.accuracy import auc
from benchmarks.studies.variants import (
    estimating_with,
    estimator_of,
    without_polish,
    without_widening,
)
from cvscore import InverseGamma, MarginalScore
from cvscore._numba.progress import progress
from cvscore.estimators.pipeline import Estimator


def as_it_is(estimator: Estimator) -> Estimator:
    """Return the estimator itself."""
    return estimator


class Choice(NamedTuple):
    """One way to run the estimators."""

    name: str
    score: MarginalScore
    change: Callable[[Estimator], Estimator] = as_it_is


CHOICES = (
    *(
        Choice(f"half-width 1/{n}", MarginalScore(half_width_fraction=1 / n))
        for n in (160, 80, 40, 20, 10)
    ),
    Choice("1/40 for good", MarginalScore(), without_widening),
    Choice("prior IG(1, 1 px^2)", MarginalScore(prior=InverseGamma(1.0, 1.0))),
    Choice("no polish", MarginalScore(), without_polish),
)


def error(pair: Pair, choice: Choice) -> float:
    """Return the error of one choice on one pair; infinite without a model."""
    estimator = choice.change(estimator_of(pair.problem))
    with estimating_with(pair.problem, estimator):
        return error_with(pair, score=choice.score)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one table for each problem."""
    parser = parser_of("defaults", __doc__)
    parser.add_argument("--num", type=int, default=30, help="pairs a regime")
    parser.add_argument(
        "--problems", nargs="+", default=list(PROBLEMS), choices=PROBLEMS
    )
    options = parser.parse_args(arguments)
    for problem in options.problems:
        regimes = PROBLEMS[problem].regimes
        table = np.empty((len(CHOICES), len(regimes)))
        for column, regime in enumerate(progress(regimes, label=f"{problem} regimes")):
            pairs = [
                PROBLEMS[problem].generate(regime, i, "val") for i in range(options.num)
            ]
            for row, choice in enumerate(CHOICES):
                table[row, column] = auc(
                    [error(p, choice) for p in pairs], PROBLEMS[problem].limit
                )
        print(f"\n{problem:20s}" + "".join(f"{r[:8]:>9s}" for r in [*regimes, "mean"]))
        for choice, figures in zip(CHOICES, table, strict=True):
            cells = "".join(f"{f:9.1f}" for f in [*figures, figures.mean()])
            print(f"{choice.name:20s}{cells}", flush=True)
