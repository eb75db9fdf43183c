"""Writing COLMAP's sparse models, as text and as binary files."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from benchmarks.paper.datasets.colmap_model import (
    CAMERA_MODELS,
    ModelImage,
    SparseModel,
    quaternion_of_rotation,
)
from cvscore.types import Array

GREY = (128, 128, 128)


def write_model(
    folder: Path, model: SparseModel, points3d: dict[int, Array], *, binary: bool
) -> None:
    """Write cameras, images and points3D, ``.bin`` or ``.txt``.

    ``points3d`` holds (3,) positions by id; tracks follow from the images.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tracks: dict[int, list[tuple[int, int]]] = {point: [] for point in points3d}
    for number, image in model.images.items():
        for index, point in enumerate(image.point_ids):
            if point >= 0:
                tracks[int(point)].append((number, index))
    write = _write_binary if binary else _write_text
    write(folder, model, points3d, tracks)


def _pose(image: ModelImage) -> Array:
    return np.concatenate([quaternion_of_rotation(image.R), image.t])


def _write_text(
    folder: Path, model: SparseModel, points3d: dict[int, Array], tracks: dict
) -> None:
    lines = [
        "# Camera list with one line of data per camera:",
        "#   CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]",
        f"# Number of cameras: {len(model.cameras)}",
    ]
    for number, camera in model.cameras.items():
        values = " ".join(f"{value:.17g}" for value in camera.params)
        sides = f"{camera.width} {camera.height}"
        lines.append(f"{number} {camera.model} {sides} {values}")
    (folder / "cameras.txt").write_text("\n".join(lines) + "\n")
    lines = [
        "# Image list with two lines of data per image:",
        "#   IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME",
        "#   POINTS2D[] as (X, Y, POINT3D_ID)",
        f"# Number of images: {len(model.images)}",
    ]
    for number, image in model.images.items():
        pose = " ".join(f"{value:.17g}" for value in _pose(image))
        lines.append(f"{number} {pose} {image.camera} {image.name}")
        points = zip(image.points, image.point_ids, strict=True)
        lines.append(" ".join(f"{x:.17g} {y:.17g} {i}" for (x, y), i in points))
    (folder / "images.txt").write_text("\n".join(lines) + "\n")
    lines = [
        "# 3D point list with one line of data per point:",
        "#   POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[] as (IMAGE_ID, POINT2D_IDX)",
        f"# Number of points: {len(points3d)}",
    ]
    for point, position in points3d.items():
        place = " ".join(f"{value:.17g}" for value in position)
        track = " ".join(f"{image} {index}" for image, index in tracks[point])
        lines.append(f"{point} {place} {GREY[0]} {GREY[1]} {GREY[2]} 0 {track}")
    (folder / "points3D.txt").write_text("\n".join(lines) + "\n")


def _write_binary(
    folder: Path, model: SparseModel, points3d: dict[int, Array], tracks: dict
) -> None:
    parts = [struct.pack("<Q", len(model.cameras))]
    for number, camera in model.cameras.items():
        code, num_params = CAMERA_MODELS[camera.model]
        parts += [
            struct.pack("<iiQQ", number, code, camera.width, camera.height),
            struct.pack(f"<{num_params}d", *camera.params),
        ]
    (folder / "cameras.bin").write_bytes(b"".join(parts))
    parts = [struct.pack("<Q", len(model.images))]
    for number, image in model.images.items():
        parts += [
            struct.pack("<i7di", number, *_pose(image), image.camera),
            image.name.encode() + b"\0",
            struct.pack("<Q", len(image.points)),
        ]
        for (x, y), point in zip(image.points, image.point_ids, strict=True):
            parts.append(struct.pack("<ddq", x, y, point))
    (folder / "images.bin").write_bytes(b"".join(parts))
    parts = [struct.pack("<Q", len(points3d))]
    for point, position in points3d.items():
        parts.append(struct.pack("<Q3d3Bd", point, *position, *GREY, 0.0))
        parts.append(struct.pack("<Q", len(tracks[point])))
        parts += [struct.pack("<ii", *element) for element in tracks[point]]
    (folder / "points3D.bin").write_bytes(b"".join(parts))
