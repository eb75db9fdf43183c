"""Verification and mapping: this package beside pycolmap's own verification.

    python -m benchmarks.colmap                      # the whole table, about 40 minutes
    python -m benchmarks.colmap --wrong 0.3 --noise 2 --scenes planar

Every database is verified by cvscore, by pycolmap at its default of 4 px, and by
pycolmap at its best threshold, picked for each database by F1 on some of its pairs with
the truth in hand.  Printed: precision and recall of inliers over all pairs,
milliseconds of processor time a pair (one thread), and for both mappers the images
registered and the largest error of a relative rotation, degrees.  Synthetic scenes have
300 points, wrong matches are random and not one-to-one; all methods get the same
databases.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np
import pycolmap

from benchmarks.colmap_scenes import Pair, Scene, write_scene
from cvscore.colmap import verify_matches

THRESHOLDS = (1.0, 2.0, 4.0, 8.0, 16.0)  # pixels
DEFAULT_THRESHOLD = 4.0
NUM_TUNING_PAIRS = 8

HEADER = (
    "| scene | noise | wrong | verified by | precision | recall | F1 | ms a pair "
    "| global | incremental |\n|---|---|---|---|---|---|---|---|---|---|"
)


def main() -> None:
    """Print the table."""
    arguments = _parser().parse_args()
    pycolmap.logging.minloglevel = 2
    print(HEADER, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        _warm_up(Path(folder))
        for scene in arguments.scenes:
            for noise in arguments.noise:
                for wrong in arguments.wrong:
                    given = scene, arguments.images, noise, wrong, arguments.seed
                    for row in compare(Path(folder), *given):
                        print(_formatted(row), flush=True)
                        if arguments.out is not None:
                            with arguments.out.open("a") as stream:
                                stream.write(json.dumps(row) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", nargs="+", default=["general", "planar"])
    parser.add_argument("--noise", nargs="+", type=float, default=[0.5, 2.0, 5.0])
    parser.add_argument("--wrong", nargs="+", type=float, default=[0.3, 0.6, 0.8])
    parser.add_argument("--images", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="also append rows of JSON here")
    return parser


def _warm_up(folder: Path) -> None:
    """Compile what will be timed."""
    for kind in ("general", "planar"):
        write_scene(folder / f"{kind}.db", kind, 3, 1.0, 0.5, 0)
        verify_matches(folder / f"{kind}.db", num_workers=1)


def compare(
    folder: Path, kind: str, num_images: int, noise: float, wrong: float, seed: int
) -> Iterator[dict[str, Any]]:
    """Verify and map one scene with every method."""
    untouched = folder / "untouched.db"
    untouched.unlink(missing_ok=True)
    scene = write_scene(untouched, kind, num_images, noise, wrong, seed)
    best = _best_threshold(untouched, scene)
    methods: dict[str, float | None] = {"cvscore": None}
    methods[f"pycolmap {DEFAULT_THRESHOLD:g} px"] = DEFAULT_THRESHOLD
    methods[f"pycolmap {best:g} px, its best"] = best
    for name, threshold in methods.items():
        path = folder / "verified.db"
        shutil.copy(untouched, path)
        started = time.process_time()
        _verify(path, scene, threshold)
        seconds = time.process_time() - started
        row = {"scene": kind, "noise": noise, "wrong": wrong, "method": name}
        row |= dict(zip(("precision", "recall"), _labels(path, scene), strict=True))
        row["ms"] = 1e3 * seconds / len(scene.matches)
        for mapper in (_global, _incremental):
            row[mapper.__name__[1:]] = _mapped(path, folder / "model", scene, mapper)
        path.unlink()
        yield row


def _verify(path: Path, scene: Scene, threshold: float | None) -> None:
    if threshold is None:
        verify_matches(path, num_workers=1, progress=False)
        return
    pairs = path.with_suffix(".txt")
    lines = (f"{scene.names[i]} {scene.names[j]}\n" for i, j in scene.matches)
    pairs.write_text("".join(lines))
    pycolmap.verify_matches(path, pairs, _pycolmap_options(threshold))


def _pycolmap_options(threshold: float) -> Any:
    options = pycolmap.TwoViewGeometryOptions()
    options.ransac.max_error = threshold
    options.ransac.random_seed = 0
    options.ransac.num_threads = 1
    options.compute_relative_pose = True
    return options


def _best_threshold(path: Path, scene: Scene) -> float:
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
            counts = np.zeros(3)
            for i, j in chosen:
                found = pycolmap.estimate_two_view_geometry(
                    camera,
                    points[i],
                    camera,
                    points[j],
                    database.read_matches(i, j),
                    _pycolmap_options(threshold),
                )
                counts += _counts(found, scene.matches[i, j])
            return 2.0 * counts[0] / (counts[1] + counts[2])

        return max(THRESHOLDS, key=f1)


def _counts(found: Any, right: set[tuple[int, int]]) -> tuple[int, int, int]:
    """Right inliers, inliers, right matches."""
    inliers = set(map(tuple, np.asarray(found.inlier_matches).tolist()))
    return len(inliers & right), len(inliers), len(right)


def _labels(path: Path, scene: Scene) -> tuple[float, float]:
    """Precision and recall of the inliers of all pairs together."""
    with pycolmap.Database.open(path) as database:
        counts = [
            _counts(database.read_two_view_geometry(*pair), right)
            for pair, right in scene.matches.items()
        ]
    num_right, num_inliers, num_matches = np.sum(counts, axis=0)
    return float(num_right / max(num_inliers, 1)), float(num_right / num_matches)


def _mapped(path: Path, model: Path, scene: Scene, mapper: Any) -> tuple[int, float]:
    """Images registered, and the largest error of a relative rotation in degrees."""
    copy = path.with_name("mapped.db")
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


def _formatted(row: dict[str, Any]) -> str:
    precision, recall = row["precision"], row["recall"]
    f1 = 2.0 * precision * recall / max(precision + recall, 1e-12)
    maps = " | ".join(
        f"{row[name][0]}, {row[name][1]:.2f}°" for name in ("global", "incremental")
    )
    return (
        f"| {row['scene']} | {row['noise']:g} px | {100 * row['wrong']:.0f} % "
        f"| {row['method']} | {precision:.4f} | {recall:.4f} | {f1:.4f} "
        f"| {row['ms']:.1f} | {maps} |"
    )


if __name__ == "__main__":
    # Linear algebra in one thread, as the rest: times are processor times.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
