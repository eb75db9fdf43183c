"""All pairs of a database in one table: what was matched, and what came of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cvscore.colmap.connection import connected
from cvscore.colmap.inventory import PAIR_ID_BASE, ImagePair, in_order, take_inventory
from cvscore.colmap.pycolmap_module import import_pycolmap
from cvscore.estimators.pair_geometry import PairGeometry

NOT_VERIFIED = "NOT_VERIFIED"


class PairRow(NamedTuple):
    """One pair of a database.

    Attributes
    ----------
    names : tuple of str
        Of its images.
    num_matches, num_inliers : int
    configuration : str
        COLMAP's name for its two-view geometry, or NOT_VERIFIED.
    scale : float
        Standard deviation of the noise of right matches, pixels; NaN if not known.
    evidence : float
        Log evidence of the epipolar geometry over "by chance", nats; NaN if not known.
    reason : str
        Why it was rejected, if known.
    """

    names: tuple[str, str]
    num_matches: int
    num_inliers: int
    configuration: str
    scale: float = np.nan
    evidence: float = np.nan
    reason: str = ""


def read_pair_table(
    database_path: str | os.PathLike[str],
    found: Mapping[ImagePair, PairGeometry] | None = None,
) -> list[PairRow]:
    """Return the pairs of a database that have matches, ordered by image.

    Parameters
    ----------
    database_path : path
        A COLMAP database.
    found : mapping, optional
        From the ids of two images to the geometry that `verify_matches` found; a
        database keeps neither noise nor evidence.
    """
    found = {} if found is None else found
    with connected(Path(database_path)) as connection:
        inventory = take_inventory(connection)
        matches = _counted(connection, "SELECT pair_id, rows FROM matches")
        query = "SELECT pair_id, rows, config FROM two_view_geometries"
        geometries = {
            in_order(divmod(number, PAIR_ID_BASE)): (rows, config)
            for number, rows, config in connection.execute(query)
            if isinstance(number, int)
        }
    configurations = _configuration_names()
    table = []
    for pair in inventory.pairs:
        rows, config = geometries.get(pair, (0, None))
        geometry = found.get(pair)
        first, second = (str(inventory.names.get(i, f"image {i}")) for i in pair)
        row = PairRow(
            names=(first, second),
            num_matches=matches.get(pair, 0),
            num_inliers=_count(rows),
            configuration=configurations.get(config, NOT_VERIFIED),
        )
        if geometry is not None:
            row = row._replace(
                scale=geometry.scale,
                evidence=geometry.evidence,
                reason=geometry.reason,
            )
        table.append(row)
    return table


def _counted(connection: Any, query: str) -> dict[ImagePair, int]:
    """Numbers of matches; a pair that was stored in both orders has both."""
    counts: dict[ImagePair, int] = {}
    for number, rows in connection.execute(query):
        if isinstance(number, int):
            pair = in_order(divmod(number, PAIR_ID_BASE))
            counts[pair] = counts.get(pair, 0) + _count(rows)
    return counts


def _count(rows: Any) -> int:
    """A number of rows; other programs may have put anything there."""
    return rows if isinstance(rows, int) and rows > 0 else 0


def _configuration_names() -> dict[Any, str]:
    members = import_pycolmap().TwoViewGeometryConfiguration.__members__
    return {int(value): name for name, value in members.items()}
