"""Files that survive a kill at any moment: rows that are appended, and whole files.

Rows are lines of JSON.  A line is appended in one write.  A kill may leave half a line
at the end; a reader leaves it out and the next writer cuts it off.  What a row holds is
said by those who write it: `compare.rows`, `colmap.table`, `paper.record_files`.
A whole file is written beside its place and moved there in one step.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file; none of a missing file, and no damaged line."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            row = _parsed(line)
            if row is not None:
                yield row


def _parsed(line: bytes) -> Row | None:
    """Return the row of a complete line, None of a half-written one."""
    if not line.endswith(b"\n"):
        return None
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


class Writer:
    """Appends to a file, each row in one write, after mending its end."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        if path.exists():
            self._mend()

    def _mend(self) -> None:
        """Cut off what follows the last complete line."""
        content = self._path.read_bytes()
        end = content.rfind(b"\n") + 1
        if end < len(content):
            with self._path.open("r+b") as file:
                file.truncate(end)

    def append(self, row: Row) -> None:
        """Write one line and hand it to the system."""
        with self._path.open("ab") as file:
            file.write(_line(row))


def _line(row: Row) -> bytes:
    return json.dumps(row, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def write_rows(path: Path, rows: list[Row]) -> None:
    """Replace a file by these rows."""
    write_atomically(path, b"".join(_line(row) for row in rows))


def write_json(path: Path, content: Any) -> None:
    """Replace a file by JSON for people to read."""
    text = json.dumps(content, indent=1, sort_keys=True)
    write_atomically(path, text.encode() + b"\n")


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file so that no reader will ever see half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_bytes(data)
    beside.replace(path)
