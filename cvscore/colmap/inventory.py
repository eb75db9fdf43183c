"""What a database holds, read without a change to it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

# COLMAP numbers a pair (i, j), i < j, as i times this plus j.
PAIR_ID_BASE = 2147483647

ImagePair = tuple[int, int]

# A two-view geometry that COLMAP can't read; its matrices are 3 x 3 of eight bytes.
DAMAGED_GEOMETRIES = """
SELECT pair_id FROM two_view_geometries WHERE
  typeof(rows) != 'integer' OR typeof(cols) != 'integer' OR typeof(config) != 'integer'
  OR typeof(data) NOT IN ('blob', 'null') OR rows < 0
  OR (rows > 0 AND cols != 2) OR coalesce(length(data), 0) != 4 * rows * cols
  OR {matrices}
"""
GEOMETRY_BYTES = {"F": 72, "E": 72, "H": 72, "qvec": 32, "tvec": 24}


@dataclass(frozen=True)
class Inventory:
    """The tables that the verification goes by.

    Attributes
    ----------
    image_ids : dict
        From the names of the images.
    names : dict
        The other way round.
    camera_ids : dict
        From the ids of the images; what the table has, be it a number or not.
    pairs : list
        Image pairs (i, j) with i < j that have an entry in the table of matches.
    verified : set
        Pairs that have a two-view geometry, whatever it says.
    damaged_geometries : set
        Those of them whose geometry can't be read.
    reversed_pairs : set
        Pairs that some program stored as (j, i).
    num_self_pairs : int
        Entries that match an image with itself.
    num_unnumbered : dict
        Rows whose id is no number, by their table.
    """

    image_ids: dict[str, int]
    names: dict[int, str]
    camera_ids: dict[int, Any]
    pairs: list[ImagePair]
    verified: set[ImagePair]
    damaged_geometries: set[ImagePair]
    reversed_pairs: set[ImagePair]
    num_self_pairs: int
    num_unnumbered: dict[str, int]


def take_inventory(connection: sqlite3.Connection) -> Inventory:
    """Read what the database holds."""
    query = "SELECT image_id, name, camera_id FROM images"
    rows = connection.execute(query).fetchall()
    images = [row for row in rows if isinstance(row[0], int)]
    matched = _pairs(connection, "SELECT pair_id FROM matches")
    verified = _pairs(connection, "SELECT pair_id FROM two_view_geometries")
    damaged = _pairs(connection, _damaged_geometries(connection))
    return Inventory(
        image_ids={name: image_id for image_id, name, _ in images},
        names={image_id: name for image_id, name, _ in images},
        camera_ids={image_id: camera_id for image_id, _, camera_id in images},
        pairs=sorted({in_order(pair) for pair in matched if pair[0] != pair[1]}),
        verified={in_order(pair) for pair in verified},
        damaged_geometries={in_order(pair) for pair in damaged},
        reversed_pairs={(j, i) for i, j in matched if i > j},
        num_self_pairs=sum(i == j for i, j in matched),
        num_unnumbered=_num_unnumbered(connection),
    )


def in_order(pair: ImagePair) -> ImagePair:
    """Return the pair as COLMAP orders it."""
    return min(pair), max(pair)


def pair_id(pair: ImagePair) -> int:
    """Return COLMAP's number of a pair."""
    return pair[0] * PAIR_ID_BASE + pair[1]


def columns_of(connection: sqlite3.Connection, table: str) -> set[str]:
    """Return the names of the columns of a table."""
    rows = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return {row[1] for row in rows}


def _pairs(connection: sqlite3.Connection, query: str) -> list[ImagePair]:
    rows = connection.execute(query).fetchall()
    return [divmod(n, PAIR_ID_BASE) for (n,) in rows if isinstance(n, int)]


def _num_unnumbered(connection: sqlite3.Connection) -> dict[str, int]:
    """COLMAP's own tables have none, those that other programs make may."""
    keys = {"images": "image_id", "matches": "pair_id"}
    return {
        table: connection.execute(
            f"SELECT count(*) FROM {table} WHERE typeof({key}) != 'integer'"
        ).fetchall()[0][0]
        for table, key in keys.items()
    }


def _damaged_geometries(connection: sqlite3.Connection) -> str:
    """Return the query for them; old databases lack the columns of the pose."""
    present = columns_of(connection, "two_view_geometries")
    tests = [
        f"typeof({name}) NOT IN ('blob', 'null') "
        f"OR coalesce(length({name}), 0) NOT IN (0, {size})"
        for name, size in GEOMETRY_BYTES.items()
        if name in present
    ]
    return DAMAGED_GEOMETRIES.format(matrices=" OR ".join(tests))
