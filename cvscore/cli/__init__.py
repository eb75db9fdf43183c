"""The ``cvscore`` command: one file for each of its commands."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from cvscore.cli import calibrate, demo, info, match, verify, warmup
from cvscore.cli.failure import Failure

__all__ = ["main"]

COMMANDS = (match, verify, calibrate, demo, warmup, info)
# What reading, estimating and writing raise on purpose, with a message for the user.
EXPECTED = (Failure, ValueError, OSError, ImportError, MemoryError)
STATUS_FAILED, STATUS_USAGE, STATUS_INTERRUPTED = 1, 2, 130
# Set it to see where an error came from.
DEBUG = "CVSCORE_DEBUG"


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(STATUS_USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("cvscore: interrupted", file=sys.stderr)
        return STATUS_INTERRUPTED
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        return _report(error, as_json=getattr(options, "json", False))
    return 0


def _parser() -> argparse.ArgumentParser:
    from cvscore import __version__

    parser = _Parser(
        prog="cvscore",
        description="Homographies, fundamental and essential matrices; no threshold.",
    )
    parser.add_argument("--version", action="version", version=f"cvscore {__version__}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", required=True
    )
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


def _report(error: Exception, *, as_json: bool) -> int:
    """Print one line, and an object for machines where they are listening."""
    text = " ".join(_message(error).split())
    print(f"cvscore: {text}", file=sys.stderr)
    if as_json:
        print(json.dumps({"error": text}))
    return STATUS_FAILED


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    if isinstance(error, ModuleNotFoundError) and error.name == "cv2":
        return (
            'this command needs OpenCV: pip install "cvscore[opencv]", or any other '
            "build of it (contrib, headless)"
        )
    if isinstance(error, EXPECTED):
        return str(error) or type(error).__name__
    return (
        f"unexpected {type(error).__name__}: {error} (please report it; {DEBUG}=1 in "
        "the environment shows where)"
    )
