"""Rows of COLMAP's tables as arrays and back; a damaged row is an error of its own.

The layout is COLMAP's, the same since its version 3.7: numbers in little-endian order,
matrices by rows, quaternions with the real part first.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvscore.colmap.pycolmap_module import import_pycolmap

# x, y; with scale and orientation; with an affine shape.
KEYPOINT_COLUMNS = (2, 4, 6)
# Of a two-view geometry, as `geometry_row` orders them.
GEOMETRY_COLUMNS = ("rows", "cols", "data", "config", "F", "E", "H", "qvec", "tvec")


class DamagedRow(ValueError):
    """A row that can't be used.

    Attributes
    ----------
    kind : str
        Of the row: "camera", "image", "keypoints" or "matches".
    row : str
        Which it is.
    reason : str
        What is wrong with it.
    """

    def __init__(self, kind: str, row: str, reason: str) -> None:
        super().__init__(f"{row}: {reason}")
        self.kind, self.row, self.reason = kind, row, reason


def camera_from_row(row: tuple[Any, ...]) -> Any:
    """Return the ``pycolmap.Camera`` of (model, width, height, params, prior).

    Raises a ValueError that says what is wrong with the row.
    """
    model, width, height, params, prior = row
    for name, value in (("width", width), ("height", height)):
        if not isinstance(value, int) or value < 0:
            raise ValueError(f"its {name} is {shown(value)}")
    if not isinstance(prior, int):
        raise ValueError(f"its prior_focal_length is {shown(prior)}")
    if model not in _camera_models():
        raise ValueError(f"its model is {shown(model)}, which pycolmap doesn't know")
    numbers = _numbers(params, "<f8", "params").astype(np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError("its params are not all finite")
    camera = import_pycolmap().Camera(
        model=_camera_models()[model], width=width, height=height, params=numbers
    )
    if not camera.verify_params():
        raise ValueError(f"it has {len(numbers)} params, not those of {camera.model}")
    camera.has_prior_focal_length = bool(prior)
    return camera


@lru_cache(maxsize=1)
def _camera_models() -> dict[Any, str]:
    """Names of the camera models that pycolmap knows, by their numbers."""
    members = import_pycolmap().CameraModelId.__members__
    return {int(model): name for name, model in members.items() if int(model) >= 0}


def keypoints_from_row(row: tuple[Any, ...]) -> NDArray[np.float64]:
    """Return the positions (N, 2) of (rows, cols, data), in COLMAP's pixels."""
    table = _table(row, "<f4", KEYPOINT_COLUMNS)
    return table[:, :2].astype(np.float64)


def matches_from_row(row: tuple[Any, ...]) -> NDArray[np.uint32]:
    """Return the indices of keypoints (M, 2) of (rows, cols, data)."""
    return _table(row, "<u4", (2,))


def geometry_row(geometry: Any) -> tuple[Any, ...]:
    """Return the `GEOMETRY_COLUMNS` of a ``pycolmap.TwoViewGeometry``."""
    inliers = np.asarray(geometry.inlier_matches, dtype="<u4").reshape(-1, 2)
    matrices = [_blob(getattr(geometry, name)) for name in ("F", "E", "H")]
    pose = geometry.cam2_from_cam1
    quaternion = None if pose is None else np.roll(pose.rotation.quat, 1)
    translation = None if pose is None else pose.translation
    return (
        len(inliers),
        2,
        inliers.tobytes() or None,
        int(geometry.config),
        *matrices,
        _blob(quaternion),
        _blob(translation),
    )


def _blob(array: Any) -> bytes | None:
    return None if array is None else np.asarray(array, dtype="<f8").tobytes()


def _table(row: tuple[Any, ...], dtype: str, widths: tuple[int, ...]) -> NDArray[Any]:
    """Return the array (rows, cols) that the row says it is."""
    rows, cols, data = row
    if not isinstance(rows, int) or rows < 0:
        raise ValueError(f"its number of rows is {shown(rows)}")
    if rows == 0 and not data:
        return np.empty((0, widths[0]), dtype=dtype)
    if not isinstance(cols, int) or cols not in widths:
        raise ValueError(f"its number of columns is {shown(cols)}")
    numbers = _numbers(data, dtype, "data")
    if numbers.size != rows * cols:
        raise ValueError(f"its data are {numbers.size} numbers, not {rows} x {cols}")
    return numbers.reshape(rows, cols)


def _numbers(data: Any, dtype: str, name: str) -> NDArray[Any]:
    if not isinstance(data, bytes):
        raise ValueError(f"its {name} are {shown(data)}")
    if len(data) % np.dtype(dtype).itemsize:
        raise ValueError(f"its {name} end within a number, after {len(data)} bytes")
    return np.frombuffer(data, dtype=dtype)


def shown(value: Any) -> str:
    """Say what is there: short, in one line, whatever it is."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return f"the text {value[:20]!r}"
    return f"{len(value)} bytes" if isinstance(value, bytes) else str(value)
