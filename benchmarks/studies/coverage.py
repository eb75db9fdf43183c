"""How often the 95 % interval of the noise scale covers the truth.

    python -m benchmarks coverage --num 2000

Pairs are those of `studies.evidence` with true inliers: 30 to 300 of them, 30 to
90 % of all matches, noise of 0.3 to 3 pixels.  Estimates that are not significant are
left out, and counted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.methods.cvscore import estimate
from benchmarks.problems import PROBLEMS
from benchmarks.studies.evidence import seed_of


def main(arguments: Sequence[str] | None = None) -> None:
    """Print coverage, the mean of log(scale / truth), and how many were left out."""
    parser = parser_of("coverage", __doc__)
    parser.add_argument("--num", type=int, default=500, help="pairs a model")
    parser.add_argument("--models", nargs="+", default=[*PROBLEMS], choices=PROBLEMS)
    args = parser.parse_args(arguments)
    for model in args.models:
        covered, ratios = [], []
        for trial in range(args.num):
            rng = np.random.default_rng([trial, seed_of(model)])
            pair = PROBLEMS[model].draw_noisy(rng)
            found = estimate(model, pair)
            if not found.is_significant:
                continue
            low, high = found.scale_interval(0.95)
            covered.append(low <= pair.noise <= high)
            ratios.append(found.scale / pair.noise)
        print(
            f"{model}: covers in {100 * np.mean(covered):.1f} %, "
            f"scale / truth: median {np.median(ratios):.3f}; "
            f"{args.num - len(covered)} of {args.num} left out"
        )
