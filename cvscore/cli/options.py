"""Options that several commands share, and the types of their values."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from cvscore.cli.failure import Failure
from cvscore.data.validation import as_intrinsics
from cvscore.files.plain_json import plain_json
from cvscore.scores.calibration import MOST_BYTES, Calibration
from cvscore.types import Array, RansacOptions

# Of iterations and seeds: what a C int holds, and more than anybody waits for.
MOST = 2**31 - 1


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Add the limits of the search."""
    defaults = RansacOptions()
    search = parser.add_argument_group("search")
    search.add_argument(
        "--max-iterations",
        type=int,
        default=defaults.max_iterations,
        metavar="N",
        help="samples at the most (default %(default)s)",
    )
    search.add_argument(
        "--confidence",
        type=float,
        default=defaults.confidence,
        metavar="P",
        help="of having drawn a good sample (default %(default)s)",
    )
    search.add_argument(
        "--seed", type=int, default=defaults.seed, help="same seed, same result"
    )


def search_options(options: argparse.Namespace) -> RansacOptions:
    """Return the limits of the search that were given."""
    check_at_most("--max-iterations", options.max_iterations, MOST)
    check_at_most("--seed", options.seed, MOST)
    return RansacOptions(
        max_iterations=options.max_iterations,
        confidence=options.confidence,
        seed=options.seed,
    )


def check_at_most(name: str, value: int | None, limit: int) -> None:
    """Refuse a number that no machine has the time or the bits for."""
    if value is not None and value > limit:
        raise Failure(f"{name} must be at most {limit}, got {value}")


def add_output_option(
    parser: argparse.ArgumentParser, help: str, default: Path | None = None
) -> None:
    """Add ``--output``, or ``-o``."""
    parser.add_argument(
        "-o", "--output", type=Path, default=default, metavar="FILE", help=help
    )


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object, for machines"
    )


def print_json(content: dict[str, Any]) -> None:
    """Print an object whose numbers every JSON reader accepts."""
    print(plain_json(content))


def camera_matrix(text: str, size: tuple[int, int] | None) -> Array:
    """Return the camera matrix that ``--camera`` means.

    Parameters
    ----------
    text : str
        ``f``, ``f,cx,cy`` or ``fx,fy,cx,cy`` in pixels, or the name of a file with a
        (3, 3) matrix: .npy, .json, or nine numbers as text.
    size : (width, height) or None
        Of the image; its centre is the principal point where only ``f`` is given.
    """
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        return as_intrinsics(_matrix_from_file(Path(text)), f"the camera {text}")
    if len(numbers) == 1:
        if size is None:
            raise Failure(
                f"--camera {text} has no principal point, and without images there is "
                "no centre to put it: give fx,fy,cx,cy"
            )
        numbers += [(size[0] - 1) / 2.0, (size[1] - 1) / 2.0]
    if len(numbers) == 3:
        numbers = [numbers[0], *numbers]
    if len(numbers) != 4:
        raise Failure(
            f"--camera takes f or f,cx,cy or fx,fy,cx,cy or a file, got {text}"
        )
    fx, fy, cx, cy = numbers
    matrix = np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])
    return as_intrinsics(matrix, f"the camera {text}")


def load_calibration(path: Path) -> Calibration:
    """Read what ``cvscore calibrate`` has written."""
    _check_size(path)
    try:
        return Calibration.load(path)
    except (ValueError, ArithmeticError, RecursionError) as error:
        text = str(error).removeprefix(f"{path} is not a calibration: ")
        raise Failure(f"{path} is not a calibration: {text}") from error


def _check_size(path: Path) -> None:
    """Refuse what is far too long for what it should be, a device for example."""
    if path.stat().st_size > MOST_BYTES or not path.is_file():
        raise Failure(f"{path} is not a file of a few numbers")


def _matrix_from_file(path: Path) -> Array:
    _check_size(path)
    if path.suffix == ".npy":
        try:
            return np.asarray(np.load(path, allow_pickle=False))
        except OSError:
            raise
        except Exception as error:  # a damaged header raises errors of many kinds
            raise Failure(f"{path} is not a readable .npy file") from error
    try:
        text = path.read_text()
        if path.suffix == ".json":
            content = json.loads(text)
            content = (
                content.get("K", content) if isinstance(content, dict) else content
            )
            return np.array(content, dtype=np.float64)
        return np.array(text.replace(",", " ").split(), dtype=np.float64).reshape(3, 3)
    except (ValueError, TypeError, ArithmeticError, RecursionError) as error:
        raise Failure(f"{path} does not hold a 3 x 3 camera matrix") from error
