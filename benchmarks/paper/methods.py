"""The methods that are compared, their one hyper-parameter, and its grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvscore.types import Array

BASELINES = ("RANSAC", "MSAC", "GaU", "MAGSAC++")  # hyper-parameter: a threshold, px
MARGINAL = ("Jeffreys", "IG-Robust", "IG-MLE")  # hyper-parameter: a half-width, px
METHODS = BASELINES + MARGINAL
ORACLE = "oracle"

NUM_POINTS = 200  # of a grid
NUM_COARSE = 41  # of the search for the anchor
DECADES = 2.0  # that a grid spans
# Where the search for an anchor begins, pixels: the middle of its two decades.  Inliers
# miss by about a pixel; outliers by anything from ten pixels to a whole image.
START = {**dict.fromkeys(BASELINES, 1.0), **dict.fromkeys(MARGINAL, 100.0)}
# Beyond 8 decades nothing has a meaning any more.
MAX_EXTENSIONS = 3


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
