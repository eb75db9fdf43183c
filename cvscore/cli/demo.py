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
from cvscore.cli.demo_picture import Panel, demo_picture
from cvscore.cli.demo_views import View, take_views
from cvscore.cli.options import (
    MOST,
    add_json_option,
    add_output_option,
    check_at_most,
    print_json,
)
from cvscore.cli.outputs import (
    add_report_option,
    check_outputs,
    check_report_name,
    write_report,
)
from cvscore.images.features import check_picture_name, write_image
from cvscore.types import Array, Estimate, Mask

DEMO_PICTURE = Path("cvscore-demo.png")
THRESHOLDS = (0.1, 0.3, 1.0, 3.0, 10.0)
CV2_ITERATIONS = 10_000  # ten times the default, which is what ours gets
OURS = "cvscore, no threshold"
SHOWN = ("cv2 RANSAC, 0.3 px", "cv2 RANSAC, 3 px", "cv2 MAGSAC, 1 px", OURS)
TOLERABLE = 5.0  # degrees; beyond them the pose is called wrong
FAILED = 180.0  # degrees, where there is no model


@dataclass(frozen=True)
class Outcome:
    """What a method found in a view: its inliers (N,), and the error in degrees."""

    inliers: Mask
    degrees: float

    @property
    def num_inliers(self) -> int:
        """How many matches it took."""
        return int(np.count_nonzero(self.inliers))

    @property
    def is_wrong(self) -> bool:
        """Whether nobody would use the pose."""
        return self.degrees > TOLERABLE


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "demo",
        help="render two views and compare with cv2 at five thresholds; needs no file",
        description="Render two views of a room whose cameras are known, as a "
        "thumbnail, at dusk and at night: three levels of noise.  Compare the poses "
        "that cv2 finds at five thresholds with those found without one.",
    )
    add_output_option(parser, "picture (default %(default)s)", DEMO_PICTURE)
    add_report_option(
        parser, "also write a page about the views at night, to play with"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the rendered scene")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Render, estimate, print the table and draw."""
    if options.seed < 0:
        raise ValueError(f"--seed must not be negative, got {options.seed}")
    check_at_most("--seed", options.seed, MOST)
    check_picture_name(options.output)
    check_report_name(options.report)
    check_outputs([options.output, options.report], [])
    views = take_views(options.seed)
    jobs = [(view, *method) for method in _methods() for view in views]
    rows: dict[str, list[Outcome]] = {}
    for view, name, estimate in progress(jobs, label="estimating"):
        rows.setdefault(name, []).append(_assess(view, *estimate(view)))
    estimates = [_estimate(view) for view in views]
    panels = {name: [_panel(outcome) for outcome in rows[name]] for name in SHOWN}
    write_image(options.output, demo_picture(views, panels))
    if options.report is not None:
        _write_report(options.report, views[-1], estimates[-1])
    files = [file for file in (options.output, options.report) if file is not None]
    if options.json:
        print_json(_content(views, rows, estimates, files))
    else:
        _print(views, rows, estimates, files)


Answer = tuple[Array | None, NDArray[Any]]


def _methods() -> list[tuple[str, Callable[[View], Answer]]]:
    import cv2

    def opencv(method: int, threshold: float) -> Callable[[View], Answer]:
        def estimate(view: View) -> Answer:
            answer: Any = cv2.findEssentialMat(
                view.matches.x1,
                view.matches.x2,
                view.pair.K,
                method,
                0.999,
                threshold,
                CV2_ITERATIONS,
            )
            return answer[0], answer[1]

        return estimate

    def ours(view: View) -> Answer:
        matches = view.matches
        E, mask = cvscore.findEssentialMat(matches.x1, matches.x2, view.pair.K)
        return E, mask

    methods = [
        (f"cv2 {name}, {threshold:g} px", opencv(flag, threshold))
        for name, flag in (("RANSAC", cv2.RANSAC), ("MAGSAC", cv2.USAC_MAGSAC))
        for threshold in THRESHOLDS
    ]
    return [*methods, (OURS, ours)]


def _estimate(view: View) -> Estimate:
    """Return what our call found, with all that is known of it."""
    matches, K = view.matches, view.pair.K
    return cvscore.estimate_essential(matches.x1, matches.x2, K, K)


def _assess(view: View, E: Array | None, mask: NDArray[Any] | None) -> Outcome:
    import cv2

    matches, pair = view.matches, view.pair
    if E is None or mask is None or E.shape != (3, 3):
        return Outcome(np.zeros(len(matches), dtype=bool), FAILED)
    _, R, t, _ = cv2.recoverPose(E, matches.x1, matches.x2, pair.K, mask=mask.copy())
    cosines = (np.trace(R @ pair.R.T) - 1.0) / 2.0, float(t.ravel() @ pair.t)
    error = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))).max()
    return Outcome(mask.ravel() == 1, float(error))


def _panel(outcome: Outcome) -> Panel:
    verdict = f"{outcome.degrees:.1f} degrees off, {outcome.num_inliers} inliers"
    verdict = f"WRONG: {verdict}" if outcome.is_wrong else verdict
    return Panel(outcome.inliers, verdict, outcome.is_wrong)


def _write_report(path: Path, view: View, estimate: Estimate) -> None:
    from cvscore.report import PairViews, pair_page

    names = f"{view.name}, first view", f"{view.name}, second view"
    matches, K = view.matches, view.pair.K
    images = view.image1, view.image2
    pair = PairViews(matches.x1, matches.x2, names, images, (K, K))
    write_report(path, pair_page(pair, estimate, "essential", scene="rendered"))


def _content(
    views: list[View],
    rows: dict[str, list[Outcome]],
    estimates: list[Estimate],
    files: list[Path],
) -> dict[str, Any]:
    return {
        "views": [view.name for view in views],
        "num_matches": [len(view.matches) for view in views],
        "noise": [estimate.scale for estimate in estimates],
        "methods": {
            name: {
                "inliers": [outcome.num_inliers for outcome in row],
                "degrees": [outcome.degrees for outcome in row],
            }
            for name, row in rows.items()
        },
        "files": [str(file) for file in files],
    }


def _print(
    views: list[View],
    rows: dict[str, list[Outcome]],
    estimates: list[Estimate],
    files: list[Path],
) -> None:
    print(
        "Two views of a room, taken three times.  By how many degrees the pose is off\n"
        "(the truth is known), and how many inliers there are; "
        f"! is more than {TOLERABLE:g} degrees.\n"
    )
    print(_row("", [view.name for view in views]))
    print(_row("image, px", [view.size for view in views]))
    print(_row("matches", [str(len(view.matches)) for view in views]))
    print(_row("noise found, px", [f"{found.scale:.2g}" for found in estimates]))
    print()
    for name, row in rows.items():
        print(_row(name, [_cell(outcome) for outcome in row]))
    theirs = [row for name, row in rows.items() if name != OURS]
    num = sum(any(outcome.is_wrong for outcome in row) for row in theirs)
    wrong = sum(outcome.is_wrong for outcome in rows[OURS])
    print(
        f"\n{num} of {len(theirs)} choices of method and threshold are wrong at least "
        f"once; cvscore, where\nthere is nothing to choose, {wrong} times."
    )
    for name, file in zip(("picture", "report"), files, strict=False):
        print(f"{name}: {file}")


def _cell(outcome: Outcome) -> str:
    mark = "!" if outcome.is_wrong else " "
    return f"{outcome.degrees:.1f}°{mark} {outcome.num_inliers:4d}"


def _row(name: str, cells: list[str]) -> str:
    return f"{name:22}" + "".join(f"{cell:>16}" for cell in cells)
