"""How often matches of a probability are right.

    python -m benchmarks probabilities                       # the tables
    python -m benchmarks probabilities --picture docs/pictures/probabilities.png

Every match of every pair is put into a decile by its probability.  Written for each
decile: the share of right matches less the mean probability, in hundredths (a minus
sign for probabilities that are too high), in brackets where the decile holds fewer than
`ENOUGH` matches, which do not tell to within 0.05.  Last is the largest of those that
tell.  A model that is wrong takes all its matches with it, so there are two lines: one
of the pairs whose model is right (to ten degrees or pixels), and one of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.pair import Array, Mask
from benchmarks.methods.cvscore import estimate_pair, fit_to
from benchmarks.problems import PROBLEMS, TWO_VIEW
from benchmarks.protocols import error_of

REGIMES = ("typical", "lowinl", "struct")
SPLITS = ("val", "surfaces")
NUM_BINS = 10
# Matches whose share of right ones is known to 0.05, twice its standard error.
ENOUGH = 400
# Okabe and Ito's colours, which the colour-blind tell apart.
STYLES = {
    "typical": {"color": "#0072b2", "marker": "o"},
    "lowinl": {"color": "#e69f00", "marker": "s"},
    "struct": {"color": "#009e73", "marker": "^"},
}


class Reliability(NamedTuple):
    """Matches by decile of their probability, each (10,).

    Attributes
    ----------
    counts : int array
        How many matches.
    believed, right : arrays
        Sum of their probabilities, and how many are right.
    """

    counts: Array
    believed: Array
    right: Array

    @classmethod
    def of(cls, probabilities: Array, is_right: Mask) -> Reliability:
        """Put matches (N,) into deciles."""
        bins = np.minimum((NUM_BINS * probabilities).astype(int), NUM_BINS - 1)
        weights = (None, probabilities, is_right)
        return cls(*(np.bincount(bins, w, NUM_BINS).astype(float) for w in weights))

    def __add__(self, other: Reliability) -> Reliability:
        return Reliability(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def excess(self) -> Array:
        """Share of right matches less the mean probability, NaN in empty deciles."""
        with np.errstate(invalid="ignore"):
            return (self.right - self.believed) / self.counts

    def line(self) -> str:
        """Return the deciles in words, and the largest deviation that tells."""
        words = []
        for excess, count in zip(self.excess, self.counts, strict=True):
            word = "-" if count == 0 else f"{100 * excess:+.0f}"
            words.append(word if count >= ENOUGH else f"({word})")
        told = np.abs(self.excess[self.counts >= ENOUGH])
        worst = f"{100 * told.max():.0f}" if told.size else "-"
        return " ".join(f"{word:>6s}" for word in [*words, worst])


NOTHING = Reliability(*np.zeros((3, NUM_BINS)))


class Panel(NamedTuple):
    """Pairs of one kind: all of them, and those whose model is right."""

    problem: str
    split: str
    regime: str
    every: Reliability
    of_right_models: Reliability
    num_right: int
    num_pairs: int

    @property
    def name(self) -> str:
        """What it is called in the table."""
        return f"{self.problem} {self.regime} {self.split}"


def measure(problem: str, regime: str, split: str, num: int) -> Panel:
    """Estimate ``num`` pairs of a kind and sort their matches."""
    every, of_right, num_right = NOTHING, NOTHING, 0
    for index in range(num):
        pair = PROBLEMS[problem].generate(regime, index, split)
        found = estimate_pair(pair)
        one = Reliability.of(found.probabilities, pair.is_inlier)
        every += one
        if error_of(pair, fit_to(found)) <= PROBLEMS[problem].limit:
            of_right, num_right = of_right + one, num_right + 1
    return Panel(problem, split, regime, every, of_right, num_right, num)


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
        told = what.counts >= ENOUGH
        shares = (what.believed / np.maximum(what.counts, 1.0))[told]
        rights = (what.right / np.maximum(what.counts, 1.0))[told]
        style = {"markersize": 4, "linewidth": 1.3, **STYLES[panel.regime]}
        axes.plot(shares, rights, linestyle=dashes, label=label, **style)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print two lines for each problem, regime and split."""
    parser = parser_of("probabilities", __doc__)
    parser.add_argument("--num", type=int, default=300, help="pairs of a kind")
    parser.add_argument("--problems", nargs="+", default=TWO_VIEW, choices=TWO_VIEW)
    parser.add_argument("--regimes", nargs="+", default=REGIMES, choices=REGIMES)
    parser.add_argument("--splits", nargs="+", default=SPLITS, choices=SPLITS)
    parser.add_argument("--picture", type=Path, help="draw reliability diagrams")
    args = parser.parse_args(arguments)
    deciles = [f"{10 * k}-" for k in range(NUM_BINS)]
    titles = " ".join(f"{title:>6s}" for title in [*deciles, "worst"])
    print(f"{'percent':36s}{titles}")
    panels = []
    for split in args.splits:
        for problem in args.problems:
            for regime in args.regimes:
                panel = measure(problem, regime, split, args.num)
                right = f"  {panel.num_right} of {panel.num_pairs} right"
                print(f"{panel.name + right:36s}{panel.of_right_models.line()}")
                print(f"{'  all':36s}{panel.every.line()}", flush=True)
                panels.append(panel)
    if args.picture is not None:
        save_picture(panels, args.picture)
        print(f"wrote {args.picture}")
