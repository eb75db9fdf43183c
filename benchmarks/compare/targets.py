"""What the comparison must show, as checks with their figures, met or missed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.compare.board import DEFAULT, OURS, Board
from benchmarks.problems import PROBLEMS
from benchmarks.protocols.accuracy import paired_difference

SLACK = 1.0  # points behind the best peer at its best threshold
MIXED_LEAD = 5.0  # points ahead of every peer at any one threshold
COARSE_LEAD = 10.0  # points ahead of every peer's default with noise of 10 px
PLANE_SLACK = 2.0  # points behind the best peer on a dominant plane
MEDIAN_RATIO = 1.1  # of the best peer's median error, easy and typical


@dataclass(frozen=True)
class Check:
    """One target: where, what was measured against what, and whether it holds."""

    problem: str
    regime: str
    what: str
    ours: float
    needed: float
    at_least: bool = True  # False: at most
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether the measured figure meets the target."""
        if self.at_least:
            return self.ours >= self.needed
        return self.ours <= self.needed


def _lead(board: Board, regime: str, column: tuple[str, float]) -> tuple[float, str]:
    """Points of ours over a column, and who it is with the paired interval."""
    ours = board.errors[regime][(OURS, DEFAULT)]
    difference, low, high = paired_difference(
        ours, board.errors[regime][column], board.limit
    )
    return difference, f"{column[0]} x{column[1]:g}, {low:+.1f} to {high:+.1f}"


def accuracy_checks(board: Board) -> Iterator[Check]:
    """Point 2 of the targets on the synthetic regimes."""
    wanted = PROBLEMS[board.problem].wanted
    if wanted:
        for regime in (r for r in board.compared if r in wanted):
            ours = board.auc(regime, OURS, board.limit)
            what = f"AUC@{board.limit:g}"
            yield Check(board.problem, regime, what, ours, wanted[regime])
        return
    for regime in board.compared:
        slack = SLACK
        if (board.problem, regime) == ("F", "planar"):
            slack = PLANE_SLACK
        best = board.best_column(regime, board.peers, board.limit)
        lead, note = _lead(board, regime, best)
        what = "points over the best peer at its best threshold"
        yield Check(board.problem, regime, what, lead, -slack, note=note)
        default = board.best_default(regime, board.peers, board.limit)
        if regime == "mixed":
            what = "points over every peer at any threshold"
            yield Check(board.problem, regime, what, lead, MIXED_LEAD, note=note)
        if board.problem != "H" and regime in ("sig3", "sig10"):
            lead, note = _lead(board, regime, default)
            needed = 0.0 if regime == "sig3" else COARSE_LEAD
            what = "points over every peer's default"
            yield Check(board.problem, regime, what, lead, needed, note=note)
        if regime in ("easy", "typical"):
            yield _median_check(board, regime)
    if {"dup", "dedup"} <= set(board.compared):
        yield _duplicates_check(board)


def _median_check(board: Board, regime: str) -> Check:
    """Median error against the least of any peer at any threshold."""
    columns = [c for c in board.errors[regime] if c[0] in board.peers]
    best = min(columns, key=lambda c: board.median(regime, *c))
    ratio = board.median(regime, OURS) / board.median(regime, *best)
    what = "median error over the best peer's at any threshold"
    note = f"{best[0]} x{best[1]:g}"
    return Check(
        board.problem, regime, what, ratio, MEDIAN_RATIO, at_least=False, note=note
    )


def _duplicates_check(board: Board) -> Check:
    """Cost of exact copies: the same problems with them and without."""
    cost = board.auc("dup", OURS, board.limit) - board.auc("dedup", OURS, board.limit)
    what = "points over the same problems without copies"
    return Check(board.problem, "dup", what, cost, -SLACK)


def speed_checks(board: Board, regime: str = "typical") -> Iterator[Check]:
    """Point 4: time against the pace makers."""
    if regime not in board.compared:
        return
    ours = board.time(regime, OURS)
    for name, needed in PROBLEMS[board.problem].paces.items():
        if name in board.methods:
            what = f"times the time of {name}"
            ratio = ours / board.time(regime, name)
            yield Check(board.problem, regime, what, ratio, needed, at_least=False)


def real_checks(board: Board, limits: tuple[float, ...]) -> Iterator[Check]:
    """Real pairs: ahead of all defaults, near the best threshold, for each limit."""
    for regime in board.compared:
        for limit in limits:
            ours = board.auc(regime, OURS, limit)
            method, _ = board.best_default(regime, board.peers, limit)
            lead = ours - board.auc(regime, method, limit)
            what = f"points of AUC@{limit:g} over every peer's default"
            yield Check(board.problem, regime, what, lead, 0.0, note=method)
            best = board.best_column(regime, board.peers, limit)
            lead = ours - board.auc(regime, best[0], limit, best[1])
            what = f"points of AUC@{limit:g} over the best peer at its best threshold"
            note = f"{best[0]} x{best[1]:g}"
            yield Check(board.problem, regime, what, lead, -SLACK, note=note)
