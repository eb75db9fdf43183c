"""Does a prior on the share of inliers help?  AUC@10 with and without, in pairs.

    python -m benchmarks label-prior --num 60

Validation problems only, as for every default.  Each line is the difference in points
to the score without a label prior, with its 95 % bootstrap interval.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.command_line import parser_of
from benchmarks.data.pair import Pair
from benchmarks.methods.cvscore import error_with
from benchmarks.problems import PROBLEMS
from benchmarks.protocols.accuracy import auc, paired_difference
from cvscore import (
    BetaPrior,
    MarginalScore,
)

PRIORS = {"uniform": BetaPrior(1.0, 1.0), "Jeffreys": BetaPrior(0.5, 0.5)}
REGIMES = ("easy", "typical", "lowinl", "sig3", "struct", "small", "mixed")


def errors(pairs: list[Pair], prior: BetaPrior | None) -> list[float]:
    """Return the error on every pair; infinite where there is no model."""
    score = MarginalScore(label_prior=prior)
    return [error_with(pair, score=score) for pair in pairs]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one line for each problem, regime and prior, and one for all regimes."""
    parser = parser_of("label-prior", __doc__)
    parser.add_argument("--num", type=int, default=60, help="pairs a regime")
    parser.add_argument(
        "--problems", nargs="+", default=list(PROBLEMS), choices=PROBLEMS
    )
    parser.add_argument("--regimes", nargs="+", default=REGIMES)
    args = parser.parse_args(arguments)
    for problem in args.problems:
        limit = PROBLEMS[problem].limit
        plain: list[float] = []
        with_prior: dict[str, list[float]] = {name: [] for name in PRIORS}
        for regime in (r for r in args.regimes if r in PROBLEMS[problem].regimes):
            pairs = [
                PROBLEMS[problem].generate(regime, i, "val") for i in range(args.num)
            ]
            without = errors(pairs, None)
            plain += without
            line = [f"{problem} {regime}: {auc(without, limit):.1f}"]
            for name, prior in PRIORS.items():
                found = errors(pairs, prior)
                with_prior[name] += found
                line.append(_difference(name, found, without, limit))
            print("; ".join(line), flush=True)
        line = [
            _difference(name, found, plain, limit) for name, found in with_prior.items()
        ]
        print(f"{problem} all: {auc(plain, limit):.1f}; {'; '.join(line)}", flush=True)


def _difference(name: str, ours: list[float], theirs: list[float], limit: float) -> str:
    gain, low, high = paired_difference(ours, theirs, limit)
    return f"{name} {gain:+.1f} ({low:+.1f} to {high:+.1f})"
