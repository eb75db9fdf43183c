"""The committed rows of COLMAP databases, and that their table shows them."""

from benchmarks.colmap.table import METHODS, colmap_page, read_results, table
from benchmarks.folders import COLMAP_ROWS, RESULTS, TABLES
from benchmarks.store import Writer


def test_the_table_shows_the_committed_rows():
    rows = read_results(RESULTS / COLMAP_ROWS)
    assert {row["method"] for row in rows} == set(METHODS)
    text = (TABLES / "colmap.md").read_text()
    assert text == colmap_page(RESULTS)
    assert table(rows) in text
    assert "python -m benchmarks colmap" in text.splitlines()[0]


def test_a_later_row_of_a_database_and_method_replaces_the_first(tmp_path):
    case = {"scene": "planar", "images": 12, "noise": 2.0, "wrong": 0.3, "seed": 1}
    done = {"global": [12, 0.1], "incremental": [12, 0.1], "threshold": None}
    writer = Writer(tmp_path / COLMAP_ROWS)
    for ms, commit in ((5.0, "old"), (3.0, "new")):
        row = {**case, **done, "method": "cvscore", "ms": ms, "commit": commit}
        writer.append(row)
    assert [row["ms"] for row in read_results(tmp_path / COLMAP_ROWS)] == [3.0]
    first = colmap_page(tmp_path).splitlines()[0]
    assert "cvscore: new;" in first
