"""How the score chose: the sweep over k, and the residuals that it split."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from cvscore.draw.figure import INLIER, OUTLIER, matplotlib_figure
from cvscore.draw.score_sweep import ScoreSweep, score_sweep
from cvscore.estimators.registry import ESTIMATORS
from cvscore.scores.marginal_score import MarginalScore
from cvscore.types import Array, Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

THRESHOLD = "#333333"
# The histogram reaches this many thresholds: far enough to see what outliers look like.
RANGE_IN_THRESHOLDS = 4.0
BINS_PER_THRESHOLD = 12
INCHES, DOTS_PER_INCH = (10.0, 5.2), 100


def plot_sweep(
    estimate: Estimate,
    x1: ArrayLike,
    x2: ArrayLike,
    kind: str,
    *,
    score: MarginalScore | None = None,
    weights: ArrayLike | None = None,
) -> Figure:
    """Plot S(k) with its maximum, the threshold it implies, and both densities.

    Parameters
    ----------
    estimate : Estimate
        With a model.
    x1, x2 : (N, 2) or (N, 3) array
        The matches it was estimated from (undistorted ones, if there was distortion).
    kind : str
        What was estimated: "homography" for `estimate_homography`.
    score : MarginalScore, optional
        What it was estimated with, where that is not the default.
    weights : (N,) array, optional
        Those it was estimated with; residuals are then drawn as of matches of mean
        weight.

    Returns
    -------
    matplotlib.figure.Figure
        1000 pixels wide when saved with ``figure.savefig(path)``.
    """
    figure_class = matplotlib_figure()
    sweep = score_sweep(estimate, x1, x2, kind, score, weights)
    residuals, k = sweep.residuals, sweep.k
    figure: Figure = figure_class(
        figsize=INCHES, dpi=DOTS_PER_INCH, layout="constrained"
    )
    axes = figure.subplot_mosaic(
        [["sweep", "density"], ["residuals", "density"]], width_ratios=[1.0, 1.05]
    )
    axes["sweep"].sharex(axes["residuals"])
    _draw_sweep(axes["sweep"], sweep)
    _draw_residuals(axes["residuals"], residuals, k, estimate.threshold)
    dim = ESTIMATORS[kind].form_of(x1, x2).counts.residual_dim
    _draw_densities(axes["density"], estimate, residuals, dim)
    figure.suptitle(
        f"{kind}: {k} of {len(residuals)} distinct matches, noise scale "
        f"{estimate.scale:.3g}, threshold {estimate.threshold:.3g}: results, not "
        "arguments",
        fontsize=12,
    )
    return figure


def _draw_sweep(axes: Any, sweep: ScoreSweep) -> None:
    """S(k) over "all are outliers", for every number k of inliers."""
    scores, k = sweep.scores, sweep.k
    finite = np.isfinite(scores)
    number = np.arange(1, len(scores) + 1)
    axes.plot(number[finite], scores[finite], color=INLIER, lw=1.8)
    axes.axvline(k, color=THRESHOLD, lw=1, ls="--")
    axes.plot(k, scores[k - 1], "o", color=THRESHOLD, ms=6)
    axes.annotate(
        f"k* = {k}",
        (k, scores[k - 1]),
        textcoords="offset points",
        xytext=(-8, 4),
        ha="right",
        fontsize=11,
    )
    lowest, highest = 0.0, float(scores[finite].max())
    axes.set_ylim(min(lowest, -0.05 * highest), 1.18 * highest)
    axes.set_ylabel("S(k) over 'all outliers', nats")
    axes.set_title("score of 'the k best are inliers'", fontsize=11)
    axes.tick_params(labelbottom=False)


def _draw_residuals(axes: Any, residuals: Array, k: int, threshold: float) -> None:
    """The sorted residuals: k* and the threshold are two readings of one point."""
    number = np.arange(1, len(residuals) + 1)
    positive = residuals > 0.0
    for part, colour in ((number <= k, INLIER), (number > k, OUTLIER)):
        shown = part & positive & np.isfinite(residuals)
        axes.semilogy(number[shown], residuals[shown], ".", color=colour, ms=3)
    axes.axvline(k, color=THRESHOLD, lw=1, ls="--")
    axes.axhline(threshold, color=THRESHOLD, lw=1, ls=":")
    axes.set_xlabel("k, matches sorted by residual")
    axes.set_ylabel("residual, px")


def _draw_densities(axes: Any, estimate: Estimate, residuals: Array, dim: int) -> None:
    """Histogram of the residuals, and the two densities that meet at the threshold."""
    threshold, scale = estimate.threshold, estimate.scale
    half_width = estimate.half_width
    reach = RANGE_IN_THRESHOLDS * threshold
    edges = np.linspace(0.0, reach, int(RANGE_IN_THRESHOLDS * BINS_PER_THRESHOLD) + 1)
    inside = residuals <= threshold
    # Per inlier, so that the bars of the inliers have the height of their density.
    weight = 1.0 / (max(int(inside.sum()), 1) * (edges[1] - edges[0]))
    for part, colour, name in (
        (inside, INLIER, "inliers"),
        (~inside, OUTLIER, "outliers"),
    ):
        axes.hist(
            residuals[part],
            edges,
            weights=np.full(int(part.sum()), weight),
            color=colour,
            alpha=0.35,
            label=name,
        )
    r = np.linspace(reach / 2000.0, reach, 2000)
    gaussian, uniform = densities(r, scale, half_width, dim)
    axes.semilogy(
        r, gaussian, color=INLIER, lw=2, label=f"Gaussian, scale {scale:.3g} px"
    )
    axes.semilogy(
        r, uniform, color=OUTLIER, lw=2, label=f"uniform over ±{half_width:.3g} px"
    )
    axes.axvline(threshold, color=THRESHOLD, lw=1, ls=":")
    top = 3.0 * float(gaussian.max())
    bottom = 0.02 * float(uniform[r <= half_width].max(initial=weight))
    axes.set_ylim(min(bottom, 0.5 * weight), top)
    axes.set_xlim(0.0, reach)
    axes.annotate(
        f"threshold {threshold:.3g} px",
        (threshold, top),
        textcoords="offset points",
        xytext=(5, -14),
        fontsize=11,
    )
    axes.set_xlabel("residual, px")
    axes.set_ylabel("density per inlier, 1/px")
    axes.set_title("an inlier is what the Gaussian explains better", fontsize=11)
    axes.legend(loc="upper right", bbox_to_anchor=(1.0, 0.93), fontsize=10)


def densities(
    residuals: Array, scale: float, half_width: float, dim: int
) -> tuple[Array, Array]:
    """Return the densities of the length of an inlier's and an outlier's residual.

    For ``dim`` constraints: the chi distribution at the noise scale (half-normal for
    one, Rayleigh for two), against the uniform density over a box of the half-width, up
    to its half-width.
    """
    r = np.asarray(residuals, dtype=np.float64)
    # Measure of "length is r": the surface of a sphere in so many dimensions.
    sphere = 2.0 * np.pi ** (0.5 * dim) / math.gamma(0.5 * dim) * r ** (dim - 1)
    normal = np.exp(-0.5 * (r / scale) ** 2) / (np.sqrt(2.0 * np.pi) * scale) ** dim
    box = np.where(r <= half_width, (2.0 * half_width) ** -dim, 0.0)
    return sphere * normal, sphere * box
