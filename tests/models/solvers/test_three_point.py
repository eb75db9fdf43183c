"""The poses of three points: all that OpenCV finds, exact, and with few digits lost."""

import cv2
import numba
import numpy as np
import pytest
from synthetic import rotation

from cvscore.models.solvers.three_point import absolute_poses_3pt

NUM_SAMPLES = 30 if numba.config.DISABLE_JIT else 4000


class Samples:
    """Three points a sample in cameras of their own, K the identity."""

    def __init__(self, X, R, t):
        self.X, self.R, self.t = X, R, t  # (B, 3, 3), (B, 3, 3), (B, 3)
        P = np.einsum("bij,bnj->bni", R, X) + t[:, None]
        self.x = P[..., :2] / P[..., 2:]
        self.is_seen = (P[..., 2] > 0.0).all(axis=1)

    def solve(self, b):
        points = np.ascontiguousarray(np.hstack([self.x[b], self.X[b]]).T)
        return absolute_poses_3pt(points, np.array([[0, 1, 2]]), np.eye(3))

    def error(self, b):
        """Of the best of the poses, in entries of R and parts of the depth."""
        truth = np.column_stack([self.R[b], self.t[b]])
        truth[:, 3] /= self.t[b, 2]
        poses = self.solve(b)
        poses[:, :, 3] /= self.t[b, 2]
        return np.abs(poses - truth).max(axis=(1, 2)).min(initial=np.inf)


def general(rng, num, *, stretch=(1.0, 1.0, 1.0), distance=(2.5, 6.0), unit=1.0):
    X = rng.uniform(-1, 1, (num, 3, 3)) * stretch
    R = np.array([rotation(rng.normal(0, 1, 3)) for _ in range(num)])
    t = np.column_stack([rng.uniform(-1, 1, (num, 2)), rng.uniform(*distance, num)])
    return Samples(unit * X, R, unit * t)


def violation(pose, x, X):
    """How far a pose is from a rotation, and from showing X at x."""
    P = X @ pose[:, :3].T + pose[:, 3]
    assert (P[:, 2] > 0.0).all()
    off = np.abs(P[:, :2] / P[:, 2:] - x).max()
    R = pose[:, :3]
    assert np.linalg.det(R) > 0.0
    return max(off, np.abs(R @ R.T - np.eye(3)).max())


def test_the_truth_is_among_the_poses(rng):
    samples = general(rng, NUM_SAMPLES)
    errors = np.array([samples.error(b) for b in range(NUM_SAMPLES)])
    # The worst of thousands are next to a double solution.
    assert np.median(errors) < 1e-13
    assert errors.max() < 1e-6


@pytest.mark.parametrize(
    "choices",
    [
        {"stretch": (1.0, 1.0, 1e-3)},  # flat scenes
        {"stretch": (1.0, 0.02, 0.02)},  # thin triangles
        {"distance": (80.0, 100.0)},  # narrow fields of view
        {"unit": 1e-8},
        {"unit": 1e8},
    ],
    ids=str,
)
def test_the_truth_is_found_in_awkward_samples(choices, rng):
    samples = general(rng, NUM_SAMPLES, **choices)
    seen = np.flatnonzero(samples.is_seen)
    errors = np.array([samples.error(b) for b in seen])
    assert np.median(errors) < 1e-8
    assert (errors < 1e-4).mean() > 0.995


def test_symmetric_triangles(rng):
    """Both conics are pairs of lines already where all sides and rays are alike."""
    angles = 2.0 * np.pi * np.arange(3) / 3.0
    X = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(3)])[None]
    for distance in (1.0, 2.0, 5.0, 50.0):
        samples = Samples(X, np.eye(3)[None], np.array([[0.0, 0.0, distance]]))
        assert samples.error(0) < 1e-7


def test_every_pose_fits_exactly(rng):
    samples = general(rng, NUM_SAMPLES // 2)
    for b in range(NUM_SAMPLES // 2):
        for pose in samples.solve(b):
            assert violation(pose, samples.x[b], samples.X[b]) < 1e-8


def test_every_pose_of_opencv_is_found(rng):
    """Random image points, not those of any pose."""
    num_ours = num_theirs = num_missed = 0
    for _ in range(NUM_SAMPLES):
        X, x = rng.uniform(-1, 1, (3, 3)), rng.uniform(-0.5, 0.5, (3, 2))
        points = np.ascontiguousarray(np.hstack([x, X]).T)
        ours = absolute_poses_3pt(points, np.array([[0, 1, 2]]), np.eye(3))
        num_ours += len(ours)
        _, rvecs, tvecs = cv2.solveP3P(X, x, np.eye(3), None, cv2.SOLVEPNP_P3P)
        for rvec, t in zip(rvecs, tvecs, strict=True):
            pose = np.column_stack([cv2.Rodrigues(rvec)[0], t])
            P = X @ pose[:, :3].T + pose[:, 3]
            if not (P[:, 2] > 0.0).all() or violation(pose, x, X) > 1e-6:
                continue  # OpenCV also gives poses that do not fit, and NaN
            num_theirs += 1
            off = np.abs(ours - pose).max(axis=(1, 2)).min(initial=np.inf)
            num_missed += off > 1e-4 * max(1.0, np.abs(pose).max())
    assert num_missed <= 1e-3 * num_theirs
    assert num_ours >= num_theirs - num_missed


def test_batches_are_samples_one_by_one(rng):
    samples = general(rng, 40)
    points = np.vstack([samples.x.reshape(-1, 2).T, samples.X.reshape(-1, 3).T])
    indices = np.arange(120).reshape(40, 3)
    together = absolute_poses_3pt(np.ascontiguousarray(points), indices, np.eye(3))
    apart = np.concatenate([samples.solve(b) for b in range(40)])
    np.testing.assert_array_equal(together, apart)


def test_points_on_a_line_or_in_one_place_have_no_pose(rng):
    X = np.outer([0.0, 1.0, 3.0], [1.0, 2.0, 0.5])
    for scene in (X, np.zeros((3, 3)), X[[0, 0, 1]]):
        points = np.ascontiguousarray(
            np.hstack([rng.uniform(-0.5, 0.5, (3, 2)), scene]).T
        )
        found = absolute_poses_3pt(points, np.array([[0, 1, 2]]), np.eye(3))
        assert len(found) == 0
    points[:2] = 0.1  # one image point for all
    points[2:] = rng.normal(size=(3, 3))
    assert len(absolute_poses_3pt(points, np.array([[0, 1, 2]]), np.eye(3))) == 0
