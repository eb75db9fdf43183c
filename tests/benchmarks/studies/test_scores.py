"""Score or loop: the page shows its committed rows, and the command runs small."""

from conftest import ROOT

from benchmarks.__main__ import main
from benchmarks.compare.report import BEGIN, END
from benchmarks.folders import RESULTS
from benchmarks.methods.scores import BASELINES
from benchmarks.studies.score_tables import load_panels, scores_table, shares_table
from benchmarks.studies.scores import PAGE, PICTURE, ROWS, THRESHOLDS


def between(name):
    _, _, rest = PAGE.read_text().partition(BEGIN.format(name))
    return rest.partition(END.format(name))[0].strip()


def test_the_page_shows_the_committed_rows():
    panels = load_panels(ROWS)
    assert [(p.problem, p.split) for p in panels] == [
        (problem, split) for problem in "EFH" for split in ("test", "real")
    ]
    assert between("scores") == scores_table(panels)
    assert between("shares") == shares_table(panels, RESULTS)


def test_every_score_ran_at_every_threshold():
    assert max(THRESHOLDS) / min(THRESHOLDS) >= 100
    for panel in load_panels(ROWS):
        for score in BASELINES:
            assert panel.thresholds(score) == list(THRESHOLDS)


def test_the_figure_is_light_and_not_large():
    import cv2

    picture = cv2.imread(str(PICTURE))
    assert picture[:5, :5].min() == 255
    assert PICTURE.stat().st_size < 200_000
    assert PICTURE.is_relative_to(ROOT / "docs")


def test_a_small_run_goes_on_where_it_stopped(tmp_path, capsys):
    words = ["scores", "--smoke", "--problem", "H", "--out", str(tmp_path)]
    assert main(words) == 0
    first = capsys.readouterr().out
    rows = (tmp_path / "test-H-easy.jsonl").read_text()
    assert main(words) == 0
    assert capsys.readouterr().out == first
    assert (tmp_path / "test-H-easy.jsonl").read_text() == rows
    assert "| MAGSAC++ |" in first
    assert f"wrote {tmp_path / 'scores.png'}" in first
    assert "next: " in first
