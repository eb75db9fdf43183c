"""What a database holds, and whether it can be written to, found out without a trace.

pycolmap changes a file by opening it, creates one that is not there, and versions
before 3.12 end the process when it is locked.  So a short connection of Python's own
looks first.  It is closed before pycolmap opens the file: two SQLite libraries in
one process would lose each other's locks.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

# COLMAP numbers a pair (i, j), i < j, as i times this plus j.
PAIR_ID_BASE = 2147483647
# Somebody who writes now and then is waited for so long; a mapper at work is not.
LOCK_TIMEOUT_SECONDS = 2.0

ImagePair = tuple[int, int]


@dataclass(frozen=True)
class Inventory:
    """The tables that the verification goes by.

    Attributes
    ----------
    image_ids : dict
        From the names of the images.
    pairs : list
        Image pairs (i, j) with i < j that have an entry in the table of matches.
    verified : set
        Pairs that have a two-view geometry, whatever it says.
    reversed_matches : dict
        Matches (M, 2) of pairs that some program stored as (j, i), in the order (i, j).
    num_self_pairs : int
        Entries that match an image with itself.
    """

    image_ids: dict[str, int]
    pairs: list[ImagePair]
    verified: set[ImagePair]
    reversed_matches: dict[ImagePair, NDArray[np.uint32]]
    num_self_pairs: int


def take_inventory(path: Path) -> Inventory:
    """Read what the database at ``path`` holds, and leave it as it is.

    Raises
    ------
    FileNotFoundError, PermissionError
        Where there is no database, or none that may be written to.
    TimeoutError
        Where another program has it locked.
    ValueError
        Where the file is not a COLMAP database.
    """
    with _locked(path) as connection:
        try:
            image_ids = dict(connection.execute("SELECT name, image_id FROM images"))
            matched = _ids(connection, "matches")
            verified = _ids(connection, "two_view_geometries")
            is_reversed = [i > j for i, j in matched]
            reversed_matches = {
                (j, i): _read_matches(connection, i, j)[:, ::-1]
                for (i, j), swapped in zip(matched, is_reversed, strict=True)
                if swapped
            }
        except sqlite3.Error as error:
            raise ValueError(f"{path} is not a COLMAP database: {error}") from None
    return Inventory(
        image_ids=image_ids,
        pairs=sorted({(min(p), max(p)) for p in matched if p[0] != p[1]}),
        verified={(min(p), max(p)) for p in verified},
        reversed_matches=reversed_matches,
        num_self_pairs=sum(i == j for i, j in matched),
    )


@contextmanager
def _locked(path: Path) -> Iterator[sqlite3.Connection]:
    """Connect and take the writer's lock: the proof that writing would be possible."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no database at {path}")
    if not _is_writable(path):
        raise PermissionError(f"{path} is read-only: nothing can be written to it")
    uri = f"{path.resolve().as_uri()}?mode=rw"
    with closing(
        sqlite3.connect(
            uri, uri=True, timeout=LOCK_TIMEOUT_SECONDS, isolation_level=None
        )
    ) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise TimeoutError(
                    f"{path} is locked by another program; run again when it is done"
                ) from None
            raise PermissionError(f"{path} can't be written to: {error}") from None
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{path} is not a COLMAP database: {error}") from None
        try:
            yield connection
        finally:
            connection.rollback()


def _is_writable(path: Path) -> bool:
    """Whether SQLite could write the file and, beside it, its journal.

    The superuser may write anything, but what carries no permission to write at all was
    meant to stay as it is.
    """
    any_writer = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
    return bool(
        path.stat().st_mode & any_writer
        and os.access(path, os.W_OK)
        and os.access(path.resolve().parent, os.W_OK)
    )


def _ids(connection: sqlite3.Connection, table: str) -> list[ImagePair]:
    rows = connection.execute(f"SELECT pair_id FROM {table} ORDER BY pair_id")
    return [divmod(pair_id, PAIR_ID_BASE) for (pair_id,) in rows]


def _read_matches(connection: sqlite3.Connection, i: int, j: int) -> NDArray[np.uint32]:
    (data,) = connection.execute(
        "SELECT data FROM matches WHERE pair_id = ?", (i * PAIR_ID_BASE + j,)
    ).fetchone()
    return np.frombuffer(data or b"", dtype="<u4").reshape(-1, 2)
