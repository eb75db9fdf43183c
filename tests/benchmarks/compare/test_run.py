"""Runs: the schema of their rows, and how they are resumed."""

import json
import math

from conftest import needs_shared_data
from processes import run_python

from benchmarks.compare import run
from benchmarks.compare.board import load_board
from benchmarks.compare.report import synthetic_report
from benchmarks.compare.rows import make_row, path_of, read_table, results_of
from benchmarks.data.splits import pair_ids
from benchmarks.methods import METHODS, Method
from benchmarks.store import Writer


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
    "methods": ["oracle", "cv2 USAC_MAGSAC", "cv2 RANSAC"],
    "multipliers": [1.0, 3.0],
    "budget": run.Budget(),
    "workers": 1,
}


def run_quickly(out, num=4, **changes):
    ids = pair_ids("H", "small", "val", num)
    settings = {**QUICK_RUN, "ids": ids, "out": out, **changes}
    run.run_regime(
        settings.pop("problem"),
        settings.pop("regime"),
        settings.pop("split"),
        **settings,
    )
    return path_of(out, "val", "H", "small")


def errors_in(path):
    return {key: result.error for key, result in read_table(path).results.items()}


def test_rows_have_their_schema(tmp_path):
    path = run_quickly(tmp_path)
    check_schema(path)
    table = read_table(path)
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
    before = read_table(path)
    run_quickly(tmp_path, redo=["cv2 RANSAC"])
    after = read_table(path)
    assert before.results.keys() == after.results.keys()
    assert len(path.read_text().splitlines()) == 1 + 4 * 3 + 4


def test_two_workers_give_the_same_errors(tmp_path):
    one = run_quickly(tmp_path / "one")
    two = run_quickly(tmp_path / "two", workers=2)
    assert errors_in(one) == errors_in(two)
    assert [run_["workers"] for run_ in read_table(two).runs.values()] == [2]


def test_a_failing_method_counts_as_infinite(tmp_path, monkeypatch):
    silent = Method("silent", "numpy", "numpy", lambda *_: None, {"H": 1.0})
    monkeypatch.setitem(METHODS, "silent", silent)
    path = run_quickly(tmp_path, methods=["silent"])
    assert set(errors_in(path).values()) == {math.inf}


def test_smoke_command_runs(tmp_path):
    command = ["-m", "benchmarks", "compare", "--smoke", "--problem", "H"]
    command += ["--methods", "oracle", "cv2 USAC_FAST", "--out", tmp_path]
    run_python(*command)
    board = load_board(tmp_path, "test", "H", ["easy", "small"])
    assert board.regimes == ["easy", "small"]
    assert board.num_pairs("easy") == 5
    assert "oracle" in synthetic_report(board)


def test_failures_are_stored_as_null_and_read_as_infinite(tmp_path):
    row = make_row("0", "oracle", "r", [(1.0, math.inf, 2.0)])
    assert row["error"] == [None]
    assert next(iter(results_of(row)))[1].error == math.inf
    Writer(tmp_path / "x.jsonl").append(row)
    assert read_table(tmp_path / "x.jsonl").results[("0", "oracle", 1.0)].ms == 2.0


@needs_shared_data
def test_real_pairs_run_like_the_others(tmp_path):
    regime = "hpatches-0.85"
    command = f"--problem H --regimes {regime} --num 2".split()
    run.main_real([*command, "--methods", "cv2 USAC_MAGSAC", "--out", str(tmp_path)])
    path = path_of(tmp_path, "real", "H", regime)
    results = read_table(path).results
    assert len(results) == 2 * len(run.MULTIPLIERS)
    assert max(result.error for result in results.values()) < 10
