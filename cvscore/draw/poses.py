"""Two cameras and what they see, from above: every pose that fits, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from cvscore.draw.figure import INLIER, OUTLIER, matplotlib_figure
from cvscore.types import Array, Estimate, Pose

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAMERA_LENGTH = 0.5  # length of a drawn camera, in baselines
HALF_ANGLE = 0.4  # tangent of half the angle that it is drawn with
# What is farther than this quantile of the points is left out of the picture.
FAR_QUANTILE = 0.98


def plot_poses(
    estimate: Estimate,
    x1: ArrayLike,
    x2: ArrayLike,
    K1: ArrayLike,
    K2: ArrayLike | None = None,
) -> Figure:
    """Plot the pose of an essential matrix, and beside it the others that fit.

    Parameters
    ----------
    estimate : Estimate
        Of an essential matrix.
    x1, x2 : (N, 2) arrays
        The matches it was estimated from (undistorted ones, if there was distortion).
    K1, K2 : (3, 3) arrays
        Camera matrices; ``K2`` is ``K1`` where it is not given.

    Returns
    -------
    matplotlib.figure.Figure
        Seen from above, in baselines: the first camera at the origin, looking up.
    """
    first = np.asarray(K1, dtype=np.float64)
    second = first if K2 is None else np.asarray(K2, dtype=np.float64)
    rays1, rays2 = (
        np.column_stack([x, np.ones(len(x))]) @ np.linalg.inv(K).T
        for x, K in ((np.asarray(x1), first), (np.asarray(x2), second))
    )
    answers = [
        one for one in (estimate, *estimate.alternatives) if one.pose is not None
    ]
    if not answers:
        raise ValueError("this picture is of estimates that have a pose")
    size = (4.2 * len(answers), 4.4)
    figure: Figure = matplotlib_figure()(figsize=size, layout="constrained")
    for number, answer in enumerate(answers):
        axes = figure.add_subplot(1, len(answers), number + 1)
        assert answer.pose is not None
        chosen = answer.inliers
        points = triangulated(rays1[chosen], rays2[chosen], answer.pose)
        _draw_scene(axes, points, answer.pose)
        more = f"{answer.evidence_difference:+.1f} nats"
        axes.set_title("found" if number == 0 else f"fits too ({more})", fontsize=10)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=2,
        fontsize=8,
        frameon=False,
    )
    return figure


def triangulated(rays1: Array, rays2: Array, pose: Pose) -> Array:
    """Return where rays (N, 3) of two cameras come closest, before the first: (N, 3).

    On the first ray, in baselines.
    """
    turned = rays1 @ pose.R.T
    # d1 a + t = d2 b: the cross product with b leaves d1.
    across = np.cross(turned, rays2)
    depths = -np.sum(np.cross(pose.t, rays2) * across, axis=1)
    points: Array = rays1 * (depths / np.sum(across**2, axis=1))[:, None]
    return points


def _draw_scene(axes: Any, points: Array, pose: Pose) -> None:
    """Draw points and both cameras in the plane of x and z."""
    near = points[:, 2] <= np.quantile(points[:, 2], FAR_QUANTILE)
    axes.plot(points[near, 0], points[near, 2], ".", color=INLIER, ms=3)
    centre = -pose.R.T @ pose.t
    outline = CAMERA_LENGTH * np.array(
        [[0.0, 0.0, 0.0], [-HALF_ANGLE, 0.0, 1.0], [HALF_ANGLE, 0.0, 1.0]]
    )
    for corners, colour, name in (
        (outline, "black", "first camera"),
        (outline @ pose.R + centre, OUTLIER, "second camera"),
    ):
        axes.fill(corners[:, 0], corners[:, 2], color=colour, alpha=0.6, label=name)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xlabel="x, baselines", ylabel="z, baselines")
