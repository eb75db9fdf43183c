"""A COLMAP database: keypoints, cameras and matches out, two-view geometries in."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cvscore.colmap.cameras import PinholeView, pinhole_view
from cvscore.colmap.connection import transaction
from cvscore.colmap.inventory import (
    PAIR_ID_BASE,
    ImagePair,
    Inventory,
    columns_of,
    pair_id,
)
from cvscore.colmap.rows import (
    GEOMETRY_COLUMNS,
    DamagedRow,
    camera_from_row,
    geometry_row,
    keypoints_from_row,
    matches_from_row,
    shown,
)
from cvscore.data.validation import as_intrinsics

# Images whose keypoints are kept; pairs come ordered by image, so few are needed twice.
MAX_CACHED_VIEWS = 256

CAMERA_QUERY = "SELECT model, width, height, params, prior_focal_length FROM cameras"
Value = TypeVar("Value")


class MatchDatabase:
    """What the verification reads and writes, through an open connection."""

    def __init__(self, connection: sqlite3.Connection, inventory: Inventory) -> None:
        self._connection = connection
        self._inventory = inventory
        self.view = lru_cache(maxsize=MAX_CACHED_VIEWS)(self._read_view)
        self._camera = lru_cache(maxsize=None)(self._read_camera)

    def matches(self, pair: ImagePair) -> NDArray[np.uint32]:
        """Return the matches (M, 2) of a pair (i, j), those stored as (j, i) too."""
        found = [self._read_matches(pair)]
        if pair in self._inventory.reversed_pairs:
            found += [self._read_matches((pair[1], pair[0]))[:, ::-1]]
        return np.concatenate(found)

    def _read_matches(self, pair: ImagePair) -> NDArray[np.uint32]:
        row = f"matches of images {pair[0]} and {pair[1]}"
        query = "SELECT rows, cols, data FROM matches WHERE pair_id = ?"
        found = self._read("matches", row, query, pair_id(pair), matches_from_row)
        return np.empty((0, 2), dtype=np.uint32) if found is None else found

    def _read_view(self, image_id: int) -> PinholeView | None:
        """Return the keypoints of an image; None if its camera or they are missing."""
        if image_id not in self._inventory.names:
            return None
        image = f"image {image_id} ({self._inventory.names[image_id]!r})"
        camera_id = self._inventory.camera_ids[image_id]
        if not isinstance(camera_id, int):
            raise DamagedRow("image", image, f"its camera_id is {shown(camera_id)}")
        row = f"keypoints of {image}"
        query = "SELECT rows, cols, data FROM keypoints WHERE image_id = ?"
        points = self._read("keypoints", row, query, image_id, keypoints_from_row)
        camera = self._camera(camera_id)
        if camera is None or points is None:
            return None
        view = pinhole_view(camera, points)
        try:
            as_intrinsics(view.K, "it")
        except ValueError as error:
            raise DamagedRow("camera", f"camera {camera_id}", str(error)) from None
        return view

    def _read_camera(self, camera_id: int) -> Any:
        query = f"{CAMERA_QUERY} WHERE camera_id = ?"
        row = f"camera {camera_id}"
        return self._read("camera", row, query, camera_id, camera_from_row)

    def _read(
        self,
        kind: str,
        row: str,
        query: str,
        number: int,
        decode: Callable[[tuple[Any, ...]], Value],
    ) -> Value | None:
        """Read and decode one row, None where there is none."""
        try:
            rows = self._connection.execute(query, (number,)).fetchall()
            return decode(rows[0]) if rows else None
        except sqlite3.OperationalError:  # a lock or the disk, not the row
            raise
        except (ValueError, sqlite3.DatabaseError) as error:
            raise DamagedRow(kind, row, str(error)) from None

    def write(
        self, geometries: Sequence[tuple[ImagePair, Any]], *, overwrite: bool
    ) -> None:
        """Write two-view geometries in one transaction.

        Parameters
        ----------
        geometries : sequence
            Of pairs with their ``pycolmap.TwoViewGeometry``.
        overwrite : bool
            Whether one that is there goes, or stays.
        """
        places = ", ".join("?" * (1 + len(GEOMETRY_COLUMNS)))
        insert = (
            "INSERT OR IGNORE INTO two_view_geometries "
            f"(pair_id, {', '.join(GEOMETRY_COLUMNS)}) VALUES ({places})"
        )
        delete = "DELETE FROM two_view_geometries WHERE pair_id IN (?, ?)"
        rows = [(pair_id(pair), *geometry_row(found)) for pair, found in geometries]
        both_ways = [(pair_id(pair), pair_id(pair[::-1])) for pair, _ in geometries]
        with transaction(self._connection):
            self._add_pose_columns()
            if overwrite:
                self._connection.executemany(delete, both_ways)
            self._connection.executemany(insert, rows)
            self._check_written([row[0] for row in rows])

    def _check_written(self, pair_ids: Sequence[int]) -> None:
        """Refuse a table that takes no such rows; it need not say so by itself."""
        query = "SELECT 1 FROM two_view_geometries WHERE pair_id = ?"
        for number in pair_ids:
            if not self._connection.execute(query, (number,)).fetchall():
                i, j = divmod(number, PAIR_ID_BASE)
                raise sqlite3.IntegrityError(
                    f"two_view_geometries does not take that of images {i} and {j}"
                )

    def _add_pose_columns(self) -> None:
        """Bring the table of COLMAP before 3.7 up to date, as COLMAP itself does."""
        present = columns_of(self._connection, "two_view_geometries")
        for name in ("qvec", "tvec"):
            if name not in present:
                self._connection.execute(
                    f"ALTER TABLE two_view_geometries ADD COLUMN {name} BLOB"
                )
