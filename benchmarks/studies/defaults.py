"""Why the defaults are what they are: half-width, prior, polish, one at a time.

    python -m benchmarks defaults --num 30

Validation problems only.  A column is a regime, a row a choice, the number AUC@10; the
last column is the mean over regimes, which decides unless a regime falls off.  Units
matter to one row alone: the prior in pixels, which is why it is not the default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import cvscore.estimators.estimate
from benchmarks.command_line import parser_of
from benchmarks.data.pair import PROBLEMS, Pair
from benchmarks.data.synthetic import generate, regimes_of
from benchmarks.methods.cvscore import error_with
from benchmarks.protocols.accuracy import auc
from cvscore import InverseGamma, MarginalScore
from cvscore._numba.progress import progress

LIMIT = 10.0


def _unpolished(*given: Any) -> Any:
    return given[-1]


def _as_wide_as_before(objective: Any, best: Any, *_: Any) -> Any:
    return objective, best


# Steps of the estimators, and what takes their place where they are left out.
NO_POLISH = dict.fromkeys(("polish", "polish_on_half_lines"), _unpolished)
NO_WIDENING = {"widen": _as_wide_as_before}


class Choice(NamedTuple):
    """One way to run the estimators."""

    name: str
    score: MarginalScore
    without: Mapping[str, Callable[..., Any]] = {}


CHOICES = (
    *(
        Choice(f"half-width 1/{n}", MarginalScore(half_width_fraction=1 / n))
        for n in (160, 80, 40, 20, 10)
    ),
    Choice("1/40 for good", MarginalScore(), NO_WIDENING),
    Choice("prior IG(1, 1 px^2)", MarginalScore(prior=InverseGamma(1.0, 1.0))),
    Choice("no polish", MarginalScore(), NO_POLISH),
)


def error(pair: Pair, choice: Choice) -> float:
    """Return the error of one choice on one pair; infinite without a model."""
    with ExitStack() as patches:
        for name, other in choice.without.items():
            patches.enter_context(
                mock.patch.object(cvscore.estimators.estimate, name, other)
            )
        return error_with(pair, score=choice.score)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one table for each problem."""
    parser = parser_of("defaults", __doc__)
    parser.add_argument("--num", type=int, default=30, help="pairs a regime")
    parser.add_argument("--problems", nargs="+", default=PROBLEMS, choices=PROBLEMS)
    options = parser.parse_args(arguments)
    for problem in options.problems:
        regimes = regimes_of(problem)
        table = np.empty((len(CHOICES), len(regimes)))
        for column, regime in enumerate(progress(regimes, label=f"{problem} regimes")):
            pairs = [generate(problem, regime, i, "val") for i in range(options.num)]
            for row, choice in enumerate(CHOICES):
                table[row, column] = auc([error(p, choice) for p in pairs], LIMIT)
        print(f"\n{problem:20s}" + "".join(f"{r[:8]:>9s}" for r in [*regimes, "mean"]))
        for choice, figures in zip(CHOICES, table, strict=True):
            cells = "".join(f"{f:9.1f}" for f in [*figures, figures.mean()])
            print(f"{choice.name:20s}{cells}", flush=True)
