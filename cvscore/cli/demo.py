"""``cvscore demo``: what thresholds do to cv2, next to no threshold at all."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cvscore
from cvscore._numba.progress import progress
from cvscore.cli.options import (
    MOST,
    add_json_option,
    add_output_option,
    check_at_most,
    print_json,
)
from cvscore.images.features import check_picture_name, match_images, write_image
from cvscore.images.match_files import Correspondences
from cvscore.images.rendering import RenderedPair, render_pair
from cvscore.types import Array, Mask

Image = NDArray[np.uint8]

DEMO_PICTURE = Path("cvscore-demo.png")
THRESHOLDS = (0.1, 0.3, 1.0, 3.0, 10.0)
# Grey levels of sensor noise in both views: it moves keypoints and costs matches.
LIGHT = {"by day": 0.0, "at dusk": 50.0, "at night": 75.0}
DEMO_RATIO = 0.95  # permissive, so that wrong matches are the most
CV2_ITERATIONS = 10_000  # ten times the default, which is what ours gets
SHOWN = ("cv2 RANSAC, 1 px", "cv2 MAGSAC, 1 px", "cvscore, no threshold")
TOLERABLE = 5.0  # degrees; beyond them the pose is called wrong
FAILED = 180.0  # degrees, where there is no model


@dataclass(frozen=True)
class View:
    """The two images in one light, with the matches that they give."""

    name: str
    image1: Image
    image2: Image
    matches: Correspondences


@dataclass(frozen=True)
class Outcome:
    """What a method found in a view: its inliers (N,), and the error in degrees."""

    inliers: Mask
    degrees: float

    @property
    def is_wrong(self) -> bool:
        """Whether nobody would use the pose."""
        return self.degrees > TOLERABLE


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "demo",
        help="render two views and compare with cv2 at five thresholds; needs no file",
        description="Render two views of a scene whose cameras are known, by day, at "
        "dusk and at night, and compare the poses found by cv2 at five thresholds with "
        "those found without one.",
    )
    add_output_option(parser, "picture (default %(default)s)", DEMO_PICTURE)
    parser.add_argument("--seed", type=int, default=0, help="of the rendered scene")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Render, estimate, print the table and draw."""
    if options.seed < 0:
        raise ValueError(f"--seed must not be negative, got {options.seed}")
    check_at_most("--seed", options.seed, MOST)
    check_picture_name(options.output)
    pair = render_pair(options.seed)
    views = [
        View(name, *images, match_images(*images, ratio=DEMO_RATIO))
        for name, images in progress(_in_each_light(pair, options.seed), label="match")
    ]
    jobs = [(view, *method) for method in _methods(pair) for view in views]
    rows: dict[str, list[Outcome]] = {}
    for view, name, estimate in progress(jobs, label="estimating"):
        rows.setdefault(name, []).append(_assess(pair, view, *estimate(view.matches)))
    write_image(options.output, _picture(views, rows))
    if options.json:
        print_json(_content(views, rows, options.output))
    else:
        _print(views, rows, options.output)


def _in_each_light(
    pair: RenderedPair, seed: int
) -> list[tuple[str, tuple[Image, Image]]]:
    rng = np.random.default_rng(seed)

    def noisy(image: Image, noise: float) -> Image:
        grey = np.clip(image + rng.normal(0.0, noise, image.shape), 0, 255)
        return grey.astype(np.uint8)

    return [
        (name, (noisy(pair.image1, noise), noisy(pair.image2, noise)))
        for name, noise in LIGHT.items()
    ]


Answer = tuple[Array | None, NDArray[Any]]


def _methods(pair: RenderedPair) -> list[tuple[str, Callable[..., Answer]]]:
    import cv2

    def opencv(method: int, threshold: float) -> Callable[..., Answer]:
        def estimate(matches: Correspondences) -> Answer:
            answer: Any = cv2.findEssentialMat(
                matches.x1,
                matches.x2,
                pair.K,
                method,
                0.999,
                threshold,
                CV2_ITERATIONS,
            )
            return answer[0], answer[1]

        return estimate

    def ours(matches: Correspondences) -> Answer:
        E, mask = cvscore.findEssentialMat(matches.x1, matches.x2, pair.K)
        return E, mask

    methods = [
        (f"cv2 {name}, {threshold:g} px", opencv(flag, threshold))
        for name, flag in (("RANSAC", cv2.RANSAC), ("MAGSAC", cv2.USAC_MAGSAC))
        for threshold in THRESHOLDS
    ]
    return [*methods, ("cvscore, no threshold", ours)]


def _assess(
    pair: RenderedPair, view: View, E: Array | None, mask: NDArray[Any] | None
) -> Outcome:
    import cv2

    matches = view.matches
    if E is None or mask is None or E.shape != (3, 3):
        return Outcome(np.zeros(len(matches), dtype=bool), FAILED)
    _, R, t, _ = cv2.recoverPose(E, matches.x1, matches.x2, pair.K, mask=mask.copy())
    cosines = (np.trace(R @ pair.R.T) - 1.0) / 2.0, float(t.ravel() @ pair.t)
    error = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))).max()
    return Outcome(mask.ravel() == 1, float(error))


def _picture(views: list[View], rows: dict[str, list[Outcome]]) -> Image:
    """One column for each light, one row for each method: the inliers it chose."""
    from cvscore.draw import stack

    columns = [
        stack(
            [
                (_caption(name, view, rows[name][i]), _half_size(view, rows[name][i]))
                for name in SHOWN
            ],
            captions_below=True,
        )
        for i, view in enumerate(views)
    ]
    return np.hstack(columns)


def _caption(name: str, view: View, outcome: Outcome) -> str:
    verdict = f"{outcome.degrees:.1f} degrees off" + (", WRONG" * outcome.is_wrong)
    return f"{view.name}: {name}: {int(outcome.inliers.sum())} inliers, {verdict}"


def _half_size(view: View, outcome: Outcome) -> Image:
    import cv2

    from cvscore.draw import draw_matches

    chosen = outcome.inliers
    x1, x2 = view.matches.x1[chosen], view.matches.x2[chosen]
    every = np.ones(len(x1), dtype=bool)
    drawn = draw_matches(view.image1, view.image2, x1, x2, every)
    height, width = drawn.shape[:2]
    half = (width // 2, height // 2)
    return np.asarray(cv2.resize(drawn, half, interpolation=cv2.INTER_AREA), np.uint8)


def _content(
    views: list[View], rows: dict[str, list[Outcome]], path: Path
) -> dict[str, Any]:
    return {
        "views": [view.name for view in views],
        "num_matches": [len(view.matches) for view in views],
        "methods": {
            name: {
                "inliers": [int(outcome.inliers.sum()) for outcome in row],
                "degrees": [outcome.degrees for outcome in row],
            }
            for name, row in rows.items()
        },
        "picture": str(path),
    }


def _print(views: list[View], rows: dict[str, list[Outcome]], path: Path) -> None:
    print("The same two views by day, at dusk and at night: how far the pose is off")
    print("(degrees; the rendered truth is known), and the inliers.\n")
    print(_row("", [view.name for view in views]))
    print(_row("", [f"{len(view.matches)} matches" for view in views]))
    for name, row in rows.items():
        print(_row(name, [_cell(outcome) for outcome in row]))
    theirs = [row for name, row in rows.items() if name.startswith("cv2")]
    num = sum(any(outcome.is_wrong for outcome in row) for row in theirs)
    print(
        f"\n! is more than {TOLERABLE:g} degrees.  {num} of {len(theirs)} choices of "
        "method and threshold fail in one light or more."
    )
    print(f"picture of the inliers: {path}")


def _cell(outcome: Outcome) -> str:
    mark = "!" if outcome.is_wrong else " "
    return f"{outcome.degrees:.1f}°{mark} {int(outcome.inliers.sum()):4d}"


def _row(name: str, cells: list[str]) -> str:
    return f"{name:22}" + "".join(f"{cell:>16}" for cell in cells)
