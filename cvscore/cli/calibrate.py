"""``cvscore calibrate``: prior and half-width from a few labelled pairs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvscore.cli.options import (
    add_json_option,
    add_output_option,
    add_search_options,
    print_json,
    search_options,
)
from cvscore.cli.outputs import check_outputs
from cvscore.estimators.registry import of_image_pairs
from cvscore.files.whole_files import written_whole
from cvscore.images.match_files import from_arrays, read_arrays
from cvscore.types import Mask

LABEL_NAMES = ("inliers", "mask", "labels")
TRUTH_NAMES = ("R", "t", "H")
OUTPUT = Path("calibration.json")


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "calibrate",
        help="learn the noise from a few pairs with labels",
        description="Learn a prior on the noise, and the region of wrong matches, from "
        "pairs whose right matches are known; two suffice.  The result is for "
        "--calibration of match, and for calibration= of the functions.",
    )
    parser.add_argument(
        "pairs",
        nargs="+",
        type=Path,
        metavar="PAIR",
        help=".npz or .h5 with x1, x2 (N, 2) and inliers (N,); perhaps K1, K2, the "
        "pose R, t or the homography H",
    )
    parser.add_argument(
        "--model",
        required=True,
        choices=of_image_pairs(),
        help="what to calibrate for",
    )
    parser.add_argument(
        "--fit",
        choices=("robust", "mle"),
        default="robust",
        help="how the prior is fitted (default %(default)s)",
    )
    add_output_option(parser, "where it is written (default %(default)s)", OUTPUT)
    add_search_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Read the pairs, calibrate, write and print the result."""
    from cvscore.calibration.calibrate import calibrate

    limits = search_options(options)
    check_outputs([options.output], options.pairs)
    pairs = [load_labelled(path) for path in options.pairs]
    found = calibrate(pairs, model=options.model, fit=options.fit, options=limits)
    with written_whole(options.output) as part:
        found.save(part)
    scale = np.sqrt(found.prior.beta / found.prior.alpha)
    content = {
        "model": found.model,
        "alpha": found.prior.alpha,
        "beta": found.prior.beta,
        "unit": found.prior.unit,
        "scale": scale,
        "half_width_fraction": found.half_width_fraction,
        "num_pairs": found.num_pairs,
        "num_skipped": found.num_skipped,
        "file": str(options.output),
    }
    if options.json:
        print_json(content)
        return
    used = found.num_pairs - found.num_skipped
    print(f"{'model':11} {found.model}")
    print(f"{'pairs':11} {used} of {found.num_pairs} had enough right matches")
    print(f"{'noise':11} about {scale:.3g} {found.prior.unit}")
    print(f"{'prior':11} alpha {found.prior.alpha:.3g}, beta {found.prior.beta:.3g}")
    print(f"{'half-width':11} {found.half_width_fraction:.3g} of the points' extent")
    print(f"{'file':11} {options.output}")


def load_labelled(path: Path) -> Any:
    """Read one pair with its labels."""
    from cvscore import LabelledPair

    arrays = read_arrays(path)
    labels = next((arrays[name] for name in LABEL_NAMES if name in arrays), None)
    if labels is None:
        raise ValueError(
            f"{path} does not say which matches are right: looked for "
            f"{', '.join(LABEL_NAMES)} among {', '.join(sorted(arrays))}"
        )
    matches = from_arrays(arrays, path)
    truth: dict[str, NDArray[Any]] = {
        name: arrays[name] for name in TRUTH_NAMES if name in arrays
    }
    if "t" in truth:
        truth["t"] = truth["t"].ravel()
    try:
        return LabelledPair(
            x1=matches.x1,
            x2=matches.x2,
            inliers=_as_mask(labels),
            K1=matches.K1,
            K2=matches.K2,
            **truth,
        )
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _as_mask(labels: NDArray[Any]) -> Mask:
    """Booleans, or zeros and ones; other labels mean what only their author knows."""
    values = labels.ravel()
    if values.dtype.kind not in "biuf":
        raise ValueError(f"labels must be true or false, or 1 or 0, got {labels.dtype}")
    is_right: Mask = values == 1
    if not (is_right | (values == 0)).all():
        others = np.unique(values[~is_right & (values != 0)])[:3]
        raise ValueError(
            "labels must be true or false, or 1 or 0, got "
            f"{', '.join(str(value) for value in others.tolist())}"
        )
    return is_right
