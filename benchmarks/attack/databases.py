"""Random runs of ``cvscore verify`` on COLMAP databases, of which most are damaged."""

from __future__ import annotations

import importlib.util
import sqlite3
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.attack.checks import Call
from benchmarks.attack.commands import check_output, damaged, working_in
from benchmarks.attack.containers import Rng

IS_POSSIBLE = importlib.util.find_spec("pycolmap") is not None
NUM_IMAGES, NUM_POINTS = 3, 40
SCHEMA = """
CREATE TABLE cameras (camera_id INTEGER PRIMARY KEY, model INTEGER, width INTEGER,
  height INTEGER, params BLOB, prior_focal_length INTEGER);
CREATE TABLE images (image_id INTEGER PRIMARY KEY, name TEXT, camera_id INTEGER);
CREATE TABLE keypoints (image_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER,
  data BLOB);
CREATE TABLE matches (pair_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER,
  data BLOB);
CREATE TABLE two_view_geometries (pair_id INTEGER PRIMARY KEY, rows INTEGER,
  cols INTEGER, data BLOB, config INTEGER, F BLOB, E BLOB, H BLOB, qvec BLOB,
  tvec BLOB);
"""
COLUMNS = {
    "cameras": ("camera_id", "model", "width", "height", "params"),
    "images": ("image_id", "name", "camera_id"),
    "keypoints": ("image_id", "rows", "cols", "data"),
    "matches": ("pair_id", "rows", "cols", "data"),
    "two_view_geometries": ("pair_id", "rows", "cols", "data", "config", "F", "qvec"),
}
VALUES = (None, 0, -1, 2, 3, 2**62, -(2**63), 1.5, "text", b"", b"\xff" * 16, "\ud800")
STATEMENTS = (
    "DELETE FROM {table}",
    "DROP TABLE {table}",
    "ALTER TABLE {table} RENAME TO another",
    "CREATE VIEW seen AS SELECT * FROM {table}",
    "ALTER TABLE {table} ADD COLUMN more INTEGER NOT NULL DEFAULT 7",
    "CREATE TRIGGER no BEFORE INSERT ON two_view_geometries "
    "BEGIN SELECT RAISE(ABORT, 'no'); END",
    "CREATE TRIGGER no BEFORE INSERT ON two_view_geometries "
    "BEGIN SELECT RAISE(IGNORE); END",
    "CREATE TRIGGER no AFTER INSERT ON two_view_geometries "
    "BEGIN DELETE FROM {table}; END",
    "PRAGMA journal_mode = WAL",
    "PRAGMA user_version = 99",
)


def draw_verify_command(rng: Rng) -> Call:
    """Return a run on a database with damaged rows, tables or bytes."""
    tables = [str(table) for table in rng.choice(sorted(COLUMNS), 3)]
    changes = [_draw_change(rng, table) for table in tables[: int(rng.integers(4))]]
    as_bytes = rng.random() < 0.3
    words = ["--json"] if rng.random() < 0.5 else []
    words += ["--overwrite"] if rng.random() < 0.5 else []
    words += ["--report", "page.html"] if rng.random() < 0.2 else []
    given = ["verify", "database.db", "--workers", "1", *words]

    def run() -> None:
        with tempfile.TemporaryDirectory() as name, working_in(name):
            path = Path("database.db")
            path.write_bytes(_database())
            for statement, values in changes:
                _change(path, statement, values)
            if as_bytes:
                path.write_bytes(damaged(rng, path.read_bytes()))
            was_sound = _is_sound(path)
            for _ in range(2):  # the second finds what the first has written
                check_output(given)
            assert not was_sound or _is_sound(path), "the database is damaged"

    return Call("cvscore verify", run, [])


def _draw_change(rng: Rng, table: str) -> tuple[str, tuple[Any, ...]]:
    if rng.random() < 0.3:
        return str(rng.choice(STATEMENTS)).format(table=table), ()
    columns = COLUMNS[table]
    column = columns[int(rng.integers(len(columns)))]
    value = VALUES[int(rng.integers(len(VALUES)))]
    statement = f"UPDATE {table} SET {column} = ? WHERE rowid % 3 = {rng.integers(3)}"
    return statement, (value,)


def _change(path: Path, statement: str, values: tuple[Any, ...]) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute(statement, values)
    except (sqlite3.Error, UnicodeEncodeError):
        pass  # a key that is there already, a table that is gone, no text
    finally:
        connection.close()


def _is_sound(path: Path) -> bool:
    connection = sqlite3.connect(path)
    try:
        return bool(
            connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        )
    except (sqlite3.Error, UnicodeDecodeError):
        return False
    finally:
        connection.close()


@lru_cache(maxsize=1)
def _database() -> bytes:
    """Return a database of three views of points in space."""
    rng = np.random.default_rng(0)
    scene = rng.uniform((-1.0, -1.0, 4.0), (1.0, 1.0, 6.0), (NUM_POINTS, 3))
    every = np.repeat(np.arange(NUM_POINTS, dtype="<u4")[:, None], 2, axis=1)
    params = np.array([800.0, 500.0, 500.0])
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "database.db"
        connection = sqlite3.connect(path)
        with connection:
            connection.executescript(SCHEMA)
            insert = "INSERT INTO {} VALUES ({})".format
            camera = (1, 0, 1000, 1000, params.astype("<f8").tobytes(), 1)
            connection.execute(insert("cameras", "?, ?, ?, ?, ?, ?"), camera)
            for i in range(1, NUM_IMAGES + 1):
                seen = scene - [0.5 * i, 0.1 * i, 0.0]
                pixels = 800.0 * seen[:, :2] / seen[:, 2:] + 500.0
                pixels += rng.normal(0.0, 0.3, pixels.shape)
                row = (i, NUM_POINTS, 2, pixels.astype("<f4").tobytes())
                connection.execute(insert("images", "?, ?, 1"), (i, f"{i}.png"))
                connection.execute(insert("keypoints", "?, ?, ?, ?"), row)
                for j in range(1, i):
                    pair = (j * 2147483647 + i, NUM_POINTS, 2, every.tobytes())
                    connection.execute(insert("matches", "?, ?, ?, ?"), pair)
        connection.close()
        return path.read_bytes()
