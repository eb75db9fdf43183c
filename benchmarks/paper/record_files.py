"""Records on disk: a row a pair and a file a scene, so that a run may be resumed.

A row holds the bytes of a record, which carry their own checksum, and a stamp of the
settings and grids that it was made with.  A record that is damaged, or of another
stamp, is made anew; of two records of a pair the later one counts.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.paper.datasets.pairs import PairKey
from benchmarks.paper.grid import Grid
from benchmarks.paper.record import CorruptRecord, Record, Settings, from_bytes
from benchmarks.store import Row, Writer, read_rows
from cvscore import __version__


def stamp_of(settings: Settings, grids: dict[str, Grid], dataset: object) -> str:
    """Fingerprint of all that a record depends on beside its pair.

    Where the files are is no part of it: a run may be continued on another machine.
    """
    options = {
        k: v for k, v in vars(dataset).items() if isinstance(v, (int, float, str))
    }
    parts = {
        "version": __version__,
        "settings": asdict(settings),
        "grids": {name: asdict(grid) for name, grid in grids.items()},
        "dataset": [type(dataset).__name__, options],
    }
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class RecordFiles:
    """Records below one folder, all of one stamp."""

    folder: Path
    stamp: str

    def path_of(self, scene: str) -> Path:
        """Where the records of a scene are; its name need not be a file's."""
        return self.folder / f"{_file_name(scene)}.jsonl"

    def read(self, keys: Iterable[PairKey]) -> dict[PairKey, Record]:
        """Return the records of these pairs that are there, whole and of this stamp."""
        wanted = set(keys)
        found = {}
        for scene in sorted({key.scene for key in wanted}):
            for row in read_rows(self.path_of(scene)):
                record = self._record(row)
                if record is not None and record.key in wanted:
                    found[record.key] = record
        return found

    def _record(self, row: Row) -> Record | None:
        if row.get("stamp") != self.stamp:
            return None
        try:
            record = from_bytes(base64.b64decode(row["record"], validate=True))
        except (KeyError, TypeError, binascii.Error, CorruptRecord):
            return None
        return record if record.stamp == self.stamp else None

    def missing(self, keys: list[PairKey]) -> list[PairKey]:
        """Return the pairs whose record is not there, whole and of this stamp."""
        found = self.read(keys)
        return [key for key in keys if key not in found]

    def read_all(self, keys: list[PairKey]) -> Iterator[Record]:
        """Yield the records of the pairs in order; `KeyError` if one is not there."""
        found = self.read(keys)
        for key in keys:
            if key not in found:
                raise KeyError(f"{key} is missing or damaged in {self.folder}")
            yield found[key]

    def writer(self) -> RecordWriter:
        """Return what appends records; one at a time may write to a folder."""
        return RecordWriter(self)


class RecordWriter:
    """Appends records to the files of their scenes."""

    def __init__(self, files: RecordFiles) -> None:
        self._files = files
        self._writers: dict[str, Writer] = {}

    def append(self, key: PairKey, data: bytes) -> None:
        """Append the bytes of a record."""
        if key.scene not in self._writers:
            self._writers[key.scene] = Writer(self._files.path_of(key.scene))
        text = base64.b64encode(data).decode()
        row = {"pair": key.name, "stamp": self._files.stamp, "record": text}
        self._writers[key.scene].append(row)


def _file_name(scene: str) -> str:
    """Return a scene's name if it can be a file's, else a hash of it."""
    if scene and all(c.isalnum() or c in "_-." for c in scene) and scene[0] != ".":
        return scene
    return hashlib.sha256(scene.encode()).hexdigest()[:20]
