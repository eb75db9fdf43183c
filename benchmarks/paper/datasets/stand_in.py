"""Small datasets in the layouts of all three benchmarks, from rendered rooms."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.data.room import (
    HEIGHT,
    WIDTH,
    Room,
    View,
    make_room,
    match,
    pixel_grid,
    rays_of,
    trace,
)
from benchmarks.paper.datasets import heb, phototourism
from benchmarks.paper.datasets.colmap_model import ModelCamera, ModelImage, SparseModel
from benchmarks.paper.datasets.colmap_writer import write_model
from benchmarks.paper.datasets.depth import undistort
from benchmarks.paper.datasets.eth3d import DEPTHS, DISTORTED, HALF_PIXEL, UNDISTORTED
from benchmarks.paper.datasets.hloc import write_hloc
from benchmarks.protocols.homography import apply_homography
from cvscore.types import Array

MIN_PLANE_INLIERS = 40  # of a plane that is worth a homography
MAX_TRANSFER = 3.0  # pixels by which a right match may miss
# A lens: coefficients of COLMAP's THIN_PRISM_FISHEYE after the four of the pinhole.
LENS = (-0.02, 0.005, 1e-4, -2e-4, 0.001, 0.0, 1e-4, -1e-4)


def relative_pose(one: View, two: View) -> tuple[Array, Array]:
    """Return R and t with ``X2 = R X1 + t``."""
    R = two.R @ one.R.T
    return R, two.t - R @ one.t


def write_heb(root: Path, num_scenes: int, num_views: int, seed: int = 0) -> None:
    """Write scenes in the layout of HEB, one homography a plane and pair."""
    for number in range(num_scenes):
        room = make_room(seed + number, num_views)
        planes = [
            plane
            for i, j in combinations(range(num_views), 2)
            for plane in _planes(room, i, j, f"room{number}")
        ]
        heb.write_scene(root / "train" / f"room{number}{heb.SUFFIX}", planes)


def _planes(room: Room, i: int, j: int, scene: str) -> list[heb.HebPlane]:
    """Return the best seen plane of a pair, if it has matches enough."""
    one, two = room.views[i], room.views[j]
    indices, ratios = match(room.features[i], room.features[j])
    f1, f2 = room.features[i], room.features[j]
    x1, x2 = f1.points[indices[:, 0]], f2.points[indices[:, 1]]
    _, surface, _ = trace(room.rectangles, one, rays_of(one, x1))
    R, t = relative_pose(one, two)
    best, most = None, MIN_PLANE_INLIERS - 1
    for number, item in enumerate(room.rectangles):
        normal = one.R @ item.normal  # n'X = d in the frame of camera 1
        distance = normal @ (one.R @ item.corner + one.t)
        H = two.K @ (R + np.outer(t, normal / distance)) @ np.linalg.inv(one.K)
        miss = np.linalg.norm(apply_homography(H, x1) - x2, axis=1)
        right = (surface == number) & (miss <= MAX_TRANSFER)
        if right.sum() > most:
            best, most = (H / H[2, 2], right), int(right.sum())
    if best is None:
        return []
    H, right = best
    details = (f1.angles, f2.angles, f1.scales, f2.scales)
    columns = [v[indices[:, k % 2]] for k, v in enumerate(details)]
    corr = np.column_stack([x1, x2, *columns, ratios, right.astype(float)])
    pose = np.hstack([R, t[:, None]])
    names = [f"{scene}_{k:04d}_o" for k in (i, j)]
    size = (WIDTH, HEIGHT)
    return [heb.HebPlane(*names, corr, pose, H, one.K, two.K, size, size)]


def write_phototourism(
    root: Path, num_scenes: int, num_views: int, seed: int = 0
) -> None:
    """Write scenes in the layout of the RANSAC tutorial."""
    for number in range(num_scenes):
        room = make_room(seed + number, num_views)
        cameras = {
            f"{k:08d}_{seed + number}": phototourism.Camera(view.K, view.R, view.t)
            for k, view in enumerate(room.views)
        }
        ids = list(cameras)
        matches = {}
        for i, j in combinations(range(num_views), 2):
            indices, ratios = match(room.features[j], room.features[i])
            x1 = room.features[j].points[indices[:, 0]]
            x2 = room.features[i].points[indices[:, 1]]
            # The larger id comes first, as in the lists of the challenge.
            matches[ids[j], ids[i]] = np.hstack([x1, x2]), ratios
        phototourism.write_scene(root / "val" / f"room{number}", cameras, matches)


def write_eth3d(
    root: Path,
    num_scenes: int,
    num_views: int,
    seed: int = 0,
    *,
    binary: bool = False,
    with_depth: bool = True,
) -> tuple[Path, Path]:
    """Write scenes in the layout of ETH3D; return the paths of features and matches.

    The paths hold "{scene}", as `Eth3d` expects them.
    """
    for number in range(num_scenes):
        room = make_room(seed + number, num_views)
        folder = root / f"room{number}"
        names = [f"DSC_{k:04d}.JPG" for k in range(num_views)]
        _write_sparse(folder, room, names, binary=binary)
        _write_matches(folder, room, names)
        if with_depth:
            _write_depths(folder / DEPTHS, room, names)
    return root / "{scene}" / "features.h5", root / "{scene}" / "matches.h5"


def _camera(view: View, *, distorted: bool) -> ModelCamera:
    K = view.K
    params = [K[0, 0], K[1, 1], K[0, 2] + HALF_PIXEL, K[1, 2] + HALF_PIXEL]
    if not distorted:
        return ModelCamera("PINHOLE", WIDTH, HEIGHT, np.array(params))
    return ModelCamera("THIN_PRISM_FISHEYE", WIDTH, HEIGHT, np.array([*params, *LENS]))


def _write_sparse(folder: Path, room: Room, names: list[str], *, binary: bool) -> None:
    """Write both calibrations; 3-D points are a grid on all surfaces."""
    steps = np.linspace(0.02, 0.98, 25)
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    positions = np.vstack(
        [r.corner + grid @ np.stack([r.right, r.down]) for r in room.rectangles]
    )
    sets = ((UNDISTORTED, False, "undistorted"), (DISTORTED, True, ""))
    for calibration, is_distorted, suffix in sets:
        kind = f"dslr_images_{suffix}".rstrip("_")
        cameras, images = {}, {}
        for k, (view, name) in enumerate(zip(room.views, names, strict=True)):
            cameras[k] = _camera(view, distorted=is_distorted)
            in_camera = positions @ view.R.T + view.t
            x = in_camera[:, :2] / in_camera[:, 2:] * np.diag(view.K)[:2]
            x += view.K[:2, 2] + HALF_PIXEL
            seen = np.flatnonzero(
                (in_camera[:, 2] > 0) & ((x > 0) & (x < [WIDTH, HEIGHT])).all(axis=1)
            )
            images[k] = ModelImage(f"{kind}/{name}", k, view.R, view.t, x[seen], seen)
        model = SparseModel(cameras, images)
        points = dict(enumerate(positions))
        write_model(folder / calibration, model, points, binary=binary)


def _write_matches(folder: Path, room: Room, names: list[str]) -> None:
    full = [f"dslr_images_undistorted/{name}" for name in names]
    keypoints = {n: f.points for n, f in zip(full, room.features, strict=True)}
    pairs = {}
    for i, j in combinations(range(len(names)), 2):
        indices, ratios = match(room.features[i], room.features[j])
        matches0 = np.full(len(room.features[i].points), -1)
        scores0 = np.zeros(len(matches0))
        kept = ratios < 0.9
        matches0[indices[kept, 0]] = indices[kept, 1]
        scores0[indices[kept, 0]] = 1 - ratios[kept]
        pairs[full[i], full[j]] = matches0, scores0
    write_hloc(folder / "features.h5", folder / "matches.h5", keypoints, pairs)


def _write_depths(folder: Path, room: Room, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for view, name in zip(room.views, names, strict=True):
        camera = _camera(view, distorted=True)
        rays = undistort(camera, pixel_grid() + HALF_PIXEL)
        depth, _, _ = trace(room.rectangles, view, rays)
        depth.astype("<f4").tofile(folder / name)
