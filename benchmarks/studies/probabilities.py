"""How often matches of a probability are right.

    python -m benchmarks probabilities                       # the tables
    python -m benchmarks probabilities --picture docs/pictures/probabilities.png

Every match of every pair is put into a decile by its probability.  Written for each
decile, in hundredths: the share of right matches less the mean probability (a minus
sign for probabilities that are too high), and below it half the 95 % interval of that,
by a bootstrap over pairs, and the number of matches.  A pair in which something goes
wrong fills a decile alone, so that hundreds of matches may tell little.  Last is the
largest deviation of which the interval excludes what is within `TOLERANCE`: it is off
for sure; the others are right, or not told.

A model that is wrong takes all its matches with it, so there are two blocks: one of the
pairs whose model is right (to ten degrees or pixels), and one of all.  A match of
another plane counts as wrong even where the true homography explains it as well as
those of its own plane, as where planes meet or the camera hardly moved.  So there is a
third block, the ceiling: the pairs of the first, by the same mixture about the true
model at the true noise.  What is off there too, no estimate could cure.  Last is how
many of the matches of a pair p > 0.5 and the mask disagree on, where no alternative is
likelier than the model whose mask it is, and how many pairs have one that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.pair import Array, Mask, Pair
from benchmarks.data.synthetic import REGIMES, SPLITS
from benchmarks.methods.cvscore import estimate_pair, fit_to
from benchmarks.problems import PROBLEMS, TWO_VIEW
from benchmarks.protocols import error_of
from cvscore.inference.residual_mixture import expected, fit_residuals
from cvscore.models.homography import homography_residuals
from cvscore.models.sampson import sampson_residuals

STUDIED = ("typical", "lowinl", "struct")
NUM_BINS = 10
TOLERANCE = 0.05
NUM_RESAMPLES = 500
MIN_PAIRS = 20  # with matches in a decile: a bootstrap of fewer means nothing
# Half an interval, above which a decile is not drawn.
DRAWN_WITHIN = 0.15
# Okabe and Ito's colours, which the colour-blind tell apart.
STYLES = {
    "typical": {"color": "#0072b2", "marker": "o"},
    "lowinl": {"color": "#e69f00", "marker": "s"},
    "struct": {"color": "#009e73", "marker": "^"},
}


class Reliability(NamedTuple):
    """Matches by decile of their probability, for each of P pairs.

    Attributes
    ----------
    counts, believed, right : (P, 10) arrays
        How many matches, the sum of their probabilities, and how many are right.
    """

    counts: Array
    believed: Array
    right: Array

    @classmethod
    def of(cls, pairs: Sequence[tuple[Array, Mask]]) -> Reliability:
        """Put matches into deciles; each pair is probabilities (N,) and labels (N,)."""
        table = np.zeros((3, len(pairs), NUM_BINS))
        for k, (probabilities, is_right) in enumerate(pairs):
            bins = np.minimum((NUM_BINS * probabilities).astype(int), NUM_BINS - 1)
            for row, weights in zip(
                table, (None, probabilities, is_right), strict=True
            ):
                row[k] = np.bincount(bins, weights, NUM_BINS)
        return cls(*table)

    @property
    def excess(self) -> Array:
        """Share of right matches less the mean probability, NaN in empty deciles."""
        return _excess(*(part.sum(axis=0) for part in self))

    def half_intervals(self) -> Array:
        """Half the 95 % interval of the excess (10,), by a bootstrap over pairs.

        NaN where fewer than `MIN_PAIRS` have matches in a decile.
        """
        num_pairs = len(self.counts)
        rng = np.random.default_rng(0)
        chances = np.full(num_pairs, 1.0 / max(num_pairs, 1))
        drawn = rng.multinomial(num_pairs, chances, NUM_RESAMPLES).astype(float)
        excess = _excess(*(drawn @ part for part in self))
        is_told = np.count_nonzero(self.counts, axis=0) >= MIN_PAIRS
        half = np.full(NUM_BINS, np.nan)
        for k in np.flatnonzero(is_told):
            low, high = np.nanquantile(excess[:, k], (0.025, 0.975))
            half[k] = 0.5 * (high - low)
        return half

    def lines(self) -> list[str]:
        """Return three rows: deviations and the worst, half intervals, and numbers."""
        excess, half = self.excess, self.half_intervals()
        is_off = np.abs(excess) - half > TOLERANCE
        worst = f"{100 * np.abs(excess[is_off]).max():.0f}" if is_off.any() else "-"
        rows = [
            [*(_hundredths(x, "+.0f") for x in excess), worst],
            [_hundredths(x, ".0f") for x in half],
            [f"{x:.0f}" for x in self.counts.sum(axis=0)],
        ]
        return [" ".join(f"{word:>6s}" for word in row) for row in rows]


def _excess(counts: Array, believed: Array, right: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return (right - believed) / counts


def _hundredths(value: float, form: str) -> str:
    return "-" if np.isnan(value) else f"{100 * value:{form}}"


class Panel(NamedTuple):
    """Pairs of one kind: all, those whose model is right, and these told the truth."""

    problem: str
    split: str
    regime: str
    num_right: int
    num_pairs: int
    differing: float  # share of matches, p > 0.5 and the mask
    num_rivalled: int  # pairs with a likelier alternative, which are left out there
    of_right_models: Reliability
    every: Reliability
    told: Reliability


def sq_residuals_of_truth(pair: Pair) -> Array:
    """Squared Sampson residuals (N,) of the true model, pixels."""
    assert pair.model is not None
    points = np.ascontiguousarray(np.hstack([pair.x1, pair.x2]).T)
    if pair.problem == "H":
        return homography_residuals(pair.model[None], points)[0]
    model = pair.model
    if pair.problem == "E":
        assert pair.K1 is not None
        assert pair.K2 is not None
        model = np.linalg.inv(pair.K2).T @ model @ np.linalg.inv(pair.K1)
    return sampson_residuals(np.ascontiguousarray(model)[None], points)[0]


def told_probabilities(pair: Pair) -> Array:
    """Probabilities (N,) by one who is told the true model and the noise about it."""
    sq_residuals, dim = sq_residuals_of_truth(pair), 2 if pair.problem == "H" else 1
    # No match is at infinity here, but one may be behind a homography's horizon.
    finite = np.isfinite(sq_residuals)
    right = pair.is_inlier & finite
    variance = sq_residuals[right].mean() / dim
    start = variance, float(right.sum()), variance, variance
    mixture = fit_residuals(sq_residuals[finite], dim, 0, *start)
    probabilities = np.zeros(len(sq_residuals))
    probabilities[finite] = expected(mixture, sq_residuals[finite], dim)[0]
    return probabilities


def measure(
    problem: str,
    regime: str,
    split: str,
    pairs: range,
    max_scale: float = np.inf,
) -> Panel:
    """Estimate pairs of a kind and sort their matches.

    Those of a noise scale above ``max_scale`` (pixels) are left out.
    """
    every, of_right, told, differing = [], [], [], []
    num_rivalled = 0
    for index in pairs:
        pair = PROBLEMS[problem].generate(regime, index, split)
        found = estimate_pair(pair)
        if found.scale > max_scale:
            continue
        assert pair.is_inlier is not None
        every.append((found.probabilities, pair.is_inlier))
        if any(other.evidence_difference > 0.0 for other in found.alternatives):
            num_rivalled += 1
        else:
            differing.append(np.mean((found.probabilities > 0.5) != found.inliers))
        if error_of(pair, fit_to(found)) <= PROBLEMS[problem].limit:
            of_right.append(every[-1])
            told.append((told_probabilities(pair), pair.is_inlier))
    blocks = (Reliability.of(block) for block in (of_right, every, told))
    counts = len(of_right), len(every), float(np.mean(differing)), num_rivalled
    return Panel(problem, split, regime, *counts, *blocks)


def save_picture(panels: Sequence[Panel], path: Path) -> None:
    """Draw reliability diagrams: a panel for each problem and split."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    problems = list(dict.fromkeys(panel.problem for panel in panels))
    splits = list(dict.fromkeys(panel.split for panel in panels))
    figure, grid = plt.subplots(
        len(splits),
        len(problems),
        figsize=(3.2 * len(problems), 3.1 * len(splits) + 0.5),
        squeeze=False,
        sharex=True,
        sharey=True,
        layout="constrained",
    )
    for panel in panels:
        axes = grid[splits.index(panel.split)][problems.index(panel.problem)]
        axes.plot([0, 1], [0, 1], color="black", linewidth=0.8)
        _draw(axes, panel)
        axes.set_title(f"{panel.problem}, {panel.split}", fontsize=10)
        axes.grid(alpha=0.3)
    for axes in grid[-1]:
        axes.set_xlabel("probability")
    for row in grid:
        row[0].set_ylabel("share of right matches")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80, facecolor="white", metadata={"Software": None})
    plt.close(figure)


def _draw(axes: Any, panel: Panel) -> None:
    for what, dashes, label in (
        (panel.of_right_models, "-", f"{panel.regime}, model right"),
        (panel.every, ":", f"{panel.regime}, all pairs"),
    ):
        half = what.half_intervals()
        told = half <= DRAWN_WITHIN
        counts, believed, right = (part.sum(axis=0)[told] for part in what)
        style = {"markersize": 4, "linewidth": 1.3, **STYLES.get(panel.regime, {})}
        axes.errorbar(
            believed / counts,
            right / counts,
            yerr=half[told],
            linestyle=dashes,
            elinewidth=0.7,
            label=label,
            **style,
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print three blocks of three lines for each problem, regime and split."""
    parser = parser_of("probabilities", __doc__)
    parser.add_argument("--num", type=int, default=300, help="pairs of a kind")
    parser.add_argument("--first", type=int, default=0, help="index of the first pair")
    parser.add_argument("--problems", nargs="+", default=TWO_VIEW, choices=TWO_VIEW)
    parser.add_argument("--regimes", nargs="+", default=STUDIED, choices=REGIMES)
    parser.add_argument("--splits", nargs="+", default=SPLITS, choices=SPLITS)
    parser.add_argument(
        "--max-scale",
        type=float,
        default=np.inf,
        metavar="PIXELS",
        help="leave out pairs of a larger noise scale",
    )
    parser.add_argument("--picture", type=Path, help="draw reliability diagrams")
    args = parser.parse_args(arguments)
    deciles = [f"{10 * k}-" for k in range(NUM_BINS)]
    titles = " ".join(f"{title:>6s}" for title in [*deciles, "off"])
    print(f"{'percent':36s}{titles}")
    panels, pairs = [], range(args.first, args.first + args.num)
    for split in args.splits:
        for problem in args.problems:
            for regime in args.regimes:
                panel = measure(problem, regime, split, pairs, args.max_scale)
                _print(panel)
                panels.append(panel)
    if args.picture is not None:
        save_picture(panels, args.picture)
        print(f"wrote {args.picture}")


def _print(panel: Panel) -> None:
    name = f"{panel.problem} {panel.regime} {panel.split}"
    right = f"{name}  {panel.num_right} of {panel.num_pairs} right"
    for title, block in (
        (right, panel.of_right_models),
        ("  all", panel.every),
        ("  told model and noise", panel.told),
    ):
        titles = title, "    give or take", "    matches"
        for words, line in zip(titles, block.lines(), strict=True):
            print(f"{words:36s}{line}", flush=True)
    print(
        f"    p > 0.5 is not the mask in {100 * panel.differing:.2f} %; "
        f"{panel.num_rivalled} pairs have a likelier alternative",
        flush=True,
    )
