"""``cvscore match``: two images or a file of matches in, a model and a picture out."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

import cvscore
from cvscore._numba.progress import ProgressBar
from cvscore.cli.failure import Failure
from cvscore.cli.match_summary import (
    SCENES,
    lines_of,
    poses_of_plane,
    summary_of,
)
from cvscore.cli.options import (
    add_json_option,
    add_output_option,
    add_search_options,
    load_calibration,
    print_json,
    search_options,
)
from cvscore.cli.outputs import (
    add_report_option,
    check_outputs,
    check_report_name,
    write_report,
)
from cvscore.cli.pairs import Image, Pair, add_pair_arguments, load_pair
from cvscore.estimators import ESTIMATORS
from cvscore.estimators.registry import of_image_pairs
from cvscore.files.whole_files import written_whole
from cvscore.images.features import check_picture_name, write_image
from cvscore.report.pair import PairViews
from cvscore.two_view.model_selection import fundamental_of
from cvscore.types import Estimate, shown

MATCH_PICTURE = Path("cvscore-match.png")


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "match",
        help="estimate the geometry of two images or of a file of matches",
        description="Match two images (or read matches from a file), estimate their "
        "geometry without a threshold, print it and draw it.",
    )
    add_pair_arguments(parser)
    parser.add_argument(
        "--model",
        choices=(*of_image_pairs(), "auto"),
        default="auto",
        help="what to estimate (default auto: by the evidence)",
    )
    parser.add_argument(
        "--calibration",
        type=Path,
        metavar="FILE",
        help="what cvscore calibrate has learned; its model is the default then",
    )
    add_output_option(
        parser, f"picture of the matches (default {MATCH_PICTURE} with images)"
    )
    parser.add_argument(
        "--sweep",
        type=Path,
        metavar="FILE",
        help="also plot how the score chose (needs matplotlib)",
    )
    add_report_option(
        parser,
        "also write a page to look at in a browser: matches, epipolar lines or mapped "
        "places, and what any threshold would have kept",
    )
    add_search_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Match, estimate, print and draw."""
    limits = search_options(options)
    learned = None
    if options.calibration is not None:
        learned = load_calibration(options.calibration)
        if learned.model not in of_image_pairs():
            raise Failure(
                f"{options.calibration} is for the model {shown(learned.model)}, which "
                f"is none of {', '.join(of_image_pairs())}"
            )
        options.model = learned.model if options.model == "auto" else options.model
    with ProgressBar(3, "matching") as bar:
        bar.advance(0)
        pair, matching_seconds = _timed(lambda: load_pair(options))
        _check_outputs(options, pair)
        bar.label = "estimating"
        bar.advance()
        try:
            kind, scene, estimate, epipolar = _estimate_or_select(
                options.model, pair, limits, learned
            )
        except Failure as failure:
            written = _draw_rejected(options, pair, str(failure))
            where = f" ({', '.join(written)})" if written else ""
            raise Failure(f"{failure}{where}") from None
        # Once more, for a time that does not contain the loading of kernels.
        _, seconds = _timed(lambda: _estimate(kind, pair, limits, learned))
        bar.label = "drawing"
        bar.advance()
        files = _draw(options, kind, pair, estimate, learned)
        _write_report(options.report, kind, pair, estimate, learned, scene)
    content = {"scene": scene, "kind": kind, **summary_of(len(pair.matches), estimate)}
    content |= {"plane_poses": [] if epipolar is None else poses_of_plane(epipolar)}
    content |= {"seconds": seconds, "matching_seconds": matching_seconds}
    content |= {"pictures": [str(file) for file in files]}
    content |= {"report": None if options.report is None else str(options.report)}
    if options.json:
        print_json(content)
    else:
        _print(content, lines_of(content, estimate, pair.matches.x1))


def _timed(function: Any) -> tuple[Any, float]:
    started = time.perf_counter()
    return function(), time.perf_counter() - started


def _estimate_or_select(
    model: str,
    pair: Pair,
    limits: cvscore.RansacOptions,
    learned: cvscore.Calibration | None,
) -> tuple[str, str | None, Estimate, Estimate | None]:
    """Return what was estimated, the kind of scene where that was asked, the result.

    And the essential matrix, where the result is a plane's homography.
    """
    if model != "auto":
        _check_cameras(model, pair)
        estimate = _estimate(model, pair, limits, learned)
        if not estimate:
            raise Failure(f"no model: {estimate.reason}")
        return model, None, estimate, None
    matches = pair.matches
    selection = cvscore.select_model(
        matches.x1,
        matches.x2,
        *(pair.cameras or ()),
        options=limits,
        quality=matches.quality,
        weights=matches.weights,
    )
    estimate = selection.estimate
    if selection.kind == "none":
        raise Failure(
            f"no significant model: {estimate.reason}"
            if estimate.reason
            else f"no significant model: random matches ({len(matches)} of them) have "
            "as good a one"
        )
    if selection.kind != "general":
        is_posed = selection.kind == "planar" and bool(selection.epipolar)
        epipolar = selection.epipolar if is_posed else None
        return "homography", selection.kind, estimate, epipolar
    kind = "essential" if pair.cameras else "fundamental"
    return kind, selection.kind, estimate, None


def _check_cameras(model: str, pair: Pair) -> None:
    if model in ESTIMATORS and ESTIMATORS[model].needs_cameras and not pair.cameras:
        raise Failure(
            f"the {model} matrix needs a camera: --camera fx,fy,cx,cy (or --camera "
            "f), or K1 and K2 in the file of matches"
        )


def _estimate(
    kind: str,
    pair: Pair,
    limits: cvscore.RansacOptions,
    learned: cvscore.Calibration | None,
) -> Estimate:
    matches = pair.matches
    given: dict[str, Any] = {"options": limits, "calibration": learned}
    given |= {"quality": matches.quality, "weights": matches.weights}
    cameras = pair.cameras or ()
    return ESTIMATORS[kind].run(matches.x1, matches.x2, cameras=cameras, **given)


def _check_outputs(options: argparse.Namespace, pair: Pair) -> None:
    """Refuse what can't be written before the work and not after it."""
    if options.output is not None and pair.images is None:
        raise Failure("--output draws on images: give the two images as well")
    outputs = (
        None if pair.images is None else options.output or MATCH_PICTURE,
        options.sweep,
    )
    check_report_name(options.report)
    for path in outputs:
        if path is not None:
            check_picture_name(path)
    inputs = *options.inputs, options.calibration, options.camera, options.camera2
    check_outputs((*outputs, options.report), inputs)


def _draw(
    options: argparse.Namespace,
    kind: str,
    pair: Pair,
    estimate: Estimate,
    learned: cvscore.Calibration | None,
) -> list[Path]:
    files = []
    if pair.images is not None:
        path = options.output or MATCH_PICTURE
        write_image(path, picture(kind, pair, pair.images, estimate))
        files.append(path)
    if options.sweep is not None:
        from cvscore.draw import plot_sweep

        matches, score = pair.matches, None if learned is None else learned.score
        figure = plot_sweep(
            estimate, matches.x1, matches.x2, kind, score=score, weights=matches.weights
        )
        with written_whole(options.sweep) as part:
            figure.savefig(part)
        files.append(options.sweep)
    return files


def _views(pair: Pair) -> PairViews:
    matches = pair.matches
    shown = pair.names, pair.images, pair.cameras
    return PairViews(matches.x1, matches.x2, *shown, weights=matches.weights)


def _write_report(
    path: Path | None,
    kind: str,
    pair: Pair,
    estimate: Estimate,
    learned: cvscore.Calibration | None,
    scene: str | None,
) -> None:
    if path is None:
        return
    from cvscore.report import pair_page

    score = None if learned is None else learned.score
    words = SCENES[scene] if scene else ""
    write_report(
        path, pair_page(_views(pair), estimate, kind, score=score, scene=words)
    )


def _draw_rejected(options: argparse.Namespace, pair: Pair, reason: str) -> list[str]:
    """Draw the matches that no model was found in, and say where."""
    written = []
    if pair.images is not None:
        from cvscore.draw import draw_matches, stack

        matches = pair.matches
        nobody = np.zeros(len(matches), dtype=np.bool_)
        caption = (
            f"no model: {len(matches)} matches, all of them rejected (red crosses)"
        )
        shown = draw_matches(*pair.images, matches.x1, matches.x2, nobody)
        path = options.output or MATCH_PICTURE
        write_image(path, stack([(caption, shown)]))
        written.append(f"picture: {path}")
    if options.report is not None:
        from cvscore.report import page_without_model

        for known in ("no model: ", "no significant model: "):  # the page says it too
            reason = reason.removeprefix(known)
        write_report(options.report, page_without_model(_views(pair), reason))
        written.append(f"report: {options.report}")
    return written


def picture(
    kind: str, pair: Pair, images: tuple[Image, Image], estimate: Estimate
) -> Image:
    """Return the matches, and under them what the model says of the images."""
    from cvscore.draw import draw_epipolar_lines, draw_matches, draw_overlay, stack

    matches = pair.matches
    points = matches.x1, matches.x2
    above = draw_matches(*images, *points, estimate.inliers)
    counts = f"{estimate.num_inliers} of {len(matches)} matches"
    caption = f"{counts} are inliers (blue lines); the rest are rejected (red crosses)"
    assert estimate.model is not None
    if kind == "homography" or estimate.model.shape == (2, 3):
        H = np.vstack([estimate.model, np.eye(3)[len(estimate.model) :]])
        below = draw_overlay(*images, H)
        meaning = (
            "first image (red) warped onto the second (cyan): grey where they agree"
        )
    else:
        cameras = pair.cameras if kind == "essential" else None
        F = fundamental_of(estimate.model, cameras)
        below = draw_epipolar_lines(*images, *points, F, estimate.inliers)
        meaning = "some inliers, and the lines on which the other image says they lie"
    return stack([(caption, above), (meaning, below)])


def _print(content: dict[str, Any], lines: list[tuple[str, str]]) -> None:
    lines = [
        *lines,
        (
            "time",
            f"{1000 * content['seconds']:.1f} ms for {content['iterations']} samples; "
            f"{content['matching_seconds']:.2f} s to get the matches",
        ),
    ]
    lines += [("picture", name) for name in content["pictures"]]
    lines += [("report", content["report"])] if content["report"] else []
    for name, text in lines:
        print(f"{name:11} {text}")
