"""Databases with known truth for `benchmarks.colmap`; needs pycolmap 4.

Synthetic scenes, and real images with COLMAP's own features, which have no labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pycolmap

from benchmarks.data import data_root

WIDTH, HEIGHT = 1024, 768
PARAMS = [1280.0, WIDTH / 2, HEIGHT / 2, 0.05]  # of SIMPLE_RADIAL
NUM_POINTS = 300
NUM_DISTRACTORS = 200  # keypoints of each image that belong to no point

# Real images with known cameras and rotations, where they are on this machine.
REAL = {
    "fountain": "phototourism/strecha/fountain_P11",
    "reichstag": "phototourism/val/reichstag",
}
MAX_FEATURES = 4096  # of a real image

Pair = tuple[int, int]


@dataclass(frozen=True)
class Scene:
    """Right matches of every pair, and rotations of every image (camera from world).

    There are no right matches where nobody knows which they are.
    """

    matches: dict[Pair, set[tuple[int, int]]]
    rotations: dict[int, np.ndarray]
    names: dict[int, str]


def write_scene(
    path: Path, kind: str, num_images: int, noise: float, wrong: float, seed: int
) -> Scene:
    """Write a database whose pairs are all matched, a share ``wrong`` of them wrongly.

    Parameters
    ----------
    path : Path
        Of the database, which must not exist.
    kind : {"general", "planar"} or a name of `REAL`
        COLMAP's own synthetic scene, or a plane that all images see from one side; or
        photographs, for which nothing else counts.
    num_images : int
    noise : float
        Standard deviation of every coordinate, pixels.
    wrong : float
        Share of wrong matches: pairs of keypoints at random.
    seed : int
    """
    if kind in REAL:
        return _photographs(path, data_root() / REAL[kind])
    rng = np.random.default_rng(seed)
    pycolmap.set_random_seed(seed)
    with pycolmap.Database.open(path) as database:
        make = _synthesise if kind == "general" else _plane
        scene = make(database, num_images, noise, rng)
        database.clear_two_view_geometries()
        database.clear_matches()
        with pycolmap.DatabaseTransaction(database):
            for (i, j), right in scene.matches.items():
                counts = [len(database.read_keypoints(image)) for image in (i, j)]
                num_wrong = round(len(right) * wrong / (1.0 - wrong))
                drawn = rng.integers(0, counts, (num_wrong, 2))
                rows = np.unique(np.vstack([sorted(right), drawn]), axis=0)
                rows = rows[rng.permutation(len(rows))].astype(np.uint32)
                database.write_matches(i, j, rows)
    return scene


def _synthesise(
    database: Any, num_images: int, noise: float, rng: np.random.Generator
) -> Scene:
    options = pycolmap.SyntheticDatasetOptions()
    options.num_rigs = 1
    options.num_frames_per_rig = num_images
    options.num_points3D = NUM_POINTS
    options.num_points2D_without_point3D = NUM_DISTRACTORS
    options.camera_has_prior_focal_length = True
    options.camera_params = PARAMS
    reconstruction = pycolmap.synthesize_dataset(options, database)
    blur = pycolmap.SyntheticNoiseOptions()
    blur.point2D_stddev = noise
    pycolmap.synthesize_noise(blur, reconstruction, database)
    matches = {}
    for pair_id, geometry in zip(*database.read_two_view_geometries(), strict=True):
        rows = np.asarray(geometry.inlier_matches).tolist()
        matches[pycolmap.pair_id_to_image_pair(pair_id)] = set(map(tuple, rows))
    images = reconstruction.images
    rotations = {i: images[i].cam_from_world().rotation.matrix() for i in images}
    return Scene(matches, rotations, {i: images[i].name for i in images})


def _plane(
    database: Any, num_images: int, noise: float, rng: np.random.Generator
) -> Scene:
    camera = pycolmap.Camera(
        model="SIMPLE_RADIAL", width=WIDTH, height=HEIGHT, params=PARAMS, camera_id=1
    )
    camera.has_prior_focal_length = True
    database.write_camera(camera)
    rig = pycolmap.Rig(rig_id=1)
    rig.add_ref_sensor(camera.sensor_id)
    database.write_rig(rig)
    on_plane = np.c_[rng.uniform(-2, 2, (NUM_POINTS, 2)), np.zeros(NUM_POINTS)]
    rotations, seen, place = {}, {}, {}
    for i in range(1, num_images + 1):
        centre = rng.uniform([-4, -3, -8], [4, 3, -5])
        rotations[i] = _look_at_origin(centre, roll=rng.uniform(-0.2, 0.2))
        x = camera.img_from_cam((on_plane - centre) @ rotations[i].T)
        x = x + rng.normal(0, noise, x.shape)
        seen[i] = ((x > 0) & (x < [WIDTH, HEIGHT])).all(axis=1)
        others = rng.uniform([0, 0], [WIDTH, HEIGHT], (NUM_DISTRACTORS, 2))
        order = rng.permutation(NUM_POINTS + NUM_DISTRACTORS)
        place[i] = np.argsort(order)[:NUM_POINTS]
        image = pycolmap.Image(name=f"{i:03d}.png", camera_id=1, image_id=i)
        database.write_image(image, True)
        keypoints = np.vstack([x, others])[order].astype(np.float32)
        database.write_keypoints(i, keypoints)
        frame = pycolmap.Frame(frame_id=i, rig_id=1)
        frame.add_data_id(image.data_id)
        database.write_frame(frame)
    matches = {
        (i, j): set(map(tuple, np.c_[place[i], place[j]][seen[i] & seen[j]].tolist()))
        for i in seen
        for j in seen
        if i < j
    }
    return Scene(matches, rotations, {i: f"{i:03d}.png" for i in seen})


def is_here(name: str) -> bool:
    """Whether real images are on this machine."""
    return (data_root() / REAL[name]).exists()


def _photographs(path: Path, folder: Path) -> Scene:
    """Extract and match COLMAP's SIFT features of images whose cameras are known."""
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
    with h5py.File(folder / "R.h5") as file:
        R = {name: np.array(file[name]) for name in file}
    with pycolmap.Database.open(path) as database:
        images = {image.image_id: image for image in database.read_all_images()}
        for image in images.values():
            camera = database.read_camera(image.camera_id)
            k = K[Path(image.name).stem]
            # The file has OpenCV's pixels, COLMAP's first one is centred at 0.5.
            camera.params = [k[0, 0], k[1, 1], k[0, 2] + 0.5, k[1, 2] + 0.5]
            camera.has_prior_focal_length = True
            database.update_camera(camera)
        ids, _ = database.read_all_matches()
    return Scene(
        {pycolmap.pair_id_to_image_pair(pair_id): set() for pair_id in ids},
        {i: R[Path(image.name).stem] for i, image in images.items()},
        {i: image.name for i, image in images.items()},
    )


def _look_at_origin(centre: np.ndarray, roll: float) -> np.ndarray:
    """Rotation (camera from world) of a camera at ``centre`` that sees the origin."""
    z = -centre / np.linalg.norm(centre)
    x = np.cross([np.sin(roll), np.cos(roll), 0.0], z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z])
