"""COLMAP databases with known truth, and what verification leaves in them.

Through pycolmap of any version from 3.11.
"""

import sqlite3
from dataclasses import dataclass

import numpy as np
import pycolmap
from synthetic import rotation

VERSION = tuple(int(part) for part in pycolmap.__version__.split(".")[:2])
WIDTH, HEIGHT = 1280, 960
FOCAL = 1100.0
DISTORTION = 0.05  # of SIMPLE_RADIAL

# Configurations of a pair, as COLMAP numbers them.
CALIBRATED, UNCALIBRATED, PLANAR, PANORAMIC = 2, 3, 4, 5


@dataclass(frozen=True)
class Truth:
    poses: dict  # image id -> (R, t), camera from world
    matches: dict  # (i, j) -> set of right (k, l)

    def relative(self, i, j):
        (R1, t1), (R2, t2) = self.poses[i], self.poses[j]
        R = R2 @ R1.T
        t = t2 - R @ t1
        return R, t / np.linalg.norm(t)


def open_database(path):
    if VERSION >= (3, 13):
        return pycolmap.Database.open(str(path))
    return pycolmap.Database(str(path))


def make_camera(model="SIMPLE_RADIAL", *, prior=True, camera_id=1):
    params = {
        "SIMPLE_PINHOLE": [FOCAL, WIDTH / 2, HEIGHT / 2],
        "SIMPLE_RADIAL": [FOCAL, WIDTH / 2, HEIGHT / 2, DISTORTION],
        "OPENCV": [FOCAL, 1.1 * FOCAL, 600.0, 470.0, 0.05, -0.02, 1e-3, -1e-3],
        "OPENCV_FISHEYE": [FOCAL, FOCAL, 640.0, 480.0, 0.01, 0.0, 0.0, 0.0],
        "FULL_OPENCV": [FOCAL, FOCAL, 640.0, 480.0, *(0.02, 0.0) * 4],
        "EQUIRECTANGULAR": [WIDTH, HEIGHT],
    }[model]
    camera = pycolmap.Camera(
        model=model, width=WIDTH, height=HEIGHT, params=params, camera_id=camera_id
    )
    camera.has_prior_focal_length = prior
    return camera


def img_from_cam(camera, X):
    """Project (N, 3), with NaN where a point is not seen."""
    if VERSION < (3, 12):
        return np.asarray(camera.img_from_cam(X[:, :2] / X[:, 2:]))
    return np.asarray(camera.img_from_cam(X))


def write_scene(
    path, rng, *, num_images=4, num_points=120, noise=0.5, wrong=0.4, planar=False,
    camera=None, turning=False,
):  # fmt: skip
    """Write images around a scene, all pairs of them matched, some matches wrong.

    ``turning`` leaves the camera where it is.
    """
    camera = make_camera() if camera is None else camera
    X = rng.uniform([-2, -1.5, -1.5], [2, 1.5, 1.5], (num_points, 3))
    if planar:
        X[:, 2] = 0.2 * X[:, 0] - 0.1 * X[:, 1]
    database = open_database(path)
    database.write_camera(camera)
    poses, order = {}, {}
    for k in range(num_images):
        # Steps of a sixth of the distance, so that all see all, from different places.
        centre = np.array([1.2 * k - 0.6 * num_images, 0.3 * (k % 2), -7.0])
        R = rotation(np.array([0.02 * k, np.arctan2(centre[0], 7.0), 0.1 * (k % 3)]))
        if turning:
            centre = np.array([0.0, 0.0, -7.0])
            R = rotation(np.array([0.02, 0.03, 0.1]) * k)
        t = -R @ centre
        x = img_from_cam(camera, X @ R.T + t)
        x = x + rng.normal(0, noise, x.shape)
        order[k] = rng.permutation(num_points)
        image = pycolmap.Image(name=f"{k}.png", camera_id=camera.camera_id)
        image_id = database.write_image(image)
        poses[image_id] = R, t
        database.write_keypoints(image_id, x[order[k]].astype(np.float32))
    truth = Truth(poses, {})
    ids = list(poses)
    for a in range(num_images):
        for b in range(a + 1, num_images):
            right = np.stack([np.argsort(order[a]), np.argsort(order[b])], axis=1)
            num_wrong = round(num_points * wrong / (1 - wrong))
            drawn = rng.integers(0, num_points, (num_wrong, 2))
            both = np.unique(np.vstack([right, drawn]), axis=0)
            both = both[rng.permutation(len(both))].astype(np.uint32)
            database.write_matches(ids[a], ids[b], both)
            truth.matches[ids[a], ids[b]] = {tuple(row) for row in right.tolist()}
    database.close()
    return truth


def read_geometries(path):
    """Every two-view geometry as plain values, by image pair."""
    database = open_database(path)
    pair_ids, geometries = database.read_two_view_geometries()
    database.close()
    return {
        divmod(pair_id, 2147483647): geometry
        for pair_id, geometry in zip(pair_ids, geometries, strict=True)
    }


def plain(geometry):
    """Every stored field, to compare runs bit by bit."""
    fields = [geometry.config, geometry.inlier_matches.tolist()]
    for name in ("E", "F", "H"):
        matrix = getattr(geometry, name)
        fields.append(None if matrix is None else matrix.tolist())
    pose = geometry.cam2_from_cam1
    return [*fields, None if pose is None else pose.matrix().tolist()]


def contents(path):
    """What verification has written, as values that can be compared."""
    return {pair: plain(g) for pair, g in read_geometries(path).items()}


def check_labels(geometry, right, precision=0.95, recall=0.9):
    found = {tuple(row) for row in geometry.inlier_matches.tolist()}
    assert len(found & right) >= precision * len(found)
    assert len(found & right) >= recall * len(right)


def num_verified(path):
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=10)
    (count,) = connection.execute("SELECT count(*) FROM two_view_geometries").fetchone()
    connection.close()
    return count
