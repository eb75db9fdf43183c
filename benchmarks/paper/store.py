"""Results on disk, one file a pair: a run may be killed at any moment and resumed.

A record is written beside its place and moved there in one step, so that a reader sees
all of it or nothing; what was damaged otherwise fails its checksum.  A record carries a
stamp of the settings and grids it was made with, and one of another stamp is made anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.paper.methods import Grid
from benchmarks.paper.pairs import PairKey
from benchmarks.paper.record import CorruptRecord, Record, Settings, from_bytes
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
class Store:
    """Records below one folder, all of one stamp."""

    folder: Path
    stamp: str

    def path_of(self, key: PairKey) -> Path:
        """Where the record of a pair is; names of pairs need not be names of files."""
        name = hashlib.sha256(key.name.encode()).hexdigest()[:20]
        return self.folder / _file_name(key.scene) / f"{name}.rec"

    def read(self, key: PairKey) -> Record | None:
        """Return a record; None if it is missing, damaged or of another stamp."""
        try:
            record = from_bytes(self.path_of(key).read_bytes())
        except (FileNotFoundError, CorruptRecord):
            return None
        return record if record.key == key and record.stamp == self.stamp else None

    def missing(self, keys: Iterable[PairKey]) -> list[PairKey]:
        """Return the pairs whose record is not there, whole and of this stamp."""
        return [key for key in keys if self.read(key) is None]

    def read_all(self, keys: Iterable[PairKey]) -> Iterator[Record]:
        """Yield the records of the pairs; `KeyError` if one is not there."""
        for key in keys:
            record = self.read(key)
            if record is None:
                raise KeyError(f"{self.path_of(key)} is missing or damaged")
            yield record

    def write(self, key: PairKey, data: bytes) -> None:
        """Put the bytes of a record in their place, in one step."""
        write_atomically(self.path_of(key), data)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file that no reader will ever see half of."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_bytes(data)
    beside.replace(path)


def write_json(path: Path, content: Any) -> None:
    """Write JSON that no reader will ever see half of."""
    text = json.dumps(content, indent=1, sort_keys=True)
    write_atomically(path, text.encode() + b"\n")


def _file_name(scene: str) -> str:
    """Return a scene's name if it can be a folder's, else a hash of it."""
    if scene and all(c.isalnum() or c in "_-." for c in scene) and scene[0] != ".":
        return scene
    return hashlib.sha256(scene.encode()).hexdigest()[:20]
