"""The committed rows behind the table of COLMAP databases, and that it shows them."""

import pytest
from conftest import ROOT

pytest.importorskip("pycolmap")

from benchmarks.colmap import COMMITTED, METHODS, read_rows, table


def test_the_page_shows_the_committed_rows():
    rows = read_rows(ROOT / COMMITTED)
    assert {row["method"] for row in rows} == set(METHODS)
    assert table(rows) in (ROOT / "benchmarks" / "README.md").read_text()
