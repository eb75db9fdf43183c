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
from cvscore.types import Array

Image = NDArray[np.uint8]

DEMO_PICTURE = Path("cvscore-demo.png")
THRESHOLDS = (0.1, 0.3, 1.0, 3.0, 10.0)
# How the second view is spoilt: nothing; out of focus; seen at a quarter of the size.
BLUR = 3.0
SHRINK = 4
FAILED = 180.0  # degrees, where there is no model


@dataclass(frozen=True)
class View:
    """One state of the second image, with the matches that it gives."""

    name: str
    image1: Image
    image2: Image
    matches: Correspondences


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "demo",
        help="render two views and compare with cv2 at five thresholds; needs no file",
        description="Render two views of a scene whose cameras are known, spoil the "
        "second one in two ways, and compare the pose found by cv2 at five thresholds "
        "with the pose found without one.",
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
        View(name, pair.image1, image, match_images(pair.image1, image))
        for name, image in progress(_spoilt(pair.image2), label="matching")
    ]
    jobs = [(view, *method) for method in _methods(pair) for view in views]
    rows: dict[str, list[tuple[int, float]]] = {}
    for view, name, estimate in progress(jobs, label="estimating"):
        rows.setdefault(name, []).append(_assess(pair, view, *estimate(view.matches)))
    write_image(options.output, _picture(pair, views[-1]))
    if options.json:
        print_json(_content(views, rows, options.output))
    else:
        _print(views, rows, options.output)


def _spoilt(image: Image) -> list[tuple[str, Image]]:
    import cv2

    height, width = image.shape
    small = (width // SHRINK, height // SHRINK)
    shrunk = cv2.resize(image, small, interpolation=cv2.INTER_AREA)
    return [
        ("sharp", image),
        ("out of focus", np.asarray(cv2.GaussianBlur(image, (0, 0), BLUR))),
        (f"1/{SHRINK} size", np.asarray(cv2.resize(shrunk, (width, height)))),
    ]


Answer = tuple[Array | None, NDArray[Any]]


def _methods(pair: RenderedPair) -> list[tuple[str, Callable[..., Answer]]]:
    import cv2

    def opencv(method: int, threshold: float) -> Callable[..., Answer]:
        def estimate(matches: Correspondences) -> Answer:
            answer: Any = cv2.findEssentialMat(
                matches.x1, matches.x2, pair.K, method, 0.999, threshold
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
    pair: RenderedPair, view: View, E: Array | None, mask: NDArray[Any]
) -> tuple[int, float]:
    """Return the number of inliers and the error of the pose in degrees."""
    import cv2

    if E is None or E.shape != (3, 3):
        return 0, FAILED
    matches = view.matches
    _, R, t, _ = cv2.recoverPose(E, matches.x1, matches.x2, pair.K, mask=mask.copy())
    cosines = (np.trace(R @ pair.R.T) - 1.0) / 2.0, float(t.ravel() @ pair.t)
    error = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))).max()
    return int(mask.sum()), float(error)


def _picture(pair: RenderedPair, view: View) -> Image:
    import cv2

    from cvscore.draw import draw_matches, stack

    x1, x2 = view.matches.x1, view.matches.x2
    _, theirs = cv2.findEssentialMat(x1, x2, pair.K, cv2.RANSAC, 0.999, 1.0)
    _, ours = cvscore.findEssentialMat(x1, x2, pair.K)
    images = view.image1, view.image2
    return stack(
        [
            (
                f"{view.name}: {name}, {int(mask.sum())} inliers of {len(x1)} matches",
                draw_matches(*images, x1, x2, mask.ravel() == 1),
            )
            for name, mask in (
                ("cv2 RANSAC at 1 px", theirs),
                ("cvscore without a threshold", ours),
            )
        ]
    )


def _content(
    views: list[View], rows: dict[str, list[tuple[int, float]]], path: Path
) -> dict[str, Any]:
    return {
        "views": [view.name for view in views],
        "num_matches": [len(view.matches) for view in views],
        "methods": {
            name: {"inliers": [n for n, _ in row], "degrees": [e for _, e in row]}
            for name, row in rows.items()
        },
        "picture": str(path),
    }


def _print(
    views: list[View], rows: dict[str, list[tuple[int, float]]], path: Path
) -> None:
    print("Error of the pose in degrees (the rendered truth is known), and inliers.")
    print("One scene; its second view is sharp, out of focus, or taken from afar.\n")
    print(_row("", [view.name for view in views]))
    print(_row("", [f"{len(view.matches)} matches" for view in views]))
    for name, row in rows.items():
        print(_row(name, [f"{error:.2f}° {num:5d}" for num, error in row]))
    print(f"\npicture of the last column: {path}")


def _row(name: str, cells: list[str]) -> str:
    return f"{name:22}" + "".join(f"{cell:>17}" for cell in cells)
