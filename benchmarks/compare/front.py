"""The README's table: six columns of the committed rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from benchmarks.compare.board import OURS, Board
from benchmarks.compare.tables import default_and_best, markdown

LIMIT = 10.0  # of AUC: degrees for E and F, pixels for H
ALL = "all"  # real pairs of all sets, as one


class Column(NamedTuple):
    """One figure of every method: a split, its problem and its regime."""

    title: str
    split: str
    problem: str
    regime: str


COLUMNS = (
    Column("E, photographs", "real", "E", ALL),
    Column("F, photographs", "real", "F", ALL),
    Column("H, photographs", "real", "H", ALL),
    Column("E, few inliers", "test", "E", "lowinl"),
    Column("E, 10 px noise", "test", "E", "sig10"),
)
# Best known first; all others stand in docs/benchmarks.md.
METHODS = (
    OURS,
    "cv2 RANSAC",
    "cv2 USAC_MAGSAC",
    "kornia",
    "poselib",
    "pycolmap",
    "pysuperansac",
)


def front_table(load: Callable[[str], Sequence[Board]]) -> str:
    """Return the table; ``load`` gives the boards of a split."""
    boards = {
        (split, board.problem): board
        for split in {column.split for column in COLUMNS}
        for board in load(split)
    }

    def cell(method: str, column: Column) -> str:
        board = boards[column.split, column.problem]
        figure = default_and_best(board, column.regime, method, LIMIT)
        return f"**{figure}**" if method == OURS else figure

    rows = [[m, *(cell(m, column) for column in COLUMNS)] for m in METHODS]
    return markdown([f"AUC@{LIMIT:g}", *(column.title for column in COLUMNS)], rows)
