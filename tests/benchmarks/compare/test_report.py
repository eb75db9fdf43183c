"""Targets, tables and pages, from boards made up."""

import math

import numpy as np
import pytest

from benchmarks.compare import report, tables, targets
from benchmarks.compare.board import Board


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
    text = tables.check_lists(checks)
    won = text.split("**Targets missed")[0]
    lost = text.split("**Targets missed")[1]
    # 75 against 25 at the default, level with the peer's best threshold.
    assert "points over every peer's default | 50.00 | >= 10" in won
    assert "points over every peer at any threshold | 0.00 | >= 5" in lost
    table = tables.by_regime(board, lambda r, m: board.auc(r, m, 10.0), ".1f")
    assert "| cvscore | 75.0 | 75.0 | 75.0 |" in table
    assert "| peer | 25.0 | 25.0 | 25.0 |" in table
    assert "75.0 x3" in tables.best_thresholds(board, 10.0)


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


def test_commits_are_told_method_by_method():
    board = fake_board(np.array([0.0, 5.0]), np.array([5.0, math.inf]))
    board.runs = {"r": {"commit": "abc"}, "s": {"commit": "def+"}}
    board.sources = {"cvscore": {"r"}, "peer": {"r", "s"}}
    assert "- cvscore: abc\n- peer: abc, def+" in tables.commits(board)
    assert "rows of cvscore: abc; of the others: 2 commits" in tables.origin([board])
