"""The pool: models of random minimal samples of one pair, and their true errors.

All methods choose from the same pool, so that nothing but the score tells them apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.paper.datasets.pairs import PaperPair
from benchmarks.paper.rotations import essential_errors, homography_errors
from cvscore.data.deduplication import first_occurrences
from cvscore.data.normalization import Frame, frame_of, region_of
from cvscore.models.essential import essential_model
from cvscore.models.fundamental import fundamental_model
from cvscore.models.homography import homography_model
from cvscore.ransac.samplers import UniformSampler
from cvscore.two_view.image_frames import camera_inside, frame_of_cameras
from cvscore.types import Array, GeometricModel

PROBLEMS = {"E": "essential", "F": "fundamental", "H": "homography"}
# Residuals of one chunk stay in the second-level cache, and BLAS has enough to do.
CHUNK = 64


@dataclass(frozen=True)
class Problem:
    """One pair prepared for estimation.

    Attributes
    ----------
    geometry : GeometricModel
        Of the points in the frame.
    points : (4, N) array
        Distinct matches in the frame.
    frame : Frame
        Values of order one; residuals in it times ``frame.unit`` are pixels.
    rows : (N,) array of int
        Which match of the pair each column is.
    cameras : (2, 3, 3) array
        Intrinsics for points in the frame.
    """

    geometry: GeometricModel
    points: Array
    frame: Frame
    rows: np.ndarray
    cameras: Array

    def sq_residuals(self, models: Array) -> Array:
        """Squared Sampson residuals (K, N) in pixels squared."""
        return self.geometry.residuals(models, self.points) * self.frame.unit**2

    def errors(self, models: Array, R: Array) -> Array:
        """Angles (K,) in degrees between the models' rotations and the true one."""
        K1, K2 = self.cameras
        if self.geometry.name == "homography matrix":
            return homography_errors(np.linalg.solve(K2, models @ K1), R)
        if self.geometry.name == "fundamental matrix":
            models = K2.T @ models @ K1
        return essential_errors(models, R)


def prepare(pair: PaperPair, problem: str, solver: str = "native") -> Problem:
    """Collapse copies, choose a frame and a model.

    Copies of a sampled match have no residual and would be taken for inliers without
    noise; the estimators of the package collapse them too.
    """
    points = np.ascontiguousarray(np.hstack([pair.x1, pair.x2]).T)
    rows, _ = first_occurrences(points)
    points = np.ascontiguousarray(points[:, rows])
    if problem == "E":
        frame = frame_of_cameras(pair.K1, pair.K2)
    else:
        frame = frame_of(region_of(points))
    cameras = np.stack(
        [camera_inside(frame, pair.K1, 0), camera_inside(frame, pair.K2, 1)]
    )
    if problem == "E":
        geometry = essential_model(cameras[0], cameras[1], solver)
    elif problem == "F":
        geometry = fundamental_model(solver)
    else:
        geometry = homography_model(solver)
    return Problem(geometry, frame.enter(points), frame, rows, cameras)


def draw_models(
    pair: PaperPair, problem: Problem, num_samples: int, seed: int
) -> Array:
    """Models (K, 3, 3) of so many minimal samples; none of too few matches."""
    num_points, size = problem.points.shape[1], problem.geometry.sample_size
    if num_points <= size:
        return np.empty((0, 3, 3))
    # Of its own for every pair, whatever the order or the machine.
    digest = hashlib.sha256(f"{seed}\0{pair.key.scene}\0{pair.key.name}".encode())
    own_seed = int.from_bytes(digest.digest()[:8], "big")
    sampler = UniformSampler(num_points, size, own_seed)
    return problem.geometry.solve(problem.points, sampler.draw(num_samples))


def chunks(problem: Problem, models: Array) -> Iterator[tuple[int, Array]]:
    """Yield the residuals (at most CHUNK, N), with the number of their first model."""
    for first in range(0, len(models), CHUNK):
        yield first, problem.sq_residuals(models[first : first + CHUNK])
