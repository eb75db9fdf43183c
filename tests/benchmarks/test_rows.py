"""The benchmark's rows, their resumption, and the figures drawn from them."""

import json
import math
import os

import numpy as np
import pytest
from processes import run_python

from benchmarks import report, run, store, targets
from benchmarks.accuracy import auc, mean_average_accuracy, paired_difference
from benchmarks.archive import columns_of
from benchmarks.board import Board, load_board
from benchmarks.methods import METHODS, Method
from benchmarks.store import Result, Table

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


def test_a_regime_that_peers_have_not_run_yet_has_no_targets():
    board = fake_board(np.array([0.0, 5.0]), np.array([5.0, math.inf]))
    for multiplier in (1.0, 3.0):
        del board.errors["mixed"][("peer", multiplier)]
    checks = [*targets.accuracy_checks(board), *targets.real_checks(board, (10.0,))]
    assert checks
    assert "mixed" not in {check.regime for check in checks}


def test_a_pool_has_all_pairs_of_the_columns_that_all_regimes_have():
    board = fake_board(np.array([0.0, 5.0]), np.array([5.0, math.inf]))
    del board.errors["mixed"][("peer", 3.0)]
    board.pool("all")
    assert board.regimes[-1] == "all"
    assert set(board.errors["all"]) == {("cvscore", 1.0), ("peer", 1.0)}
    assert board.num_pairs("all") == 6
    assert board.auc("all", "cvscore", 10.0) == pytest.approx(75.0)


def test_the_archive_keeps_no_ceiling_that_knows_no_truth():
    table = Table()
    for pair in "ab":
        table.results[(pair, "cvscore", 1.0)] = Result(1.0, 2.0, "run")
        table.results[(pair, "oracle", 1.0)] = Result(math.inf, 0.1, "run")
        table.results[(pair, "peer", 1.0)] = Result(math.inf, 0.1, "run")
    assert [row["method"] for row in columns_of(table)] == ["cvscore", "peer"]
    table.results[("a", "oracle", 1.0)] = Result(0.5, 0.1, "run")
    assert "oracle" in [row["method"] for row in columns_of(table)]


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


def test_smoke_command_runs(tmp_path):
    command = ["-m", "benchmarks.run", "--smoke", "--problem", "H"]
    command += ["--methods", "oracle", "cv2 USAC_FAST", "--out", tmp_path]
    run_python(*command)
    board = load_board(tmp_path, "test", "H", ["easy", "small"])
    assert board.regimes == ["easy", "small"]
    assert board.num_pairs("easy") == 5
    assert "oracle" in report.synthetic_report(board)


def test_threads_are_closed_before_numpy_is_imported():
    code = "import benchmarks, os; print(os.environ['OMP_NUM_THREADS'])"
    unset = {name: None for name in os.environ if "_NUM_THREADS" in name}
    assert run_python("-c", code, **unset).stdout.strip() == "1"
