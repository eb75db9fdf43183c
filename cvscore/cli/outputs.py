"""Files that a command writes: never an input, never one over the other."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from cvscore.cli.failure import Failure
from cvscore.files.whole_files import written_whole

PAGE_SUFFIXES = (".html", ".htm")


def check_outputs(
    outputs: Iterable[Path | None], inputs: Iterable[str | Path | None]
) -> None:
    """Refuse to overwrite what is read, before the work and not after it.

    Parameters
    ----------
    outputs, inputs : iterable of paths
        None is skipped, and so is an input that names no file, such as a number.
    """
    read = [Path(path) for path in inputs if path is not None]
    written: list[Path] = []
    for output in outputs:
        if output is None:
            continue
        if output.is_dir():
            raise Failure(f"{output} is a folder, not the name of a file")
        for path in read:
            if _same_file(output, path):
                raise Failure(
                    f"{path} is an input, and would be overwritten: give another name"
                )
        if any(_same_file(output, other) for other in written):
            raise Failure(f"{output} can't hold two pictures: give two names")
        written.append(output)


def add_report_option(parser: argparse.ArgumentParser, help: str) -> None:
    """Add ``--report``."""
    parser.add_argument("--report", type=Path, metavar="FILE", help=help)


def check_report_name(path: Path | None) -> None:
    """Refuse a report that no browser would take for a page."""
    if path is not None and path.suffix.lower() not in PAGE_SUFFIXES:
        raise Failure(f"{path}: reports end in {' or '.join(PAGE_SUFFIXES)}")


def write_report(path: Path, page: str) -> None:
    """Write a page, whole or not at all."""
    with written_whole(path) as part:
        part.write_text(page, encoding="utf-8")


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except (OSError, RuntimeError):  # one is not there, or a link to itself
        return False
