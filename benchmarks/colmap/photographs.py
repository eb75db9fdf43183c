"""Databases of photographs; needs pycolmap 4.

Cameras and rotations are known, right matches are not.  Keypoints and matches are
COLMAP's own (SIFT), or those of the real pairs: SIFT at some ratio
of distances, or ALIKED with LightGlue.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pycolmap

from benchmarks.colmap.scenes import Scene, write_camera, write_image
from benchmarks.colmap.table import IMAGES
from benchmarks.data.pair import Array
from benchmarks.data.real import POSE_SETS, load_pair, pair_ids
from benchmarks.folders import data_root

MAX_FEATURES = 4096  # of an image
# The files have OpenCV's pixels; the centre of COLMAP's first one is there.
HALF_A_PIXEL = 0.5


def is_here(name: str) -> bool:
    """Whether photographs are on this machine."""
    return _folder(name).exists()


def write_photographs(path: Path, name: str) -> Scene:
    """Write a database of one of `colmap.table.REAL`; it must not exist."""
    if name in IMAGES:
        return _from_images(path, _folder(name))
    return _from_matches(path, name)


def _folder(name: str) -> Path:
    return data_root() / (IMAGES[name] if name in IMAGES else POSE_SETS[name].path)


def _from_images(path: Path, folder: Path) -> Scene:
    """Extract and match COLMAP's SIFT features."""
    import h5py

    extraction = pycolmap.FeatureExtractionOptions()
    extraction.sift.max_num_features = MAX_FEATURES
    pycolmap.extract_features(
        path,
        folder / "images",
        camera_mode=pycolmap.CameraMode.PER_IMAGE,
        reader_options={"camera_model": "PINHOLE"},
        extraction_options=extraction,
    )
    pycolmap.match_exhaustive(path, {"skip_geometric_verification": True})
    with h5py.File(folder / "K1_K2.h5") as file:
        K = {
            name: matrix
            for pair in file
            for name, matrix in zip(pair.split("-"), file[pair][0], strict=True)
        }
    with pycolmap.Database.open(path) as database:
        images = {image.image_id: image for image in database.read_all_images()}
        for image in images.values():
            camera = database.read_camera(image.camera_id)
            camera.params = _pinhole(K[Path(image.name).stem])
            camera.has_prior_focal_length = True
            database.update_camera(camera)
        ids, _ = database.read_all_matches()
    R = _rotations(folder)
    return Scene(
        {pycolmap.pair_id_to_image_pair(pair_id): set() for pair_id in ids},
        {i: R[Path(image.name).stem] for i, image in images.items()},
        {i: image.name for i, image in images.items()},
    )


def _from_matches(path: Path, name: str) -> Scene:
    """Take points that matches share for one keypoint."""
    R = _rotations(_folder(name))
    ids = {image: number for number, image in enumerate(sorted(R), start=1)}
    keypoints: dict[str, dict[tuple[float, float], int]] = {image: {} for image in ids}
    cameras = {}
    matches = {}
    for key in pair_ids("E", name):
        pair = load_pair("E", name, key)
        columns = []
        for image, K, x in zip(
            key.split("-"), (pair.K1, pair.K2), (pair.x1, pair.x2), strict=True
        ):
            cameras[image] = K
            known = keypoints[image]
            columns.append([known.setdefault(tuple(at), len(known)) for at in x])
        i, j = (ids[image] for image in key.split("-"))
        # Pairs are stored in any order; COLMAP has the smaller number first.
        matches[min(i, j), max(i, j)] = np.array(columns if i < j else columns[::-1]).T
    with pycolmap.Database.open(path) as database:
        for image, number in ids.items():
            places = np.array(list(keypoints[image])).reshape(-1, 2)
            camera = _camera(number, cameras[image], places)
            write_camera(database, camera)
            write_image(database, number, image, camera, places + HALF_A_PIXEL)
        for (i, j), rows in matches.items():
            distinct = np.unique(rows.reshape(-1, 2), axis=0)
            database.write_matches(i, j, distinct.astype(np.uint32))
    return Scene(
        {pair: set() for pair in matches},
        {ids[image]: R[image] for image in ids},
        {ids[image]: image for image in ids},
    )


def _camera(number: int, K: Array, places: Array) -> pycolmap.Camera:
    """Return a camera as large as its principal point and its keypoints ask for."""
    width, height = np.ceil(np.maximum(2 * K[:2, 2], places.max(axis=0) + 1))
    return pycolmap.Camera(
        model="PINHOLE",
        width=int(width),
        height=int(height),
        params=_pinhole(K),
        camera_id=number,
    )


def _pinhole(K: Array) -> list[float]:
    """Parameters of a camera that is given in OpenCV's pixels."""
    return [K[0, 0], K[1, 1], K[0, 2] + HALF_A_PIXEL, K[1, 2] + HALF_A_PIXEL]


def _rotations(folder: Path) -> dict[str, Array]:
    """Camera from world, by image."""
    import h5py

    with h5py.File(folder / "R.h5") as file:
        return {name: np.array(file[name]) for name in file}
