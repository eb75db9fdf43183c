"""Synthetic problems: their regimes, their noise, their truth."""

import math

import cv2
import numpy as np
import pytest
from benchmark_residuals import residuals

from benchmarks.data import synthetic

EPIPOLAR = ("E", "F")
ALL = [(p, r) for p in "EFH" for r in synthetic.regimes_of(p)]


SCENES = pytest.mark.parametrize("split", ["test", "surfaces"])


@SCENES
@pytest.mark.parametrize(("problem", "regime"), ALL)
def test_problems_lie_in_their_regime(problem, regime, split):
    spec = synthetic.REGIMES[regime]
    for index in range(3):
        pair = synthetic.generate(problem, regime, index, split)
        num = len(np.unique(np.hstack([pair.x1, pair.x2]), axis=0))
        low, high = spec.matches
        assert low <= num <= high
        assert pair.x1.shape == pair.x2.shape == (len(pair.quality), 2)
        assert pair.is_inlier.sum() >= synthetic.MIN_INLIERS
        for K, (width, height) in [(pair.K1, pair.size1), (pair.K2, pair.size2)]:
            assert 640 <= width <= 4000
            assert 0.7 <= K[0, 0] / width <= 1.5
            assert 0 < height < width


@pytest.mark.parametrize("problem", "EFH")
@pytest.mark.parametrize("sigma", [0.1, 1.0, 10.0])
@SCENES
def test_inliers_have_the_stated_noise(problem, sigma, split):
    squares = [
        residuals(pair, pair.is_inlier).ravel() ** 2
        for index in range(8)
        for pair in [synthetic.generate(problem, f"sig{sigma:g}", index, split)]
    ]
    squares = np.concatenate(squares) / sigma**2
    # A chi-square mean: five standard deviations, and the curvature at 10 px.
    tolerance = 5 * math.sqrt(2 / len(squares)) + 0.02 * (sigma == 10)
    assert abs(squares.mean() - 1) < tolerance


@pytest.mark.parametrize(("problem", "regime"), [("E", "easy"), ("F", "struct")])
@SCENES
def test_truth_is_a_pose_of_the_model(problem, regime, split):
    pair = synthetic.generate(problem, regime, 0, split)
    t = pair.truth.t / np.linalg.norm(pair.truth.t)
    E = np.cross(np.eye(3), t) @ pair.truth.R
    if problem == "F":
        E = np.linalg.inv(pair.K2).T @ E @ np.linalg.inv(pair.K1)
    cosine = np.sum(E * pair.model) / np.linalg.norm(E) / np.linalg.norm(pair.model)
    assert abs(abs(cosine) - 1) < 1e-12


@pytest.mark.parametrize("problem", "EFH")
@SCENES
def test_outliers_are_outliers_on_the_whole(problem, split):
    pair = synthetic.generate(problem, "typical", 1, split)
    inside = np.linalg.norm(residuals(pair, ~pair.is_inlier), axis=1) < 3
    assert inside.mean() < 0.3


@pytest.mark.parametrize("problem", "EFH")
def test_quality_is_informative_and_noisy(problem):
    pair = synthetic.generate(problem, "large", 0)
    good, bad = pair.quality[pair.is_inlier], pair.quality[~pair.is_inlier]
    better = np.mean(good[:500, None] > bad[None, :500])
    assert 0.6 < better < 0.95


@pytest.mark.parametrize("problem", "EFH")
def test_duplicates_are_copies_of_the_same_problem(problem):
    with_copies = synthetic.generate(problem, "dup", 4)
    without = synthetic.generate(problem, "dedup", 4)
    rows = np.unique(np.hstack([with_copies.x1, with_copies.x2]), axis=0)
    assert np.array_equal(rows, np.unique(np.hstack([without.x1, without.x2]), axis=0))
    assert len(rows) == len(without.x1)
    assert 0.39 < 1 - len(rows) / len(with_copies.x1) < 0.61
    assert np.array_equal(with_copies.model, without.model)


@pytest.mark.parametrize("problem", EPIPOLAR)
@SCENES
def test_planar_inliers_are_mostly_on_one_plane(problem, split):
    pair = synthetic.generate(problem, "planar", 2, split)
    x1, x2 = pair.x1[pair.is_inlier], pair.x2[pair.is_inlier]
    H, mask = cv2.findHomography(x1, x2, cv2.RANSAC, 5.0, maxIters=5000)
    assert H is not None
    assert mask.mean() > 0.6


def test_problems_depend_on_the_seed_alone_and_splits_are_disjoint():
    first = synthetic.generate("H", "typical", 3, "val")
    again = synthetic.generate("H", "typical", 3, "val")
    other = synthetic.generate("H", "typical", 3, "test")
    assert np.array_equal(first.x1, again.x1)
    assert not np.intersect1d(first.x1, other.x1).size
