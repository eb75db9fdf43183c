"""One pair of views for a command: two images, or a file of matches."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cvscore.cli.failure import Failure
from cvscore.cli.options import camera_matrix
from cvscore.images.features import MAX_FEATURES, RATIO, match_images, read_image
from cvscore.images.match_files import SUFFIXES, Correspondences, load_correspondences
from cvscore.types import Array

Image = NDArray[np.uint8]

SIDES = "first", "second"


@dataclass(frozen=True)
class Pair:
    """Matches, the images they are of (where there are any) and the cameras."""

    matches: Correspondences
    images: tuple[Image, Image] | None
    cameras: tuple[Array, Array] | None
    names: tuple[str, str]


def add_pair_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name the pair."""
    parser.add_argument(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help=f"two images, or one file of matches ({', '.join(SUFFIXES)}) and, to draw "
        "on, the two images as well",
    )
    parser.add_argument(
        "--camera",
        metavar="K",
        help="camera matrix: f, f,cx,cy or fx,fy,cx,cy in pixels, or a file",
    )
    parser.add_argument(
        "--camera2", metavar="K", help="of the second image (default: as the first)"
    )
    parser.add_argument(
        "--group", default="", help="group inside an .h5 file that holds the matches"
    )
    features = parser.add_argument_group("matching of images (SIFT)")
    features.add_argument(
        "--ratio", type=float, default=RATIO, help="of the ratio test (%(default)s)"
    )
    features.add_argument(
        "--max-features",
        type=int,
        default=MAX_FEATURES,
        metavar="N",
        help="of each image (%(default)s)",
    )


def load_pair(options: argparse.Namespace) -> Pair:
    """Read what the arguments name; images without a file of matches are matched."""
    names = [Path(name) for name in options.inputs]
    files = [name for name in names if name.suffix.lower() in SUFFIXES]
    others = [name for name in names if name not in files]
    if len(files) > 1 or len(others) not in ((0, 2) if files else (2,)):
        raise Failure(
            "expected two images, or one file of matches and perhaps its two images, "
            f"got {' '.join(options.inputs)}"
        )
    images = (read_image(others[0]), read_image(others[1])) if others else None
    if files:
        matches = load_correspondences(files[0], options.group)
    else:
        assert images is not None
        matches = match_images(
            *images, ratio=options.ratio, max_features=options.max_features
        )
    shown = others or [Path(f"{files[0].name}, {side} image") for side in SIDES]
    cameras = _cameras(options, matches, images)
    return Pair(matches, images, cameras, (shown[0].name, shown[1].name))


def _cameras(
    options: argparse.Namespace,
    matches: Correspondences,
    images: tuple[Image, Image] | None,
) -> tuple[Array, Array] | None:
    if options.camera is None:
        if options.camera2 is not None:
            raise Failure("--camera2 needs --camera")
        if matches.K1 is None or matches.K2 is None:
            return None
        return matches.K1, matches.K2
    sizes = [None, None] if images is None else [image.shape[1::-1] for image in images]
    return (
        camera_matrix(options.camera, sizes[0]),
        camera_matrix(options.camera2 or options.camera, sizes[1]),
    )
