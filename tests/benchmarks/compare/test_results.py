"""The committed rows: their schema, and that tables and README show them."""

import json

import pytest
from conftest import ROOT

from benchmarks.compare import plots
from benchmarks.compare.board import load_board
from benchmarks.compare.front import front_table
from benchmarks.compare.report import (
    BEGIN,
    END,
    FRONT,
    PAGES,
    SUMMARISED,
    load,
    page,
    summary,
)
from benchmarks.data.splits import PUBLISHED
from benchmarks.folders import RESULTS, TABLES
from benchmarks.problems import PROBLEMS, TWO_VIEW

FILES = sorted(RESULTS.glob("*.jsonl"))
HEADER = {"run", "commit", "cpu", "python", "versions", "max_iterations", "confidence"}
COLUMN = {"pairs", "method", "runs", "multiplier", "error", "ms"}
MULTIPLIERS = {0.1, 0.33, 1.0, 3.0, 10.0}


def between(path, name):
    text = path.read_text()
    _, _, rest = text.partition(BEGIN.format(name))
    shown, _, _ = rest.partition(END.format(name))
    return shown.strip()


def test_there_are_rows_of_every_problem():
    names = {path.name.split("-")[1] for path in FILES}
    assert names == set(PROBLEMS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_rows_have_the_schema(path):
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    headers = [row for row in rows if "versions" in row]
    columns = [row for row in rows if "versions" not in row]
    runs = {row["run"] for row in headers}
    assert headers
    assert all(row.keys() >= HEADER for row in headers)
    assert all(row["max_iterations"] == 1000 for row in headers)
    for row in columns:
        assert row.keys() == COLUMN
        assert set(row["runs"]) <= runs
        assert row["multiplier"] in MULTIPLIERS
        assert len(row["pairs"]) == len(row["error"]) == len(row["ms"])
        assert len(set(row["pairs"])) == len(row["pairs"])
        assert all(error is None or error >= 0.0 for error in row["error"])
        assert all(ms > 0.0 for ms in row["ms"])
        if path.name.startswith("test"):
            assert len(row["pairs"]) >= 200
    methods = {row["method"] for row in columns}
    problem = path.name.split("-")[1]
    assert methods >= {"cvscore", *PROBLEMS[problem].paces}
    if problem in TWO_VIEW:
        assert methods >= {"cv2 USAC_MAGSAC", "poselib", "pycolmap"}


@pytest.mark.parametrize("split", SUMMARISED)
def test_the_documentation_shows_the_committed_rows(split):
    shown = between(ROOT / "docs" / "benchmarks.md", f"summary, {split}")
    assert shown == summary(load(RESULTS, split), split)


def test_the_readme_shows_the_committed_rows():
    shown = between(ROOT / "README.md", FRONT)
    assert shown == front_table(lambda split: load(RESULTS, split))
    assert max(line.count("|") for line in shown.splitlines()) <= 7  # six columns


def test_every_published_split_has_a_page():
    assert {page.split for page in PAGES.values()} == set(PUBLISHED)


def test_every_file_of_rows_is_on_a_page():
    shown = {(page.split, p) for page in PAGES.values() for p in page.problems}
    assert {tuple(path.stem.split("-")[:2]) for path in FILES} <= shown


@pytest.mark.parametrize("name", PAGES)
def test_the_tables_show_the_committed_rows(name):
    text = (TABLES / f"{name}.md").read_text()
    assert text == page(RESULTS, name)
    first = text.splitlines()[0]
    assert "python -m benchmarks report --write" in first
    split, problems = PAGES[name].split, PAGES[name].problems
    for path in FILES:
        if path.stem.split("-")[:2] not in [[split, problem] for problem in problems]:
            continue
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        commits = {row["run"]: row["commit"] for row in rows if "versions" in row}
        for row in (row for row in rows if row.get("method") == "cvscore"):
            assert all(commits[run] in first for run in row["runs"])


def test_a_method_has_one_colour_in_all_panels():
    plt = pytest.importorskip("matplotlib.pyplot")
    boards = [load_board(RESULTS, "test", p, ["easy", "typical"]) for p in "EFH"]
    figure, axes = plt.subplots(1, 3)
    for panel, board in zip(axes, boards, strict=True):
        plots.draw_times(panel, board, plots.peers_of(boards))
    colours = {}
    for line in (line for panel in axes for line in panel.get_lines()):
        colours.setdefault(line.get_label(), set()).add(line.get_color())
    plt.close(figure)
    assert len(colours) >= 12
    assert all(len(own) == 1 for own in colours.values())
