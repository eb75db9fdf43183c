"""The ``cvscore`` command: one file for each of its commands."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from cvscore.cli import calibrate, demo, info, match, verify, warmup
from cvscore.cli.failure import Failure
from cvscore.types.extras import install_command

__all__ = ["main"]

COMMANDS = (match, verify, calibrate, demo, warmup, info)
# What reading, estimating and writing raise on purpose, with a message for the user.
EXPECTED = (Failure, ValueError, OSError, ImportError)
STATUS_FAILED, STATUS_USAGE, STATUS_INTERRUPTED = 1, 2, 130
# Set it to see where an error came from.
DEBUG = "CVSCORE_DEBUG"


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise _WrongUsage(f"{self.prog}: {message} (see {self.prog} --help)")


class _WrongUsage(Exception):
    """What is wrong with the arguments, and where help is."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names need not be UTF-8
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        options = _parser().parse_args(words)
        options.run(options)
        if sys.stdout is not None:  # it is None where it was closed from the start
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("cvscore: interrupted", file=sys.stderr)
        return STATUS_INTERRUPTED
    except _WrongUsage as error:
        _report(str(error), as_json=_asks_for_json(words))
        return STATUS_USAGE
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        _report(f"cvscore: {_message(error)}", as_json=_asks_for_json(words))
        return STATUS_FAILED
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


def _asks_for_json(words: Sequence[str]) -> bool:
    """Whether ``--json`` is there, shortened or not, however wrong all else is."""
    return any(len(word) > 2 and "--json".startswith(word) for word in words)


def _report(text: str, *, as_json: bool) -> None:
    """Print one line, and an object for machines where they are listening."""
    line = " ".join(text.split())
    if sys.stderr is not None:
        with suppress(OSError):
            print(line, file=sys.stderr)
    if sys.stdout is None:
        return
    try:
        if as_json:
            print(json.dumps({"error": line.removeprefix("cvscore: ")}))
        sys.stdout.flush()
    except OSError:  # it was stdout that failed: Python must not try again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _message(error: Exception) -> str:
    if isinstance(error, BrokenPipeError) and not error.filename:
        return "nobody reads the output any more"
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    if isinstance(error, ModuleNotFoundError) and error.name == "cv2":
        return (
            f"this command needs OpenCV: {install_command('opencv')}, or any other "
            "build of it (contrib, headless)"
        )
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}" if str(error) else "not enough memory"
    if isinstance(error, EXPECTED):
        return str(error) or type(error).__name__
    return (
        f"unexpected {type(error).__name__}: {error} (please report it; {DEBUG}=1 in "
        "the environment shows where)"
    )
