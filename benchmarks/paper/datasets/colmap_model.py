"""COLMAP's sparse models, as text and as binary files: cameras, images, point ids.

Poses are ``x_cam = R X + t``; the centre of the top left pixel is (0.5, 0.5).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.paper.datasets.pairs import DataError
from cvscore.types import Array

# Number in binary files, and count of parameters.
CAMERA_MODELS = {
    "SIMPLE_PINHOLE": (0, 3),
    "PINHOLE": (1, 4),
    "SIMPLE_RADIAL": (2, 4),
    "RADIAL": (3, 5),
    "OPENCV": (4, 8),
    "OPENCV_FISHEYE": (5, 8),
    "FULL_OPENCV": (6, 12),
    "THIN_PRISM_FISHEYE": (10, 12),
}


@dataclass(frozen=True)
class ModelCamera:
    """A camera: model name, sides in pixels, parameters in COLMAP's order."""

    model: str
    width: int
    height: int
    params: Array


@dataclass(frozen=True)
class ModelImage:
    """An image: its file, camera and pose, and the points that it sees.

    ``points`` (M, 2) are keypoints in COLMAP's pixels, ``point_ids`` (M,) the 3-D
    points they are images of, -1 for none.
    """

    name: str
    camera: int
    R: Array
    t: Array
    points: Array
    point_ids: NDArray[np.int64]


@dataclass(frozen=True)
class SparseModel:
    """Cameras by id, images by their number."""

    cameras: dict[int, ModelCamera]
    images: dict[int, ModelImage]


def read_model(folder: Path) -> SparseModel:
    """Read cameras and images from ``.txt`` or, where there is none, ``.bin`` files."""
    for suffix in (".txt", ".bin"):
        cameras, images = folder / f"cameras{suffix}", folder / f"images{suffix}"
        if cameras.is_file() and images.is_file():
            stamps = cameras.stat().st_mtime_ns, images.stat().st_mtime_ns
            return _read_cached(cameras, images, stamps)
    raise DataError(f"{folder} holds neither cameras.txt, images.txt nor .bin files")


# Parsing one scene takes as long as a pair, and every pair of it needs the same.
@lru_cache(maxsize=32)
def _read_cached(cameras: Path, images: Path, _stamps: tuple[int, int]) -> SparseModel:
    if cameras.suffix == ".txt":
        model = SparseModel(_cameras_text(cameras), _images_text(images))
    else:
        model = SparseModel(_cameras_binary(cameras), _images_binary(images))
    for image in model.images.values():
        if image.camera not in model.cameras:
            raise DataError(f"{images}: {image.name} has unknown camera {image.camera}")
    return model


def _content_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield numbered lines but comments; an empty line may be an image's points."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.startswith("#"):
            yield number, line.strip()


def _cameras_text(path: Path) -> dict[int, ModelCamera]:
    cameras = {}
    for number, line in _content_lines(path):
        if not line:
            continue
        words = line.split()
        try:
            identity, model, width, height = int(words[0]), words[1], *words[2:4]
            params = np.array([float(word) for word in words[4:]])
            cameras[identity] = ModelCamera(model, int(width), int(height), params)
            if len(params) != CAMERA_MODELS[model][1]:
                raise ValueError(f"{len(params)} parameters of a {model} camera")
        except (ValueError, IndexError, KeyError) as error:
            raise DataError(f"{path}, line {number}: not a camera: {error}") from error
    return cameras


def _images_text(path: Path) -> dict[int, ModelImage]:
    images = {}
    lines = list(_content_lines(path))
    while lines and not lines[-1][1] and len(lines) % 2:
        lines.pop()
    if len(lines) % 2:
        raise DataError(f"{path}: the last image has no line of points")
    for (number, head), (_, body) in zip(lines[::2], lines[1::2], strict=True):
        words = head.split(maxsplit=9)
        try:
            identity, camera, name = int(words[0]), int(words[8]), words[9]
            pose = np.array([float(word) for word in words[1:8]])
            points = np.array(body.split(), dtype=np.float64).reshape(-1, 3)
        except (ValueError, IndexError) as error:
            raise DataError(f"{path}, line {number}: not an image: {error}") from error
        images[identity] = _image(path, name, camera, pose, points)
    return images


def _image(
    path: Path, name: str, camera: int, pose: Array, points: Array
) -> ModelImage:
    norm = np.linalg.norm(pose[:4])
    if not abs(norm - 1.0) < 1e-3 or not np.isfinite(pose).all():
        raise DataError(f"{path}: {name} has no unit quaternion: {pose[:4].tolist()}")
    return ModelImage(
        name=name,
        camera=camera,
        R=rotation_of_quaternion(pose[:4] / norm),
        t=pose[4:],
        points=np.ascontiguousarray(points[:, :2]),
        point_ids=points[:, 2].astype(np.int64),
    )


class _Bytes:
    """A binary file, read from front to back."""

    def __init__(self, path: Path) -> None:
        self.path, self._data, self._at = path, path.read_bytes(), 0

    def take(self, layout: str) -> tuple:
        """Unpack the next values; `DataError` where the file ends too early."""
        try:
            values = struct.unpack_from("<" + layout, self._data, self._at)
        except struct.error as error:
            raise DataError(f"{self.path} ends at byte {len(self._data)}") from error
        self._at += struct.calcsize("<" + layout)
        return values

    def take_name(self) -> str:
        end = self._data.find(b"\0", self._at)
        if end < 0:
            raise DataError(f"{self.path}: a name without an end")
        name = self._data[self._at : end].decode()
        self._at = end + 1
        return name

    def take_points(self, count: int) -> Array:
        """Return (count, 3): x, y, id."""
        kind = np.dtype([("x", "<f8"), ("y", "<f8"), ("id", "<i8")])
        if self._at + count * kind.itemsize > len(self._data):
            raise DataError(f"{self.path} ends at byte {len(self._data)}")
        rows = np.frombuffer(self._data, kind, count, self._at)
        self._at += count * kind.itemsize
        return np.column_stack([rows["x"], rows["y"], rows["id"]])


def _cameras_binary(path: Path) -> dict[int, ModelCamera]:
    file, cameras = _Bytes(path), {}
    by_number = {number: (name, n) for name, (number, n) in CAMERA_MODELS.items()}
    for _ in range(file.take("Q")[0]):
        identity, number, width, height = file.take("iiQQ")
        if number not in by_number:
            raise DataError(f"{path}: camera {identity} has unknown model {number}")
        name, num_params = by_number[number]
        params = np.array(file.take(f"{num_params}d"))
        cameras[identity] = ModelCamera(name, width, height, params)
    return cameras


def _images_binary(path: Path) -> dict[int, ModelImage]:
    file, images = _Bytes(path), {}
    for _ in range(file.take("Q")[0]):
        identity, *pose, camera = file.take("i7di")
        name = file.take_name()
        points = file.take_points(file.take("Q")[0])
        images[identity] = _image(path, name, camera, np.array(pose), points)
    return images


def rotation_of_quaternion(q: Array) -> Array:
    """Return the rotation (3, 3) of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_of_rotation(R: Array) -> Array:
    """Return the unit quaternion (w, x, y, z), w >= 0, of a rotation (3, 3)."""
    xx, yy, zz = np.diag(R)
    # K q = q for the quaternion and smaller eigenvalues for all others.
    K = np.array(
        [
            [xx + yy + zz, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [0, xx - yy - zz, R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [0, 0, yy - xx - zz, R[1, 2] + R[2, 1]],
            [0, 0, 0, zz - xx - yy],
        ]
    )
    q = np.linalg.eigh(K, UPLO="U")[1][:, -1]
    return q if q[0] >= 0 else -q
