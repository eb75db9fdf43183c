"""The README's picture: a poster that thresholds lose, and how often they do.

python docs/pictures/poster.py [docs/pictures/poster.jpg [NUM]]        (a minute)

A poster is found in photographs by its homography.  Features are matched on copies 640
pixels wide, as most matchers do it, and the coordinates taken back to the photograph,
which is 320, 1280 or 4000 pixels wide.  What is 3 pixels in one is 40 in another.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from rendered_poster import CORNERS, PHOTO, Photograph, draw_poster, take_photograph

import cvscore
from cvscore.images.features import match_images

NUM_PHOTOGRAPHS = 48  # seeds 0, 1, ...
BRIGHTER = 1.7  # than it was taken, so that one sees something
ENLARGED = 0.5, 2.0, 6.25  # the photograph over the copy that was matched
THRESHOLDS = np.geomspace(0.1, 100.0, 13)  # pixels
DEFAULT = 3.0  # cv2's
PERMISSIVE = 0.95  # of the ratio test
FOUND = 0.03  # mean error of the corners, as a fraction of the poster's diagonal
ITERATIONS = 2000  # cv2's default, for all
OURS, THEIRS, OTHERS = "#1a7f37", "#cf222e", "#e08a00"

Homography = NDArray[Any] | None


class Case(NamedTuple):
    """A photograph, and the matches of the poster with it in its full size."""

    photo: Photograph
    enlarged: float
    x1: NDArray[np.float64]
    x2: NDArray[np.float64]


def make_case(seed: int) -> Case:
    """Photograph a poster and match it."""
    rng = np.random.default_rng(seed)
    art = draw_poster(rng)
    photo = take_photograph(rng, art)
    enlarged = float(rng.choice(ENLARGED))
    found = match_images(art, photo.image, ratio=PERMISSIVE)
    return Case(photo, enlarged, found.x1, enlarged * found.x2)


def opencv(method: int, threshold: float) -> Callable[[Case], Homography]:
    """One of cv2's estimators at one of its thresholds."""

    def estimate(case: Case) -> Homography:
        given = case.x1, case.x2, method, threshold
        return cv2.findHomography(*given, maxIters=ITERATIONS)[0]

    return estimate


def ours(case: Case) -> Homography:
    """Estimate without a threshold."""
    return cvscore.findHomography(case.x1, case.x2, maxIters=ITERATIONS)[0]


def corners_of(case: Case, H: Homography) -> NDArray[np.float64] | None:
    """Where the poster's corners are said to be, in the copy that is shown."""
    if H is None:
        return None
    corners = cv2.perspectiveTransform(CORNERS[:, None], H)[:, 0] / case.enlarged
    return corners if np.isfinite(corners).all() else None


def is_found(case: Case, H: Homography) -> bool:
    """Whether the corners are where they should be."""
    corners, truth = corners_of(case, H), case.photo.corners
    if corners is None:
        return False
    error = np.linalg.norm(corners - truth, axis=1).mean()
    return bool(error < FOUND * np.linalg.norm(truth[2] - truth[0]))


def share_found(cases: list[Case], estimate: Callable[[Case], Homography]) -> float:
    """Of all posters, in percent."""
    return 100.0 * float(np.mean([is_found(case, estimate(case)) for case in cases]))


def draw_outline(axes: Any, case: Case, H: Homography, title: str, hue: str) -> None:
    """The photograph with the poster as the homography places it."""
    image = cv2.convertScaleAbs(case.photo.image, alpha=BRIGHTER)
    corners = corners_of(case, H)
    if corners is not None:
        outline = [np.int32(np.clip(corners, -9999, 9999) * 16)]
        bgr = [int(255 * c) for c in plt.matplotlib.colors.to_rgb(hue)[::-1]]
        cv2.polylines(image, outline, True, (255, 255, 255), 9, cv2.LINE_AA, 4)
        cv2.polylines(image, outline, True, bgr, 5, cv2.LINE_AA, 4)
    if not is_found(case, H) and corners is not None:
        axes.annotate(
            "all four corners, it says",
            np.clip(corners.mean(axis=0), 20, np.array(PHOTO) - 20),
            (25, 455),
            color="white",
            fontweight="bold",
            arrowprops={"color": hue, "width": 2.5, "shrink": 0.05},
            bbox={"color": hue, "boxstyle": "round"},
        )
    axes.imshow(image[..., ::-1])
    axes.set_title(title, color=hue, fontsize=11, fontweight="bold")
    axes.set_axis_off()


def draw_shares(axes: Any, cases: list[Case]) -> None:
    """How many posters are found, against the threshold."""
    for name, method, hue in (
        ("cv2 RANSAC", cv2.RANSAC, THEIRS),
        ("cv2 USAC_MAGSAC", cv2.USAC_MAGSAC, OTHERS),
    ):
        shares = [share_found(cases, opencv(method, t)) for t in THRESHOLDS]
        print(f"{name}: {', '.join(f'{share:.0f}' for share in shares)}")
        axes.semilogx(THRESHOLDS, shares, "o-", color=hue, ms=4, lw=2, label=name)
    share = share_found(cases, ours)
    print(f"cvscore: {share:.0f}")
    axes.axhline(share, color=OURS, lw=3, label="cvscore, no threshold")
    axes.set_ylim(0, 108)
    axes.set_xlabel("threshold given (pixels)")
    axes.set_title(f"posters found in {len(cases)} photographs (%)", fontsize=11)
    axes.legend(loc="lower center", fontsize=9, frameon=False)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def main(path: Path, num: int = NUM_PHOTOGRAPHS) -> None:
    """Draw the three panels."""
    cases = [make_case(seed) for seed in range(num)]
    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(12, 3.5), width_ratios=[1.15, 1.15, 1], layout="constrained"
    )
    default = opencv(cv2.RANSAC, DEFAULT)
    lost = next(case for case in cases if not is_found(case, default(case)))
    title = "the first that cv2 RANSAC loses at 3 pixels"
    draw_outline(left, lost, default(lost), title, THEIRS)
    draw_outline(middle, lost, ours(lost), "the same with cvscore", OURS)
    draw_shares(right, cases)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100, pil_kwargs={"quality": 85})


if __name__ == "__main__":
    given = sys.argv[1:] or [str(Path(__file__).with_name("poster.jpg"))]
    main(Path(given[0]), *map(int, given[1:]))
