"""The anchor of a method: the hyper-parameter with the least error, found coarsely.

The search covers two decades; while the least error is at an end of what was searched,
two decades more are added there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from benchmarks.methods import SCORES
from benchmarks.paper.grid import DECADES, Grid
from cvscore.types import Array

NUM_COARSE = 41  # points of a grid
# Beyond 8 decades nothing has a meaning any more.
MAX_EXTENSIONS = 3


def middle_of_best(curve: Array) -> int:
    """Return the middle one of the places where a curve is least.

    Errors are steps of the hyper-parameter; the first place would favour small values.
    """
    best = np.flatnonzero(curve <= curve.min())
    return int(best[len(best) // 2])


def first_grid(method: str) -> Grid:
    """Return where the search of a method begins."""
    return Grid.around(SCORES[method].start, NUM_COARSE)


@dataclass
class AnchorSearch:
    """One method's search: feed it the error at each grid that it asks for."""

    method: str
    values: Array = field(default_factory=lambda: np.empty(0))
    curve: Array = field(default_factory=lambda: np.empty(0))
    num_extensions: int = 0

    @property
    def anchor(self) -> float:
        """The best value so far, pixels."""
        return float(self.values[middle_of_best(self.curve)])

    def next_grid(self) -> Grid | None:
        """Where to look next; None when the search is over."""
        if not len(self.values):
            return first_grid(self.method)
        at = middle_of_best(self.curve)
        inside = 0 < at < len(self.curve) - 1
        if inside or self.num_extensions >= MAX_EXTENSIONS:
            return None
        more = 10.0**DECADES
        low, high = self.values[0], self.values[-1]
        if at == 0:
            return Grid(low / more, low, NUM_COARSE)
        return Grid(high, high * more, NUM_COARSE)

    def absorb(self, grid: Grid, curve: Array) -> None:
        """Take in the errors (num,) at a grid."""
        self.num_extensions += len(self.values) > 0
        values = np.concatenate([self.values, grid.values])
        _, first = np.unique(np.round(np.log10(values), 9), return_index=True)
        self.values = values[first]
        self.curve = np.concatenate([self.curve, curve])[first]


def search_anchor(method: str, error_at: Callable[[Array], Array]) -> float:
    """Search with a function from values (G,) to errors (G,)."""
    search = AnchorSearch(method)
    while (grid := search.next_grid()) is not None:
        search.absorb(grid, error_at(grid.values))
    return search.anchor
