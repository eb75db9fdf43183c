"""How many labelled pairs does a calibration need?  Two, against two hundred.

    python -m benchmarks calibration

A camera's pairs have one noise level or a few, so a calibration is learned for each
regime from validation pairs, once from many and several times from few (disjoint sets
of them), and all are run on the same test pairs.  Written for every problem and regime:
the AUC without calibration, with the one from many pairs, the mean and the range over
those from few, and the difference as a percentage of the one from many.  Clouds, which
come in any unit, are brought to one, as those of a scanner are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.pair import Corners, Pair, Placement, Pose
from benchmarks.methods.cvscore import error_with
from benchmarks.problems import PROBLEMS
from benchmarks.protocols.accuracy import auc
from cvscore import (
    Calibration,
    LabelledPair,
    calibrate,
)

REGIMES = ("typical", "sig3")


def in_one_unit(pair: Pair) -> Pair:
    """Return points, and the map between them, in the unit that its errors are in."""
    if not isinstance(pair.truth, Corners):
        return pair
    unit, truth = pair.truth.unit, pair.truth
    A, t = np.split(pair.model, [-1], axis=1)
    return replace(
        pair,
        x1=pair.x1 / unit,
        x2=pair.x2 / unit,
        truth=Corners(truth.points1 / unit, truth.points2 / unit, 1.0),
        model=np.hstack([A, t / unit]),
    )


def labelled(pair: Pair) -> LabelledPair:
    """Return a benchmark pair as one to calibrate with."""
    truth = {"H": pair.model}
    if isinstance(pair.truth, Pose | Placement):
        truth = {"R": pair.truth.R, "t": pair.truth.t, "K1": pair.K1, "K2": pair.K2}
    return LabelledPair(x1=pair.x1, x2=pair.x2, inliers=pair.is_inlier, **truth)


def errors(pairs: list[Pair], calibration: Calibration | None) -> list[float]:
    """Return the error on every pair; infinite where there is no model."""
    return [error_with(pair, calibration=calibration) for pair in pairs]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one line for each problem and regime."""
    parser = parser_of("calibration", __doc__)
    parser.add_argument("--few", type=int, default=2, help="pairs of a small set")
    parser.add_argument("--many", type=int, default=200, help="pairs of the large set")
    parser.add_argument("--sets", type=int, default=5, help="small sets")
    parser.add_argument("--test", type=int, default=100, help="test pairs")
    parser.add_argument("--problems", nargs="+", default=[*PROBLEMS], choices=PROBLEMS)
    args = parser.parse_args(arguments)
    for problem in args.problems:
        for regime in REGIMES:
            generate, model = PROBLEMS[problem].generate, PROBLEMS[problem].model
            learned, tests = (
                [in_one_unit(generate(regime, i, split)) for i in range(num)]
                for split, num in (("val", args.many), ("test", args.test))
            )
            pairs = [labelled(pair) for pair in learned]
            large = calibrate(pairs, model=model)
            small = [
                calibrate(pairs[first : first + args.few], model=model)
                for first in range(0, args.sets * args.few, args.few)
            ]
            plain, best, *others = (
                auc(errors(tests, calibration), PROBLEMS[problem].limit)
                for calibration in (None, large, *small)
            )
            loss = 100.0 * (np.mean(others) / best - 1.0)
            widths = [f"{c.half_width_fraction:.3f}" for c in (large, *small)]
            print(
                f"{problem} {regime}: none {plain:.1f}, {args.many} pairs {best:.1f}, "
                f"{args.few} pairs {np.mean(others):.1f} "
                f"({min(others):.1f} to {max(others):.1f}), {loss:+.1f} %; "
                f"half-widths {', '.join(widths)}",
                flush=True,
            )
