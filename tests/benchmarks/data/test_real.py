"""Real pairs: what is missing is named, and poses and homographies fit."""

import numpy as np
import pytest
from conftest import needs_shared_data

from benchmarks.data import real, splits
from benchmarks.data.pair import Fit, Pose
from benchmarks.data.tutorial import read_entry
from benchmarks.folders import data_root
from benchmarks.methods import oracle
from benchmarks.protocols import error_of
from benchmarks.protocols.homography import apply_homography


def test_missing_data_are_named(monkeypatch, tmp_path):
    monkeypatch.setenv("CVSCORE_DATA", str(tmp_path))
    assert splits.regimes_of("E", "real") == []
    with pytest.raises(FileNotFoundError, match="CVSCORE_DATA"):
        real.pair_ids("E", "reichstag-0.8")


def test_visible_grid_is_visible():
    H = np.array([[1, 0, 30.0], [0, 1, 0], [0, 0, 1]])
    grid = real.visible_grid(H, (100, 80), (100, 80))
    assert grid.points2[:, 0].max() <= 99
    assert grid.points1[:, 0].max() <= 69
    assert np.allclose(apply_homography(H, grid.points1), grid.points2)


@needs_shared_data
@pytest.mark.parametrize("regime", list(real.POSE_SETS))
def test_real_poses_agree_with_the_stored_matrices(regime):
    set_ = real.POSE_SETS[regime]
    folder = data_root() / set_.path
    key = real.pair_ids("E", regime)[0]
    pair = real.load_pair("E", regime, key)
    assert isinstance(pair.truth, Pose)
    t = pair.truth.t / np.linalg.norm(pair.truth.t)
    E = np.cross(np.eye(3), t) @ pair.truth.R
    stored = read_entry(folder / "Egt.h5", key)
    cosine = np.sum(E * stored) / np.linalg.norm(E) / np.linalg.norm(stored)
    assert abs(abs(cosine) - 1) < 1e-5
    # Under a wrong pose about one match in a hundred would be so close to its line.
    F = np.linalg.inv(pair.K2).T @ E @ np.linalg.inv(pair.K1)
    distances = np.abs(oracle.epipolar_residuals(F, pair.x1, pair.x2))
    assert np.mean(distances < 3) > 0.05


@needs_shared_data
@pytest.mark.parametrize("regime", list(real.HOMOGRAPHY_SETS))
def test_real_homographies_fit_their_matches(regime):
    key = real.pair_ids("H", regime)[0]
    pair = real.load_pair("H", regime, key)
    assert error_of(pair, Fit(pair.model, np.ones(len(pair.x1), bool))) < 3
    assert len(pair.truth.points1) > 10
    assert pair.quality.shape == (len(pair.x1),)
