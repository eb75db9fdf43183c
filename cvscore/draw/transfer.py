"""Where a map takes points, and how sure that is: an ellipse for each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from cvscore.draw.figure import INLIER, OUTLIER, matplotlib_figure
from cvscore.types import Array, Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MASS = 0.95  # that an ellipse holds the truth
NUM_CORNERS = 72  # of what is drawn for an ellipse
# Of the width of the picture: what the median ellipse is enlarged to.
LARGE_ENOUGH = 1.0 / 40.0


def plot_transfer(estimate: Estimate, points: ArrayLike, x2: ArrayLike) -> Figure:
    """Plot mapped points with the regions that hold their true places.

    Parameters
    ----------
    estimate : Estimate
        Of a homography or another map of the plane.
    points : (M, 2) array
        Points of the first image to map.
    x2 : (N, 2) array
        Matches in the second image, drawn beside them: inliers and outliers.

    Returns
    -------
    matplotlib.figure.Figure
        Ellipses hold the truth with 95 %.  They are enlarged where they would be too
        small to be seen; the title says how much.
    """
    mapped, covariances = estimate.transfer(points)
    if mapped.ndim != 2 or mapped.shape[1] != 2:
        raise ValueError("this picture is of maps of the plane")
    assert estimate.uncertainty is not None
    axes_of = _axes_of_ellipses(covariances, estimate.uncertainty.radius(MASS, 2))
    seen = np.asarray(x2, dtype=np.float64)
    width = float(np.ptp(np.vstack([mapped, seen[estimate.inliers]]), axis=0).max())
    larger = _enlargement(axes_of, width)
    figure: Figure = matplotlib_figure()(figsize=(6.0, 5.0), layout="constrained")
    axes = figure.add_subplot()
    for chosen, colour, name in (
        (~estimate.inliers, OUTLIER, "outliers"),
        (estimate.inliers, INLIER, "inliers"),
    ):
        axes.plot(*seen[chosen].T, ".", color=colour, ms=3, alpha=0.5, label=name)
    circle = np.linspace(0.0, 2.0 * math.pi, NUM_CORNERS)
    round_trip = np.stack([np.cos(circle), np.sin(circle)])
    for place, half_axes in zip(mapped, larger * axes_of, strict=True):
        axes.plot(*(place[:, None] + half_axes @ round_trip), color="black", lw=1)
    axes.plot(*mapped.T, ".", color="black", ms=2, label="mapped points")
    axes.set_aspect("equal")
    axes.invert_yaxis()  # as images have it
    axes.set(xlabel="x, px", ylabel="y, px")
    middle = np.median(np.linalg.norm(axes_of, axis=1).max(axis=1))
    axes.set_title(
        f"95 % regions, median half-axis {middle:.2g} px, drawn {larger:.3g} times",
        fontsize=10,
    )
    figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    return figure


def _axes_of_ellipses(covariances: Array, radius: float) -> Array:
    """Half-axes (M, 2, 2), as columns, of covariances (M, 2, 2)."""
    values, vectors = np.linalg.eigh(covariances)
    half_axes: Array = radius * vectors * np.sqrt(np.maximum(values, 0.0))[:, None]
    return half_axes


def _enlargement(axes_of: Array, width: float) -> float:
    """Return by how much ellipses are to be drawn larger: a round number, or one."""
    middle = float(np.median(np.linalg.norm(axes_of, axis=1).max(axis=1)))
    if not (middle > 0.0 and math.isfinite(middle)):
        return 1.0
    wanted = LARGE_ENOUGH * width / middle
    decade = 10.0 ** math.floor(math.log10(wanted))
    return max(
        1.0, *(decade * step for step in (1.0, 2.0, 5.0) if decade * step <= wanted)
    )
