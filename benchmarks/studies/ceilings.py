"""What an absolute pose could be, told the truth but for the labels.

    python -m benchmarks ceilings --regimes sig3 sig10 --num 150

AUC of four answers to the same problems: ours; Tukey's biweight at the true noise,
begun at the true pose, which no estimator is told; a mixture of Gaussian and uniform
errors, told the same; and least squares on the true inliers (the oracle), told the
labels too.
Where ours is as good as the second or third, nothing that is missing to the oracle is
due to the search, the scale or the start: wrong matches that miss by a few noise levels
are not told from right ones by such a fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.compare.board import CEILING, OURS
from benchmarks.data.pair import Array, Fit, Pair
from benchmarks.data.splits import load_pair
from benchmarks.data.synthetic import REGIMES
from benchmarks.methods import METHODS, Settings
from benchmarks.problems.absolute_pose import PROBLEMS
from benchmarks.protocols import error_of
from benchmarks.protocols.accuracy import auc
from cvscore.data.normalization import Frame
from cvscore.estimators.absolute_pose import denormalise, normalise
from cvscore.models.absolute_pose import absolute_pose_model
from cvscore.ransac.irls import CUT

(PROBLEM,) = PROBLEMS
ROUNDS = 20
REACH = 4.0  # noise levels within which wrong matches are counted
SPLITS = ("val", "test", "surfaces")
WITH_ONE_NOISE = [name for name, r in REGIMES.items() if r.noise[0] == r.noise[1]]

Weigh = Callable[[Array, float], Array]


def biweight(sq_residuals: Array, noise: float) -> Array:
    """Tukey's weights (N,) at the true noise."""
    return np.maximum(0.0, 1.0 - sq_residuals / (CUT * noise) ** 2) ** 2


def posterior(sq_residuals: Array, noise: float) -> Array:
    """Probability (N,) of a match to be right, among wrong ones of one density."""
    near = sq_residuals < (REACH * noise) ** 2
    density = np.exp(-0.5 * sq_residuals / noise**2) / (2.0 * np.pi * noise**2)
    uniform, share = 1.0 / (np.pi * (REACH * noise) ** 2), 0.5
    for _ in range(ROUNDS):
        right = share * density
        weights = right / (right + (1.0 - share) * uniform)
        share = float(weights[near].mean())
    return np.where(near, weights, 0.0)


def from_truth(pair: Pair, noise: float, weigh: Weigh) -> Fit:
    """Refit with these weights, again and again, from the true pose."""
    frame = Frame(np.array([0.0, 0.0, *pair.x2.mean(axis=0)]), 1.0)
    points = np.vstack([pair.x1.T, (pair.x2 - frame.shift[2:]).T])
    model, pose = absolute_pose_model(pair.K1), normalise(frame, pair.model)
    for _ in range(ROUNDS):
        weights = weigh(model.residuals(pose[None], points)[0], noise)
        pose = model.refit(pose, points, weights)
    return Fit(denormalise(frame, pose), weights > 0.0)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each regime of each split."""
    parser = parser_of("ceilings", __doc__)
    parser.add_argument("--num", type=int, default=200, help="problems a regime")
    parser.add_argument(
        "--regimes", nargs="+", choices=WITH_ONE_NOISE, default=["sig3", "sig10"]
    )
    parser.add_argument("--split", nargs="+", choices=SPLITS, default=["test"])
    args = parser.parse_args(arguments)
    names = OURS, "biweight, told", "mixture, told", CEILING
    for split in args.split:
        for regime in args.regimes:
            noise, errors = REGIMES[regime].noise[0], []
            for index in range(args.num):
                pair = load_pair(PROBLEM.name, regime, split, str(index))
                fits = (
                    METHODS[OURS].run(pair, Settings(0.0)),
                    from_truth(pair, noise, biweight),
                    from_truth(pair, noise, posterior),
                    METHODS[CEILING].run(pair, Settings(0.0)),
                )
                errors.append([error_of(pair, fit) for fit in fits])
            figures = (auc(column, PROBLEM.limit) for column in np.transpose(errors))
            shown = (f"{n} {f:.1f}" for n, f in zip(names, figures, strict=True))
            print(f"{split} {regime}, AUC@{PROBLEM.limit:g}: {'; '.join(shown)}")
