"""One database verified and mapped by each method."""

from __future__ import annotations

import contextlib
import io
import shutil
import time
from collections.abc import Callable
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np
import pycolmap

from benchmarks.colmap.scenes import Pair, Scene
from cvscore.colmap import verify_matches

# Pixels: steps of the root of two, so that the best of them is near the best of all.
THRESHOLDS = tuple(2.0 ** (0.5 * k) for k in range(10))
NUM_TUNING_PAIRS = 8


def verify(path: Path, scene: Scene, threshold: float | None) -> float:
    """Verify a database by pycolmap, or by cvscore without a threshold.

    Returns seconds of processor time.
    """
    pairs = path.with_suffix(".txt")
    lines = (f"{scene.names[i]} {scene.names[j]}\n" for i, j in scene.matches)
    pairs.write_text("".join(lines))
    started = time.process_time()
    if threshold is None:
        verify_matches(path, pairs, num_workers=1, progress=False)
    else:
        pycolmap.verify_matches(path, pairs, pycolmap_options(threshold))
    return time.process_time() - started


def pycolmap_options(threshold: float) -> Any:
    """Return its defaults but for the threshold, on one thread and reproducible."""
    options = pycolmap.TwoViewGeometryOptions()
    options.ransac.max_error = threshold
    options.ransac.random_seed = 0
    options.ransac.num_threads = 1
    options.compute_relative_pose = True
    return options


def best_threshold(path: Path, scene: Scene) -> float:
    """Return the threshold of highest F1 on some pairs, with the truth in hand."""
    with pycolmap.Database.open(path) as database:
        (camera, *_) = database.read_all_cameras()
        step = max(1, len(scene.matches) // NUM_TUNING_PAIRS)
        chosen = list(islice(scene.matches, 0, None, step))[:NUM_TUNING_PAIRS]
        points = {
            image: database.read_keypoints(image)[:, :2].astype(np.float64)
            for pair in chosen
            for image in pair
        }

        def f1(threshold: float) -> float:
            options = pycolmap_options(threshold)
            counts = np.zeros(3)
            for i, j in chosen:
                matches = database.read_matches(i, j)
                found = pycolmap.estimate_two_view_geometry(
                    camera, points[i], camera, points[j], matches, options
                )
                counts += _counts(found, scene.matches[i, j])
            return 2.0 * counts[0] / (counts[1] + counts[2])

        return max(THRESHOLDS, key=f1)


def precision_and_recall(path: Path, scene: Scene) -> tuple[float, float]:
    """Judge the inliers of all pairs together."""
    with pycolmap.Database.open(path) as database:
        counts = [
            _counts(database.read_two_view_geometry(*pair), right)
            for pair, right in scene.matches.items()
        ]
    num_right, num_inliers, num_matches = np.sum(counts, axis=0)
    return float(num_right / max(num_inliers, 1)), float(num_right / num_matches)


def _counts(found: Any, right: set[tuple[int, int]]) -> tuple[int, int, int]:
    """Right inliers, inliers, right matches."""
    inliers = set(map(tuple, np.asarray(found.inlier_matches).tolist()))
    return len(inliers & right), len(inliers), len(right)


def mapped(path: Path, scene: Scene, mapper: Mapper) -> tuple[int, float]:
    """Images registered, and the largest error of a relative rotation in degrees."""
    copy, model = path.with_name("mapped.db"), path.with_name("model")
    shutil.copy(path, copy)  # mapping writes to the database too
    shutil.rmtree(model, ignore_errors=True)
    model.mkdir()
    with contextlib.redirect_stdout(io.StringIO()):
        models = mapper(copy, model)
    copy.unlink()
    if not models:
        return 0, 180.0
    largest = max(models.values(), key=lambda found: found.num_reg_images())
    rotations = {
        i: largest.images[i].cam_from_world().rotation.matrix()
        for i in largest.images
        if largest.images[i].has_pose
    }
    return len(rotations), _largest_error(rotations, scene.rotations)


def _global(path: Path, model: Path) -> Any:
    options = pycolmap.GlobalPipelineOptions()
    options.random_seed, options.num_threads = 0, 1
    return pycolmap.global_mapping(path, model, model, options)


def _incremental(path: Path, model: Path) -> Any:
    options = pycolmap.IncrementalPipelineOptions()
    options.random_seed, options.num_threads = 0, 1
    options.extract_colors = options.multiple_models = False
    return pycolmap.incremental_mapping(path, model, model, options)


Mapper = Callable[[Path, Path], Any]
MAPPERS: dict[str, Mapper] = {"global": _global, "incremental": _incremental}


def _largest_error(found: dict[int, np.ndarray], truth: dict[int, np.ndarray]) -> float:
    def relative(rotations: dict[int, np.ndarray], pair: Pair) -> np.ndarray:
        return rotations[pair[1]] @ rotations[pair[0]].T

    errors = [
        np.arccos(
            np.clip((np.sum(relative(found, p) * relative(truth, p)) - 1) / 2, -1, 1)
        )
        for p in combinations(found, 2)
    ]
    return float(np.degrees(max(errors, default=np.pi)))
