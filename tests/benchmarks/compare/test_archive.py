"""What is archived, what replaces it, and what remakes it."""

import json
import math

import pytest

from benchmarks.compare import archive, remake
from benchmarks.compare.archive import columns_of, merged
from benchmarks.compare.rows import Result, Table, make_row, path_of, read_table
from benchmarks.folders import RESULTS
from benchmarks.store import Writer


def test_the_archive_keeps_no_ceiling_that_knows_no_truth():
    table = Table()
    for pair in "ab":
        table.results[(pair, "cvscore", 1.0)] = Result(1.0, 2.0, ("run",))
        table.results[(pair, "oracle", 1.0)] = Result(math.inf, 0.1, ("run",))
        table.results[(pair, "peer", 1.0)] = Result(math.inf, 0.1, ("run",))
    assert [row["method"] for row in columns_of(table)] == ["cvscore", "peer"]
    table.results[("a", "oracle", 1.0)] = Result(0.5, 0.1, ("run",))
    assert "oracle" in [row["method"] for row in columns_of(table)]


def table_of(run, errors, methods=("cvscore", "peer")):
    results = {
        (pair, method, 1.0): Result(error, 2.0, (run,))
        for method in methods
        for pair, error in errors.items()
    }
    return Table({run: {"run": run, "versions": {}, "commit": run}}, results)


def test_only_columns_with_all_pairs_replace_archived_ones():
    old = table_of("old", {"a": 1.0, "b": 2.0})
    whole = table_of("new", {"a": 3.0, "b": 4.0, "c": 5.0}, methods=["cvscore"])
    part = table_of("new", {"a": 9.0}, methods=["peer"])
    whole.update(part)
    rows = {row.get("method"): row for row in columns_of(merged(old, whole))}
    assert rows["cvscore"]["error"] == [3.0, 4.0]
    assert rows["cvscore"]["runs"] == ["new"]
    assert rows["peer"]["error"] == [1.0, 2.0]
    assert rows["peer"]["runs"] == ["old"]
    assert columns_of(merged(Table(), whole))[-1]["pairs"] == ["a", "b", "c"]


def test_archiving_archived_rows_changes_no_byte(tmp_path):
    path = path_of(RESULTS, "test", "E", "small")
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    assert archive.archive("test", RESULTS, tmp_path) > 0
    assert copy.read_bytes() == path.read_bytes()


def small_archive(folder):
    """An archive of two pairs, whose runs nobody knows any more."""
    path = path_of(folder, "test", "H", "small")
    writer = Writer(path)
    writer.append({"run": "old", "versions": {}, "commit": "old"})
    for method in ("cvscore", "cv2 USAC_MAGSAC", "cv2 RANSAC"):
        for pair in ("3", "7"):
            writer.append(make_row(pair, method, "old", [(1.0, 99.0, 9.0)]))
    archive.archive("test", folder, folder, anew=True)
    return path


def test_remake_replaces_the_rows_of_its_methods_on_the_archived_pairs(tmp_path):
    path = small_archive(tmp_path / "results")
    remake.remake(
        ["test"],
        ["cv2 USAC_MAGSAC"],
        source=tmp_path / "out",
        results=tmp_path / "results",
    )
    results = read_table(path).results
    assert {pair for pair, _, _ in results} == {"3", "7"}
    for (_, method, _), result in results.items():
        assert (result.runs == ("old",)) == (method != "cv2 USAC_MAGSAC")
        assert (result.error == 99.0) == (method != "cv2 USAC_MAGSAC")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    headers = {row["run"] for row in rows if "versions" in row}
    assert headers == {run for row in rows if "runs" in row for run in row["runs"]}


def test_remake_says_what_data_are_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("CVSCORE_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match=r"not on this machine: real door-0\.8"):
        remake.remake(["real"], ["cvscore"], source=tmp_path, results=RESULTS)


def test_remake_refuses_a_package_that_no_commit_describes(monkeypatch):
    monkeypatch.setattr(remake, "commit", lambda: "0123456789+")
    with pytest.raises(SystemExit, match="not committed"):
        remake.check_source()
    monkeypatch.setattr(remake.cvscore, "__file__", "/elsewhere/cvscore/__init__.py")
    with pytest.raises(SystemExit, match="not from this checkout"):
        remake.check_source()
