"""A connection to a database that waits for other programs and says what is wrong.

It is Python's own SQLite.  pycolmap's changes a file by opening it, fails at once where
another program writes, and keeps the first half of a transaction whose second half
failed.  Two SQLite libraries in one process would lose each other's locks, so pycolmap
opens no database here.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

# Programs that write in short transactions are waited for, before and during the run;
# one that keeps the database to itself is not.
LOCK_TIMEOUT_SECONDS = 10.0
# By then the work of the transaction is done, and losing it costs more than waiting.
WRITE_TIMEOUT_SECONDS = 60.0
FIRST_BYTES = b"SQLite format 3\0"  # of every database
# SQLite calls some failures of a full disk an I/O error; with less than this they are.
FULL_BELOW = 1 << 20  # bytes


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """Connect to a database that exists and can be written to.

    Raises
    ------
    FileNotFoundError, PermissionError
        Where there is no database, or none that may be written to; the first also at
        the end, where it is no longer there.
    TimeoutError
        Where another program has it locked.
    OSError
        Where the disk is full or fails.
    ValueError
        Where the file is not a COLMAP database.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no database at {path}")
    if not _is_writable(path):
        raise PermissionError(f"{path} is read-only: nothing can be written to it")
    if not _begins_as_database(path):  # SQLite makes one of any short file
        raise ValueError(f"{path} is not a COLMAP database: it is no database at all")
    _check_beside(path.resolve())
    opened = path.stat()
    uri = f"{path.resolve().as_uri()}?mode=rw"
    try:
        with closing(
            sqlite3.connect(uri, uri=True, isolation_level=None)
        ) as connection:
            connection.text_factory = _text
            _wait(connection, LOCK_TIMEOUT_SECONDS)
            with transaction(connection):  # the proof that writing is possible
                _read_schema(connection)
            _wait(connection, WRITE_TIMEOUT_SECONDS)
            yield connection
            _check_same_file(path, opened)
    except sqlite3.Error as error:
        _check_same_file(path, opened)
        raise _explained(error, path) from None


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # the first error says what happened
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise


def _check_same_file(path: Path, opened: os.stat_result) -> None:
    """Refuse to have written to a file that is no longer there: SQLite may not."""
    if not path.exists() or not os.path.samestat(path.stat(), opened):
        raise FileNotFoundError(
            f"{path} was removed or replaced meanwhile: what was written went with it"
        )


def _read_schema(connection: sqlite3.Connection) -> None:
    """Have SQLite read it, whose words about a damaged one need not be text."""
    try:
        connection.execute("SELECT 1 FROM sqlite_master").close()
    except UnicodeDecodeError:
        raise sqlite3.DatabaseError("malformed database schema") from None


def _wait(connection: sqlite3.Connection, seconds: float) -> None:
    """Set how long a statement waits for other programs."""
    connection.execute(f"PRAGMA busy_timeout = {round(1000 * seconds)}").close()


def _text(data: bytes) -> str:
    """Names of files need not be UTF-8."""
    return data.decode("utf-8", "surrogateescape")


def _explained(error: sqlite3.Error, path: Path) -> Exception:
    """Return the error in Python's terms; Python 3.10 has no codes, only the texts."""
    text = " ".join(str(error).split())
    again = "what was written is safe: run again"
    if "locked" in text or "busy" in text:
        return TimeoutError(
            f"{path} is locked by another program; {again} when it is done"
        )
    if "full" in text or (
        isinstance(error, sqlite3.OperationalError)
        and shutil.disk_usage(path.resolve().parent).free < FULL_BELOW
    ):
        reason = f"the disk is full; {again} when there is space ({text})"
        return OSError(errno.ENOSPC, reason, str(path))
    if "readonly" in text:
        return PermissionError(f"{path} can't be written to: {text}")
    if "I/O" in text or "unable to open" in text:
        return OSError(errno.EIO, f"{text}; {again}", str(path))
    if "malformed" in text:
        return ValueError(f"{path} is damaged: {text}")
    return ValueError(f"{path} is not a COLMAP database: {text}")


def _begins_as_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(FIRST_BYTES)) == FIRST_BYTES


def _check_beside(path: Path) -> None:
    """Refuse what SQLite would wait for where its own files go: a pipe, say."""
    for ending in ("-journal", "-wal", "-shm"):
        beside = path.with_name(path.name + ending)
        if beside.exists() and not beside.is_file():
            raise ValueError(f"{beside} is in the way: it is no file")


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
