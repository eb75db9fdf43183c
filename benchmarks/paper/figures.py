"""The two figures: one panel a dataset for Profile, two for Sensitivity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.methods import SCORES
from benchmarks.paper.output import Finished

# Markers with a white edge are seen on the broadest line.
MARKERS = {"markersize": 7, "markeredgecolor": "white", "markeredgewidth": 0.7}
STYLES = {name: {**MARKERS, **score.style} for name, score in SCORES.items()}
SIZE = (4.0, 3.4)  # inches of a panel
# Inches around panels.  A layout engine would find them too, and take half a minute.
LEFT, BETWEEN, RIGHT, TOP, GAP = 0.75, 0.65, 0.15, 0.35, 0.15
AXIS = 0.55  # below the panels
ENTRY = (1.4, 0.22)  # of the legend below that
# Errors that differ more than this between methods are drawn on a logarithmic axis.
MAX_LINEAR_RATIO = 4.0


def _pyplot() -> Any:
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise ImportError('matplotlib is missing: pip install ".[bench]"') from error
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    # Files depend on the numbers alone, not on the day.
    plt.rcParams["svg.hashsalt"] = "cvscore"
    plt.rcParams["font.size"] = 10
    return plt


def _panels(num_rows: int, num_columns: int) -> tuple[Any, Any]:
    """Return a figure and its panels (num_rows, num_columns), with room around."""
    width = LEFT + num_columns * SIZE[0] + (num_columns - 1) * BETWEEN + RIGHT
    num_entries = len(STYLES) + 2
    legend = 0.1 + ENTRY[1] * math.ceil(num_entries / _legend_columns(width))
    height = legend + AXIS + num_rows * SIZE[1] + (num_rows - 1) * GAP + TOP
    figure, axes = _pyplot().subplots(
        num_rows, num_columns, figsize=(width, height), squeeze=False, sharex="col"
    )
    figure.subplots_adjust(
        left=LEFT / width,
        right=1.0 - RIGHT / width,
        bottom=(legend + AXIS) / height,
        top=1.0 - TOP / height,
        wspace=BETWEEN / SIZE[0],
        hspace=GAP / SIZE[1],
    )
    return figure, axes


def _legend_columns(width: float) -> int:
    return min(len(STYLES) + 2, int(width / ENTRY[0]))


def save_profile_figure(runs: Sequence[Finished], stem: Path) -> list[Path]:
    """Error against hyper-parameter over anchor; write ``.png`` and ``.pdf``."""
    figure, axes = _panels(1, len(runs))
    for panel, run in zip(axes[0], runs, strict=True):
        _draw_profile(panel, run)
    axes[0][0].set_ylabel("median rotation error, degrees")
    return _save(figure, axes[0][0], stem)


def _draw_profile(panel: Any, run: Finished) -> None:
    for method, curve in run.profile.curves.items():
        style = STYLES[method]
        panel.plot(
            curve.ratios,
            curve.errors,
            label=method,
            markevery=_marked(method, len(curve.ratios)),
            **style,
        )
        panel.fill_between(
            curve.ratios, curve.low, curve.high, color=style["color"], alpha=0.12, lw=0
        )
        best = curve.per_pair_best
        panel.axhline(best, color=style["color"], ls="--", lw=0.9, alpha=0.8)
    panel.axhline(run.profile.oracle, color="black", ls=":", lw=1.5, label="oracle")
    panel.plot([], [], color="black", ls="--", lw=0.9, label="best per pair")
    panel.set_xscale("log")
    panel.set_xlim(0.1, 10)
    panel.set_xticks([0.1, 0.3, 1, 3, 10], ["0.1", "0.3", "1", "3", "10"])
    panel.minorticks_off()
    _scale_errors(panel, run)
    panel.set_xlabel("hyper-parameter over its anchor, $\\kappa/\\kappa^*$")
    panel.set_title(f"{run.title}, {run.profile.num_pairs} pairs", fontsize=10)
    panel.grid(alpha=0.25)


def _marked(method: str, num_points: int) -> list[int]:
    """Points with a marker, at places of its own for every method."""
    step = num_points // 4
    first = step * list(STYLES).index(method) // len(STYLES)
    return list(range(first, num_points, max(step, 1)))


def _scale_errors(panel: Any, run: Finished) -> None:
    """Choose the error axis so that the flat curves can be told apart."""
    curves = run.profile.curves.values()
    high = max(curve.errors.max() for curve in curves)
    low = min(run.profile.oracle, *(curve.per_pair_best for curve in curves))
    if low > 0 and high > MAX_LINEAR_RATIO * low:
        panel.set_yscale("log")
        panel.set_ylim(0.8 * low, 1.25 * high)
        steps = np.array([1, 1.5, 2, 3, 5, 7])
        ticks = np.concatenate([steps * 10.0**k for k in range(-4, 3)])
        ticks = ticks[(ticks > 0.8 * low) & (ticks < 1.25 * high)]
        panel.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        panel.minorticks_off()
    else:
        panel.set_ylim(bottom=0.0, top=1.08 * high)


def save_sensitivity_figure(runs: Sequence[Finished], stem: Path) -> list[Path]:
    """Mean (above) and standard deviation (below) of the test error over trials."""
    figure, axes = _panels(2, len(runs))
    for column, run in zip(axes.T, runs, strict=True):
        _draw_sensitivity(column, run)
    axes[0][0].set_ylabel("mean test error, degrees")
    axes[1][0].set_ylabel("standard deviation, degrees")
    return _save(figure, axes[0][0], stem)


def _draw_sensitivity(column: Any, run: Finished) -> None:
    if run.sensitivity is None:
        raise ValueError(f"{run.title}: its sensitivity has not been run")
    for method, by_size in run.sensitivity.outcomes.items():
        sizes = list(by_size)
        for panel, kind in zip(column, ("mean", "std"), strict=True):
            values = [getattr(o, kind) for o in by_size.values()]
            intervals = [getattr(o, f"{kind}_interval") for o in by_size.values()]
            low, high = np.transpose(intervals)
            style = STYLES[method]
            panel.plot(sizes, values, label=method, **style)
            panel.fill_between(sizes, low, high, color=style["color"], alpha=0.15, lw=0)
    for panel in column:
        panel.set_xscale("log", base=2)
        panel.set_xticks(sizes, [str(size) for size in sizes], fontsize=8)
        panel.minorticks_off()
        panel.grid(alpha=0.25)
    column[1].set_ylim(bottom=0.0)
    column[1].set_xlabel("validation pairs")
    tested = f"{run.sensitivity.num_test} test pairs"
    column[0].set_title(f"{run.title}, {tested}", fontsize=10)


def _save(figure: Any, panel: Any, stem: Path) -> list[Path]:
    """Write a figure with one legend below for all its panels."""
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="lower center",
        ncols=_legend_columns(figure.get_figwidth()),
        frameon=False,
        fontsize=9,
        columnspacing=1.2,
    )
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = [stem.with_suffix(suffix) for suffix in (".png", ".pdf")]
    figure.savefig(paths[0], dpi=150, metadata={"Software": None})
    figure.savefig(paths[1], metadata={"CreationDate": None, "Producer": None})
    _pyplot().close(figure)
    return paths
