"""The parser that every command begins with: its own documentation as help."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter


def parser_of(command: str, documentation: str | None) -> ArgumentParser:
    """Return the parser of `python -m benchmarks COMMAND`, without options yet."""
    return ArgumentParser(
        prog=f"python -m benchmarks {command}",
        description=documentation,
        formatter_class=RawDescriptionHelpFormatter,
    )
