"""The values of a hyper-parameter at which every pair is scored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvscore.types import Array

NUM_POINTS = 200  # of a grid
DECADES = 2.0  # that a grid spans


@dataclass(frozen=True)
class Grid:
    """Log-spaced values from ``low`` to ``high``, pixels."""

    low: float
    high: float
    num: int

    @classmethod
    def around(cls, anchor: float, num: int = NUM_POINTS) -> Grid:
        """Return the grid over two decades with the anchor in the middle."""
        half = 10.0 ** (0.5 * DECADES)
        return cls(anchor / half, anchor * half, num)

    @property
    def values(self) -> Array:
        """(num,) ascending."""
        return np.geomspace(self.low, self.high, self.num)
