"""Which matches count as inliers, and why fewer than within 3 pixels may be right.

python docs/pictures/masks.py [docs/pictures/masks.png]        (seconds)

Matches of a plane whose noise is 0.2 pixels; beside them near misses, features of a
poster that hangs a little before the wall, and matches that are plainly wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import matplotlib.pyplot as plt
import numpy as np

import cvscore

SIGMA = 0.2  # pixels, in both images
H = np.array([[0.95, -0.12, 60.0], [0.10, 1.04, -40.0], [4e-5, -3e-5, 1.0]])
THREE_PIXELS = 3.0 / np.sqrt(2.0)  # of an image, as a distance shared by both
OURS, THEIRS, GREY = "#1a7f37", "#cf222e", "#6e7781"


def main(path: Path) -> None:
    """Draw the residuals, with both cuts."""
    rng = np.random.default_rng(0)
    x1 = rng.uniform(0, 1000, (700, 2))
    x2 = cv2.perspectiveTransform(x1[:, None], H)[:, 0]
    x2 += rng.normal(0, SIGMA, x2.shape)
    x1 += rng.normal(0, SIGMA, x1.shape)
    kind = np.repeat([0, 1, 2], [400, 100, 200])
    near = kind == 1  # before the wall: some parallax
    x2[near, 0] += rng.uniform(1.5, 3.5, near.sum())
    x2[kind == 2] = rng.uniform(0, 1000, (200, 2))

    estimate = cvscore.estimate_homography(x1, x2)
    _, mask = cv2.findHomography(x1, x2, cv2.RANSAC, 3.0)
    theirs, ours = mask.ravel() == 1, estimate.inliers
    print(f"scale {estimate.scale:.2f}, threshold {estimate.threshold:.2f} pixels")
    for name, chosen in (("cv2, 3 pixels", theirs), ("cvscore", ours)):
        counts = [int(chosen[kind == k].sum()) for k in range(3)]
        print(f"{name}: {counts[0]} right, {counts[1]} near misses, {counts[2]} wrong")

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(11, 3.6), width_ratios=[1.5, 1], layout="constrained"
    )
    names = "on the plane", "a little in front of it", "wrong"
    shown = [np.minimum(estimate.residuals[kind == k], 3.95) for k in range(3)]
    left.hist(
        shown,
        bins=np.linspace(0, 4, 51),
        stacked=True,
        label=names,
        color=[OURS, THEIRS, GREY],
    )
    left.axvline(estimate.threshold, color=OURS, lw=2)
    left.text(estimate.threshold + 0.05, 150, "cvscore cuts here", color=OURS)
    left.axvline(THREE_PIXELS, color=THEIRS, lw=2, ls="--")
    left.text(THREE_PIXELS + 0.05, 120, "3 pixels in cv2", color=THEIRS)
    left.set(
        xlabel="Sampson distance from the model (pixels; 4 and more at the right)",
        ylabel="matches",
        xlim=(0, 4),
    )
    left.legend(frameon=False, loc="center right", bbox_to_anchor=(0.93, 0.35))
    bottom = np.zeros(2)
    for k, hue in enumerate((OURS, THEIRS, GREY)):
        counts = np.array([int(m[kind == k].sum()) for m in (theirs, ours)])
        right.barh(["cv2, 3 px", "cvscore"], counts, left=bottom, color=hue)
        bottom += counts
    for place, total in enumerate(bottom):
        right.text(total + 8, place, f"{total:.0f}", va="center")
    right.set(xlabel="matches in the mask", xlim=(0, 1.15 * bottom.max()))
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    given = sys.argv[1:] or [str(Path(__file__).with_name("masks.png"))]
    main(Path(given[0]))
