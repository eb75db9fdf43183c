"""The tables of docs/paper.md are those of the committed rows."""

from benchmarks.compare.report import BEGIN, END
from benchmarks.methods import SCORES
from benchmarks.paper.small import (
    PAGE,
    ROWS,
    claims_table,
    command_of,
    scores_table,
)
from benchmarks.store import read_rows


def between(name):
    _, _, rest = PAGE.read_text().partition(BEGIN.format(name))
    return rest.partition(END.format(name))[0].strip()


def test_the_page_shows_the_committed_rows():
    rows = list(read_rows(ROWS))
    assert between("paper, scores") == f"{command_of(rows)}\n\n{scores_table(rows)}"
    assert between("paper, claims") == claims_table(rows)


def test_a_changed_row_changes_the_table():
    rows = list(read_rows(ROWS))
    before = scores_table(rows)
    rows[1]["span"] += 1.0
    assert scores_table(rows) != before


def test_every_dataset_has_every_score_with_several_seeds():
    rows = [row for row in read_rows(ROWS) if "score" in row]
    for dataset in ("HEB", "PhotoTourism", "ETH3D"):
        for score in SCORES:
            found = [r for r in rows if (r["dataset"], r["score"]) == (dataset, score)]
            assert len({row["seed"] for row in found}) >= 3
