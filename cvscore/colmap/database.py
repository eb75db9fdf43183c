"""A COLMAP database through pycolmap, whichever its version from 3.11 on."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvscore.colmap.cameras import PinholeView, pinhole_view
from cvscore.colmap.inventory import ImagePair

# Images whose keypoints are kept; pairs come ordered by image, so few are needed twice.
MAX_CACHED_VIEWS = 256


def import_pycolmap() -> Any:
    """Import pycolmap, or say how to get it."""
    try:
        import pycolmap
    except ImportError as error:
        raise ImportError(
            "cvscore.colmap needs pycolmap 3.11 or newer: pip install 'cvscore[colmap]'"
        ) from error
    return pycolmap


class MatchDatabase:
    """An open database; a context manager that closes it."""

    def __init__(self, path: Path) -> None:
        self._pycolmap = import_pycolmap()
        self._path = path
        self._database = _open(self._pycolmap, path)
        self._cameras = {c.camera_id: c for c in self._database.read_all_cameras()}
        images = self._database.read_all_images()
        self._camera_of = {i.image_id: self._cameras.get(i.camera_id) for i in images}
        self.view = lru_cache(maxsize=MAX_CACHED_VIEWS)(self._read_view)

    def __enter__(self) -> MatchDatabase:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._database.close()

    def matches(self, pair: ImagePair) -> NDArray[np.uint32]:
        """Return the matches (M, 2) of a pair (i, j), none where there is no entry."""
        if not self._database.exists_matches(*pair):
            return np.empty((0, 2), dtype=np.uint32)
        return np.asarray(self._database.read_matches(*pair)).reshape(-1, 2)

    def _read_view(self, image_id: int) -> PinholeView | None:
        """Return the keypoints of an image; None if its camera or they are missing."""
        camera = self._camera_of.get(image_id)
        if camera is None or not self._database.exists_keypoints(image_id):
            return None
        keypoints = np.asarray(self._database.read_keypoints(image_id))
        return pinhole_view(camera, keypoints[:, :2])

    def write(
        self, geometries: Iterable[tuple[ImagePair, Any]], replaced: set[ImagePair]
    ) -> None:
        """Write two-view geometries in one transaction.

        Parameters
        ----------
        geometries : iterable
            Of pairs with their ``pycolmap.TwoViewGeometry``.
        replaced : set
            Pairs that have one already, which goes.
        """
        # Old versions keep inliers and geometry in one table and name it by the former.
        delete = getattr(
            self._database,
            "delete_two_view_geometry",
            self._database.delete_inlier_matches,
        )
        try:
            with self._pycolmap.DatabaseTransaction(self._database):
                for pair, geometry in geometries:
                    if pair in replaced:
                        delete(*pair)
                    self._database.write_two_view_geometry(*pair, geometry)
        except RuntimeError as error:
            raise RuntimeError(
                f"could not write to {self._path}, of which pairs written before are "
                f"safe: run again to go on where this run stopped ({error})"
            ) from error


def _open(pycolmap: Any, path: Path) -> Any:
    major, minor = (int(part) for part in pycolmap.__version__.split(".")[:2])
    if (major, minor) >= (3, 13):
        return pycolmap.Database.open(str(path))
    return pycolmap.Database(str(path))
