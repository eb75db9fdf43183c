"""The benchmark's problems, real and made, and the errors of answers to them."""

import math
import re

import cv2
import numba
import numpy as np
import pytest
from conftest import needs_shared_data

from benchmarks import costs, real, run, store, suites, synthetic
from benchmarks.data import PROBLEMS, Fit, Pose
from benchmarks.methods import METHODS, Settings, available, oracle
from benchmarks.protocols import error_of
from benchmarks.protocols.homography import apply_homography
from benchmarks.protocols.relative_pose import direction_angle, rotation_angle

EPIPOLAR = ("E", "F")
# Their answers vary from run to run, and are far off now and then.
WITHOUT_A_SEED = ("pymagsac", "pysuperansac", "vsac")
ALL = [(p, r) for p in "EFH" for r in synthetic.regimes_of(p)]


def residuals(pair, rows):
    """Sampson residuals in pixels of some rows under the true model, (M, d)."""
    x1, x2 = pair.x1[rows], pair.x2[rows]
    if pair.problem == "H":
        return oracle.transfer_residuals(pair.model, x1, x2)
    F = pair.model
    if pair.problem == "E":
        F = np.linalg.inv(pair.K2).T @ pair.model @ np.linalg.inv(pair.K1)
    return oracle.epipolar_residuals(F, x1, x2)[:, None]


# Problems


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


# Errors


@pytest.mark.parametrize("problem", "EFH")
def test_the_truth_has_no_error(problem):
    pair = synthetic.generate(problem, "easy", 0)
    assert error_of(pair, Fit(pair.model, pair.is_inlier)) < 1e-4
    assert error_of(pair, None) == math.inf


def test_rotation_and_direction_angles():
    turn = cv2.Rodrigues(np.array([0.0, 0.0, math.radians(30)]))[0]
    assert abs(rotation_angle(turn) - 30) < 1e-9
    assert abs(rotation_angle(np.eye(3))) < 1e-9
    assert direction_angle(np.array([1.0, 0, 0]), np.array([-2.0, 0, 0])) == 180
    assert (
        abs(direction_angle(np.array([1.0, 0, 0]), np.array([1.0, 1, 0])) - 45) < 1e-9
    )


def test_pose_error_is_the_larger_angle():
    pair = synthetic.generate("E", "easy", 0)
    turn = cv2.Rodrigues(np.array([0.0, math.radians(2), 0.0]))[0]
    t = pair.truth.t / np.linalg.norm(pair.truth.t)
    model = np.cross(np.eye(3), t) @ turn @ pair.truth.R
    assert abs(error_of(pair, Fit(model, pair.is_inlier)) - 2) < 1e-6


def test_transfer_error_of_a_shift_is_its_length():
    pair = synthetic.generate("H", "easy", 0)
    shift = np.array([[1, 0, 3.0], [0, 1, 4.0], [0, 0, 1]])
    assert abs(error_of(pair, Fit(shift @ pair.model, pair.is_inlier)) - 5) < 1e-9


@pytest.mark.parametrize("problem", "EFH")
def test_oracle_is_a_minimum_that_beats_the_truth_on_its_own_matches(problem):
    pair = synthetic.generate(problem, "sig1", 0)
    fit = METHODS["oracle"].run(pair, Settings(0.0))
    at_truth = np.sum(residuals(pair, pair.is_inlier) ** 2)
    fitted = synthetic.replace(pair, model=fit.model)
    at_fit = np.sum(residuals(fitted, pair.is_inlier) ** 2)
    assert at_fit <= at_truth
    # As many degrees of freedom as the model has are absorbed, no more.
    dof = {"E": 5, "F": 7, "H": 8}[problem]
    assert at_truth - at_fit < 8 * dof + 40
    assert error_of(pair, fit) < 3


@pytest.mark.parametrize("problem", "EFH")
def test_every_installed_method_solves_an_easy_problem(problem):
    pair = synthetic.generate(problem, "easy", 7)
    names = [n for n in available(problem) if not n.startswith("cvscore")]
    assert {"oracle", "cv2 USAC_MAGSAC"} <= set(names)
    for name in names:
        method = METHODS[name]
        fit = method.run(pair, Settings(method.thresholds[problem], seed=1))
        assert fit is not None, name
        assert fit.inliers.shape == (len(pair.x1),)
        if name.split()[0] not in WITHOUT_A_SEED:
            assert error_of(pair, fit) < 10, name


# Real pairs


def test_missing_data_are_named(monkeypatch, tmp_path):
    monkeypatch.setenv("CVSCORE_DATA", str(tmp_path))
    assert suites.regimes_of("E", "real") == []
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
    folder = real.data_root() / set_.path
    key = real.pair_ids("E", regime)[0]
    pair = real.load_pair("E", regime, key)
    assert isinstance(pair.truth, Pose)
    t = pair.truth.t / np.linalg.norm(pair.truth.t)
    E = np.cross(np.eye(3), t) @ pair.truth.R
    stored = real._read(folder / "Egt.h5", key)
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


@needs_shared_data
def test_real_pairs_run_like_the_others(tmp_path):
    regime = "hpatches-0.85"
    command = f"--problem H --split real --regimes {regime} --num 2".split()
    run.main([*command, "--methods", "cv2 USAC_MAGSAC", "--out", str(tmp_path)])
    path = store.path_of(tmp_path, "real", "H", regime)
    results = store.read(path).results
    assert len(results) == 2 * len(run.MULTIPLIERS)
    assert max(result.error for result in results.values()) < 10


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="times compiled steps")
def test_costs_are_shares_of_a_call(capsys):
    costs.main(["--num", "2"])
    lines = capsys.readouterr().out.splitlines()
    for problem in PROBLEMS:
        (line,) = (line for line in lines if line.startswith(f"{problem}: "))
        shares = [int(share) for share in re.findall(r"(\d+) %", line)]
        assert 95 <= sum(shares) <= 105
        assert "solver" in line
