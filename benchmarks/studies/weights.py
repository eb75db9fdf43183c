"""What it is worth to know how precise each match is.

    python -m benchmarks weights --num 300

Pairs of the regime "sig0.3" (noise of 0.3 pixels in both images) get more of it: match
i has `f` times as much, log-uniform from 1 to `--range` (8), as features of many sizes
have.  Wrong matches have such a factor too, which tells nothing of them.  Written for
each problem: AUC@2 and AUC@10, the median error, and how many of the inliers are right
and of the right matches inliers,

    none     without weights
    exact    with the weights 1 / f**2
    rough    with weights whose standard deviations are off by a factor, log-normal
    equal    with weights that are all the same: the bits of "none", or it stops
    wrong    with those of other matches, in any order
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.pair import Array, Pair
from benchmarks.data.synthetic import REGIMES
from benchmarks.methods.cvscore import estimate_pair, fit_to
from benchmarks.problems import PROBLEMS, TWO_VIEW
from benchmarks.protocols import error_of
from benchmarks.protocols.accuracy import auc

REGIME = "sig0.3"
SPLITS = ("val", "surfaces")
LIMITS = (2.0, 10.0)  # of the AUC: degrees for E and F, pixels for H
ROUGH = 0.5  # standard deviation of the logarithm of a standard deviation


def mixed_scales(
    pair: Pair, rng: np.random.Generator, most: float
) -> tuple[Pair, Array]:
    """Return a pair whose matches have factors (N,) of the noise, and these."""
    sigma = REGIMES[REGIME].noise[0]
    factors = np.exp(rng.uniform(0.0, np.log(most), len(pair.x1)))
    more = sigma * np.sqrt(factors**2 - 1.0)[:, None]
    x1, x2 = (x + more * rng.normal(size=x.shape) for x in (pair.x1, pair.x2))
    return replace(pair, x1=x1, x2=x2), factors


def choices_of(factors: Array, rng: np.random.Generator) -> dict[str, Array | None]:
    """Return weights (N,) by name."""
    off = np.exp(ROUGH * rng.normal(size=len(factors)))
    return {
        "none": None,
        "exact": factors**-2,
        "rough": (factors * off) ** -2,
        "equal": np.full(len(factors), 0.3),
        "wrong": rng.permutation(factors) ** -2,
    }


def measure(
    problem: str, split: str, num: int, most: float
) -> dict[str, list[tuple[float, float, float]]]:
    """Return error, precision and recall of every pair, by the kind of weights."""
    rows: dict[str, list[tuple[float, float, float]]] = {}
    for index in range(num):
        rng = np.random.default_rng([index, len(split), ord(problem)])
        pair = PROBLEMS[problem].generate(REGIME, index, split)
        pair, factors = mixed_scales(pair, rng, most)
        plain = estimate_pair(pair)
        for name, weights in choices_of(factors, rng).items():
            found = estimate_pair(pair, weights=weights)
            if name == "equal":
                np.testing.assert_array_equal(found.model, plain.model)
                np.testing.assert_array_equal(found.inliers, plain.inliers)
            num_right = np.count_nonzero(found.inliers & pair.is_inlier)
            precision = num_right / max(found.num_inliers, 1)
            recall = num_right / np.count_nonzero(pair.is_inlier)
            row = error_of(pair, fit_to(found)), precision, recall
            rows.setdefault(name, []).append(row)
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each problem, split and kind of weights."""
    parser = parser_of("weights", __doc__)
    parser.add_argument("--num", type=int, default=300, help="pairs of a problem")
    parser.add_argument("--range", type=float, default=8.0, help="largest factor")
    parser.add_argument("--problems", nargs="+", default=TWO_VIEW, choices=TWO_VIEW)
    parser.add_argument("--splits", nargs="+", default=SPLITS, choices=SPLITS)
    args = parser.parse_args(arguments)
    titles = ["AUC@2", "AUC@10", "median", "precision", "recall"]
    print(f"{'':22s}" + " ".join(f"{title:>9s}" for title in titles))
    for split in args.splits:
        for problem in args.problems:
            rows = measure(problem, split, args.num, args.range)
            for name, measured in rows.items():
                errors, precision, recall = np.array(measured).T
                figures = [
                    *(f"{auc(list(errors), limit):.1f}" for limit in LIMITS),
                    f"{np.median(errors):.3f}",
                    f"{100 * precision.mean():.1f}",
                    f"{100 * recall.mean():.1f}",
                ]
                label = f"{problem} {split} {name}"
                words = " ".join(f"{word:>9s}" for word in figures)
                print(f"{label:22s}{words}", flush=True)
