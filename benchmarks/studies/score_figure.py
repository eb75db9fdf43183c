"""The figure of `scores`: AUC against threshold, the score without one across."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.methods.scores import SCORES
from benchmarks.problems import PROBLEMS
from benchmarks.studies.score_tables import KINDS, Panel

# Okabe and Ito's colours, which the colour-blind tell apart; line and marker besides.
STYLES = {
    "RANSAC": {"color": "#999999", "marker": "o", "linestyle": (0, (1, 1))},
    "MSAC": {"color": "#0072b2", "marker": "s", "linestyle": "-"},
    "GaU": {"color": "#e69f00", "marker": "D", "linestyle": "--"},
    "MAGSAC++": {"color": "#009e73", "marker": "^", "linestyle": "-."},
}
MARGINAL = {"color": "black", "linewidth": 2.4, "zorder": 5}
TICKS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


def _style(score: str) -> Mapping[str, Any]:
    """Return the line of a score; one of your own comes with its own."""
    return STYLES.get(score, SCORES[score].style)


def draw(axes: Any, panel: Panel) -> None:
    """Draw one problem on one kind of pairs."""
    for score in panel.scores:
        thresholds = panel.thresholds(score)
        values = [panel.at(score, x) for x in thresholds]
        style = {"markersize": 5, "linewidth": 1.5, **_style(score)}
        axes.plot(thresholds, values, label=f"{score} at a threshold", **style)
    label = "marginal score, no threshold"
    axes.axhline(panel.marginal, label=label, **MARGINAL)
    num = sum(map(len, panel.pairs.values()))
    title = f"{PROBLEMS[panel.problem].title}, {KINDS[panel.split]}, {num} pairs"
    axes.set_title(title, fontsize=10)
    axes.set_xscale("log")
    axes.set_xticks(TICKS, [f"{x:g}" for x in TICKS])
    axes.minorticks_off()
    axes.set_xlabel("threshold, pixels")
    axes.set_ylabel(f"AUC@{panel.limit:g}")
    axes.grid(alpha=0.3)


def save_figure(panels: Sequence[Panel], path: Path) -> Path:
    """Write one panel a problem and kind of pairs; return the path."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    splits = [s for s in KINDS if any(panel.split == s for panel in panels)]
    problems = list(dict.fromkeys(panel.problem for panel in panels))
    size = 4.0 * len(problems), 3.2 * len(splits) + 0.6
    figure, axes = plt.subplots(
        len(splits), len(problems), figsize=size, squeeze=False, layout="constrained"
    )
    for panel in panels:
        draw(axes[splits.index(panel.split)][problems.index(panel.problem)], panel)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100, facecolor="white", metadata={"Software": None})
    plt.close(figure)
    return path
