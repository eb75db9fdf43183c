"""Rows to figures: accuracy against the threshold, and against time.

python -m benchmarks plots --to benchmarks/out/figures
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.compare.board import CEILING, OURS, Board, load_board
from benchmarks.data.splits import SPLITS, all_regimes_of
from benchmarks.folders import OUT, RESULTS
from benchmarks.methods import METHODS
from benchmarks.problems import PROBLEMS

# Twelve hues that stay apart in print and for the colour-blind, ours being black.
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#8c564b",
    "#7f7f7f",
    "#bcbd22",
    "#9467bd",
    "#17becf",
    "#d62728",
)
TIMED_REGIME = "typical"


def style_of(method: str, peers: Sequence[str]) -> dict[str, Any]:
    """Colour, width and order of a method's line; ``peers`` are those of a figure."""
    if method == OURS:
        return {"color": "black", "linewidth": 2.5, "zorder": 5}
    if method == CEILING:
        return {"color": "black", "linewidth": 1.0, "linestyle": ":"}
    place = peers.index(method)
    return {"color": COLOURS[place % len(COLOURS)], "linewidth": 1.3}


def peers_of(boards: Sequence[Board]) -> list[str]:
    """Return the peers on any of the boards: one colour for each in all panels."""
    methods = dict.fromkeys(m for board in boards for m in board.methods)
    return [m for m in methods if m not in (OURS, CEILING)]


def mean_auc(board: Board, method: str, multiplier: float) -> float:
    """AUC of a method averaged over all regimes at one multiplier."""
    return float(
        np.mean([board.auc(r, method, board.limit, multiplier) for r in board.regimes])
    )


def draw_thresholds(
    axes: Any, board: Board, regime: str | None, peers: Sequence[str]
) -> None:
    """AUC against the threshold multiplier, on one regime or on their mean."""
    everywhere = sorted({x for r in board.regimes for _, x in board.errors[r]})
    for method in board.methods:
        multipliers = board.multipliers(regime or board.regimes[0], method)
        values = [
            mean_auc(board, method, x)
            if regime is None
            else board.auc(regime, method, board.limit, x)
            for x in multipliers
        ]
        style = style_of(method, peers)
        if not METHODS[method].has_threshold:
            axes.plot(everywhere, values * len(everywhere), label=method, **style)
        else:
            axes.plot(multipliers, values, marker="o", ms=3, label=method, **style)
    axes.set_xscale("log")
    axes.set_xticks(everywhere, [f"x{x:g}" for x in everywhere])
    axes.minorticks_off()
    axes.set_xlabel("threshold, times the method's default")
    axes.set_ylabel(f"AUC@{board.limit:g}")
    axes.set_title(
        f"{PROBLEMS[board.problem].title}, {regime or 'mean of all regimes'}"
    )
    axes.grid(alpha=0.3)


def draw_times(axes: Any, board: Board, peers: Sequence[str]) -> None:
    """Mean AUC over all regimes against the median time, default thresholds."""
    timed = TIMED_REGIME if TIMED_REGIME in board.regimes else board.regimes[0]
    for method in board.methods:
        if method == CEILING:
            continue
        point = board.time(timed, method), mean_auc(board, method, 1.0)
        colour = style_of(method, peers)["color"]
        mark, size = ("*", 12) if method == OURS else ("o", 6)
        axes.plot(*point, mark, ms=size, color=colour, label=method)
    axes.set_xscale("log")
    ticks = [d * 10**e for e in range(-1, 4) for d in (1, 2, 5)]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    times = [board.time(timed, m) for m in board.methods if m != CEILING]
    axes.set_xlim(min(times) / 1.5, max(times) * 1.5)
    axes.set_xlabel(f"median time in ms, {timed}")
    axes.set_ylabel(f"AUC@{board.limit:g}, mean of all regimes")
    axes.set_title(PROBLEMS[board.problem].title)
    axes.grid(alpha=0.3)


def save_figures(boards: Sequence[Board], to: Path) -> list[Path]:
    """Write the two figures; return their paths."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    to.mkdir(parents=True, exist_ok=True)
    paths = [to / "auc_against_threshold.png", to / "auc_against_time.png"]
    width, peers = 5.2 * len(boards), peers_of(boards)
    size = {"squeeze": False, "layout": "constrained"}
    figure, axes = plt.subplots(2, len(boards), figsize=(width, 9), **size)
    for column, board in zip(axes.T, boards, strict=True):
        regime = "mixed" if "mixed" in board.regimes else None
        draw_thresholds(column[0], board, regime, peers)
        draw_thresholds(column[1], board, None, peers)
    _save(figure, axes, paths[0])
    figure, axes = plt.subplots(1, len(boards), figsize=(width, 5), **size)
    for panel, board in zip(axes[0], boards, strict=True):
        draw_times(panel, board, peers)
    _save(figure, axes, paths[1])
    plt.close("all")
    return paths


def _save(figure: Any, axes: Any, path: Path) -> None:
    """Write a figure with one legend below for all its panels."""
    entries = {}
    for panel in axes.flat:
        handles, labels = panel.get_legend_handles_labels()
        entries.update(zip(labels, handles, strict=True))
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=6)
    figure.savefig(path, dpi=120)


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw what the rows of a folder say."""
    parser = parser_of("plots", __doc__)
    parser.add_argument("--folder", type=Path, default=RESULTS)
    parser.add_argument("--split", choices=SPLITS, default="test")
    parser.add_argument("--to", type=Path, default=OUT / "figures")
    options = parser.parse_args(arguments)
    boards = [
        load_board(
            options.folder, options.split, name, all_regimes_of(name, options.split)
        )
        for name in PROBLEMS
    ]
    for path in save_figures([b for b in boards if b.regimes], options.to):
        print(f"wrote {path}")
