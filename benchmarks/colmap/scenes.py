"""Synthetic databases with known truth; needs pycolmap 4."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pycolmap

from benchmarks.data.pair import Array
from benchmarks.data.views import looking_at

WIDTH, HEIGHT = 1024, 768
PARAMS = [1280.0, WIDTH / 2, HEIGHT / 2, 0.05]  # of SIMPLE_RADIAL
NUM_POINTS = 300
NUM_DISTRACTORS = 200  # keypoints of each image that belong to no point

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
    kind : {"general", "planar"}
        COLMAP's own synthetic scene, or a plane that all images see from one side.
    num_images : int
    noise : float
        Standard deviation of every coordinate, pixels.
    wrong : float
        Share of wrong matches: pairs of keypoints at random.
    seed : int
    """
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
    write_camera(database, camera)
    on_plane = np.c_[rng.uniform(-2, 2, (NUM_POINTS, 2)), np.zeros(NUM_POINTS)]
    rotations, seen, place = {}, {}, {}
    for i in range(1, num_images + 1):
        centre = rng.uniform([-4, -3, -8], [4, 3, -5])
        roll = rng.uniform(-0.2, 0.2)
        down = np.array([np.sin(roll), np.cos(roll), 0.0])
        rotations[i] = looking_at(centre, np.zeros(3), down)
        x = camera.img_from_cam((on_plane - centre) @ rotations[i].T)
        x = x + rng.normal(0, noise, x.shape)
        seen[i] = ((x > 0) & (x < [WIDTH, HEIGHT])).all(axis=1)
        others = rng.uniform([0, 0], [WIDTH, HEIGHT], (NUM_DISTRACTORS, 2))
        order = rng.permutation(NUM_POINTS + NUM_DISTRACTORS)
        place[i] = np.argsort(order)[:NUM_POINTS]
        keypoints = np.vstack([x, others])[order]
        write_image(database, i, f"{i:03d}.png", camera, keypoints)
    matches = {
        (i, j): set(map(tuple, np.c_[place[i], place[j]][seen[i] & seen[j]].tolist()))
        for i in seen
        for j in seen
        if i < j
    }
    return Scene(matches, rotations, {i: f"{i:03d}.png" for i in seen})


def write_camera(database: Any, camera: pycolmap.Camera) -> None:
    """Write a camera of known focal length, and the rig that it is by itself."""
    camera.has_prior_focal_length = True
    database.write_camera(camera)
    rig = pycolmap.Rig(rig_id=camera.camera_id)
    rig.add_ref_sensor(camera.sensor_id)
    database.write_rig(rig)


def write_image(
    database: Any, number: int, name: str, camera: pycolmap.Camera, keypoints: Array
) -> None:
    """Write an image of a camera that is in the database, with keypoints (N, 2)."""
    camera_id = camera.camera_id
    image = pycolmap.Image(name=name, camera_id=camera_id, image_id=number)
    database.write_image(image, True)
    database.write_keypoints(number, keypoints.astype(np.float32))
    frame = pycolmap.Frame(frame_id=number, rig_id=camera_id)
    frame.add_data_id(image.data_id)
    database.write_frame(frame)
