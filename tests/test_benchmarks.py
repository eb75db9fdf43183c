"""The benchmark's own laws: problems, errors, rows, resumption, arithmetic."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from conftest import ROOT, needs_shared_data

from benchmarks import real, report, run, store, suites, synthetic, targets
from benchmarks.accuracy import auc, mean_average_accuracy, paired_difference
from benchmarks.board import Board, load_board
from benchmarks.data import Fit, Pose
from benchmarks.methods import METHODS, Method, Settings, available, oracle
from benchmarks.protocols import error_of
from benchmarks.protocols.homography import apply_homography
from benchmarks.protocols.relative_pose import (
    direction_angle,
    normalised,
    rotation_angle,
)

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


@pytest.mark.parametrize(("problem", "regime"), ALL)
def test_problems_lie_in_their_regime(problem, regime):
    spec = synthetic.REGIMES[regime]
    for index in range(3):
        pair = synthetic.generate(problem, regime, index)
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
def test_inliers_have_the_stated_noise(problem, sigma):
    squares = [
        residuals(pair, pair.is_inlier).ravel() ** 2
        for index in range(8)
        for pair in [synthetic.generate(problem, f"sig{sigma:g}", index)]
    ]
    squares = np.concatenate(squares) / sigma**2
    # A chi-square mean: five standard deviations, and the curvature at 10 px.
    tolerance = 5 * math.sqrt(2 / len(squares)) + 0.02 * (sigma == 10)
    assert abs(squares.mean() - 1) < tolerance


@pytest.mark.parametrize(("problem", "regime"), [("E", "easy"), ("F", "struct")])
def test_truth_is_a_pose_of_the_model(problem, regime):
    pair = synthetic.generate(problem, regime, 0)
    t = pair.truth.t / np.linalg.norm(pair.truth.t)
    E = np.cross(np.eye(3), t) @ pair.truth.R
    if problem == "F":
        E = np.linalg.inv(pair.K2).T @ E @ np.linalg.inv(pair.K1)
    cosine = np.sum(E * pair.model) / np.linalg.norm(E) / np.linalg.norm(pair.model)
    assert abs(abs(cosine) - 1) < 1e-12


@pytest.mark.parametrize("problem", "EFH")
def test_outliers_are_outliers_on_the_whole(problem):
    pair = synthetic.generate(problem, "typical", 1)
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
def test_planar_inliers_are_mostly_on_one_plane(problem):
    pair = synthetic.generate(problem, "planar", 2)
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


# Figures


def test_auc_is_the_area_under_the_recall_curve(rng):
    errors = np.append(rng.exponential(5.0, size=200), [math.inf] * 5)
    grid = np.linspace(0, 10, 200_001)
    recall = np.searchsorted(np.sort(errors), grid, side="right") / len(errors)
    area = 100 * np.trapezoid(recall, grid) / 10
    assert abs(auc(errors, 10.0) - area) < 1e-3
    assert auc([0.0, math.inf], 10.0) == 50.0


def test_mean_average_accuracy_counts_whole_steps():
    assert mean_average_accuracy([0.5], 10.0) == 100.0
    assert mean_average_accuracy([1.5], 10.0) == 90.0
    assert mean_average_accuracy([math.inf], 10.0) == 0.0


def test_paired_difference_covers_a_known_lead(rng):
    theirs = rng.uniform(0, 10, size=400)
    difference, low, high = paired_difference(theirs - 1.0, theirs, 10.0)
    lead = np.mean(np.maximum(0, 1 - (theirs - 1) / 10) - (1 - theirs / 10)) * 100
    assert abs(difference - lead) < 1e-9
    assert low <= difference <= high
    # The differences are all alike, so pairing must make the interval tight.
    assert high - low < 0.5
    assert paired_difference(theirs, theirs, 10.0) == (0.0, 0.0, 0.0)


def test_checks_know_which_way_a_target_goes():
    above = targets.Check("E", "easy", "", ours=-0.5, needed=-1.0)
    below = targets.Check("E", "easy", "", ours=0.7, needed=0.6, at_least=False)
    assert above.holds
    assert not below.holds


def fake_board(ours, theirs):
    columns = {("cvscore", 1.0): ours, ("peer", 1.0): theirs, ("peer", 3.0): ours}
    errors = {regime: dict(columns) for regime in ("typical", "mixed", "sig10")}
    times = {
        regime: {c: np.full(len(ours), 2.0 if c[0] == "peer" else 1.0) for c in columns}
        for regime in errors
    }
    return Board("E", errors, times)


def test_report_prints_wins_and_losses():
    board = fake_board(np.array([0.0, 5.0]), np.array([5.0, math.inf]))
    checks = list(targets.accuracy_checks(board))
    text = report.check_lists(checks)
    won = text.split("**Targets missed")[0]
    lost = text.split("**Targets missed")[1]
    # 75 against 25 at the default, level with the peer's best threshold.
    assert "points over every peer's default | 50.00 | >= 10" in won
    assert "points over every peer at any threshold | 0.00 | >= 5" in lost
    table = report.by_regime(board, lambda r, m: board.auc(r, m, 10.0), ".1f")
    assert "| cvscore | 75.0 | 75.0 | 75.0 |" in table
    assert "| peer | 25.0 | 25.0 | 25.0 |" in table
    assert "75.0 x3" in report.best_thresholds(board, 10.0)


def test_update_replaces_only_what_is_between_the_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- begin report: test -->old<!-- end report: test -->\nb\n")
    report.update(page, "test", "new")
    report.update(page, "test", "newer")
    text = page.read_text()
    assert text.startswith("a\n")
    assert text.endswith("\nb\n")
    assert "newer" in text
    assert "old" not in text
    with pytest.raises(ValueError, match="marks"):
        report.update(page, "real", "x")


# Rows


def check_schema(path):
    """Assert that every line of a file is a header or a row, and that rows agree."""
    split, problem, regime = path.stem.split("-", 2)
    runs = set()
    for line in path.read_text().splitlines():
        row = json.loads(line)
        if "versions" in row:
            assert (row["split"], row["problem"], row["regime"]) == (
                split,
                problem,
                regime,
            )
            assert row["cpu"]
            assert row["commit"]
            assert row["workers"] >= 1
            assert row["max_iterations"] > 0
            runs.add(row["run"])
            continue
        assert set(row) == {"pair", "method", "run", "multiplier", "error", "ms"}
        assert row["run"] in runs
        assert row["method"] in METHODS
        assert len(row["multiplier"]) == len(row["error"]) == len(row["ms"]) > 0
        assert all(e is None or e >= 0 for e in row["error"])
        assert all(t > 0 for t in row["ms"])


QUICK_RUN = {
    "problem": "H",
    "regime": "small",
    "split": "val",
    "num": 4,
    "methods": ["oracle", "cv2 USAC_MAGSAC", "cv2 RANSAC"],
    "multipliers": [1.0, 3.0],
    "budget": run.Budget(),
    "workers": 1,
}


def run_quickly(out, **changes):
    settings = {**QUICK_RUN, "out": out, **changes}
    run.run_regime(
        settings.pop("problem"),
        settings.pop("regime"),
        settings.pop("split"),
        **settings,
    )
    return store.path_of(out, "val", "H", "small")


def errors_in(path):
    return {key: result.error for key, result in store.read(path).results.items()}


def test_rows_have_their_schema(tmp_path):
    path = run_quickly(tmp_path)
    check_schema(path)
    table = store.read(path)
    assert len(table.runs) == 1
    # Two thresholds for those that have one, one for the oracle.
    assert len(table.results) == 4 * (2 + 2 + 1)


def test_a_second_run_adds_nothing(tmp_path):
    path = run_quickly(tmp_path)
    content = path.read_bytes()
    assert run_quickly(tmp_path).read_bytes() == content


def test_a_run_cut_anywhere_resumes_to_the_same_rows(tmp_path):
    whole = run_quickly(tmp_path / "whole")
    content, expected = whole.read_bytes(), errors_in(whole)
    for share in (0.0, 0.1, 0.5, 0.93, 0.999):
        path = tmp_path / str(share) / whole.name
        path.parent.mkdir()
        path.write_bytes(content[: int(share * len(content))])
        assert run_quickly(path.parent) == path
        check_schema(path)
        assert errors_in(path) == expected


def test_more_methods_and_pairs_extend_a_file(tmp_path):
    run_quickly(tmp_path, methods=["oracle"], num=2)
    path = run_quickly(tmp_path)
    assert errors_in(path) == errors_in(run_quickly(tmp_path / "at once"))


def test_redo_replaces_what_is_read(tmp_path):
    path = run_quickly(tmp_path)
    before = store.read(path)
    run_quickly(tmp_path, redo=["cv2 RANSAC"])
    after = store.read(path)
    assert before.results.keys() == after.results.keys()
    assert len(path.read_text().splitlines()) == 1 + 4 * 3 + 4


def test_two_workers_give_the_same_errors(tmp_path):
    one = run_quickly(tmp_path / "one")
    two = run_quickly(tmp_path / "two", workers=2)
    assert errors_in(one) == errors_in(two)
    assert [run_["workers"] for run_ in store.read(two).runs.values()] == [2]


def test_failures_are_stored_as_null_and_read_as_infinite(tmp_path):
    row = store.make_row("0", "oracle", "r", [(1.0, math.inf, 2.0)])
    assert row["error"] == [None]
    assert next(iter(store.results_of(row)))[1].error == math.inf
    store.Writer(tmp_path / "x.jsonl").append(row)
    assert store.read(tmp_path / "x.jsonl").results[("0", "oracle", 1.0)].ms == 2.0


def test_a_failing_method_counts_as_infinite(tmp_path, monkeypatch):
    silent = Method("silent", "numpy", "numpy", lambda *_: None, {"H": 1.0})
    monkeypatch.setitem(METHODS, "silent", silent)
    path = run_quickly(tmp_path, methods=["silent"])
    assert set(errors_in(path).values()) == {math.inf}


def test_committed_rows_have_their_schema_and_the_readme_says_what_they_say():
    folder = ROOT / "benchmarks" / "results"
    readme = (ROOT / "benchmarks" / "README.md").read_text()
    for path in sorted(folder.glob("*.jsonl")):
        check_schema(path)
    for split in ("test", "real"):
        if list(folder.glob(f"{split}-*.jsonl")):
            assert report.full_report(folder, split) in readme


def test_smoke_command_runs(tmp_path):
    command = [sys.executable, "-m", "benchmarks.run", "--smoke", "--problem", "H"]
    command += ["--methods", "oracle", "cv2 USAC_FAST", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    board = load_board(tmp_path, "test", "H", ["easy", "small"])
    assert board.regimes == ["easy", "small"]
    assert board.num_pairs("easy") == 5
    assert "oracle" in report.synthetic_report(board)


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
    assert np.isfinite(normalised(pair.x1, pair.K1)).all()


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
    check_schema(path)
    assert max(errors_in(path).values()) < 10


def test_threads_are_closed_before_numpy_is_imported():
    code = "import benchmarks, os; print(os.environ['OMP_NUM_THREADS'])"
    environment = {k: v for k, v in os.environ.items() if "_NUM_THREADS" not in k}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(ROOT),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "1"
