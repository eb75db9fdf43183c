"""GaU and MAGSAC++ at every threshold: one histogram a model, one matrix product.

Both are sums over the residuals of a smooth function of r/tau.  A residual is shared
between the four nearest nodes of a logarithmic grid with the weights of the cubic
through them; the sums at all thresholds are then the histogram times the table of the
function at the nodes.  That is accurate to a known bound, and within that bound of the
best the few candidates are evaluated by the definition, so that the winner is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.methods import SCORES
from cvscore._numba.compile import kernel
from cvscore.types import Array

SMOOTH = {name: SCORES[name].at_threshold for name in ("GaU", "MAGSAC++")}
NODES_PER_DECADE = 80
# In units of the smallest threshold: below it a residual counts as much as none.
LOWEST = 1e-3
# In units of the largest threshold: GaU has fallen to exp(-40), MAGSAC++ to zero.
HIGHEST = 4.0
# Where the interpolation is compared with the function to bound its error, per cell.
PROBES = 8


@dataclass(frozen=True)
class Table:
    """Nodes of the grid and the values of both functions there.

    Attributes
    ----------
    log_lowest, step : float
        Of the grid in log(r): the first node and the distance of two.
    values : (B, 2 G)
        At the nodes for every threshold of GaU, then of MAGSAC++.
    bound : (2 G,)
        On the error per residual at each threshold.
    """

    log_lowest: float
    step: float
    values: Array
    bound: Array


@lru_cache(maxsize=4)
def make_table(
    gau: tuple[float, ...], magsac: tuple[float, ...], dim: int, num_params: int
) -> Table:
    """Tabulate both functions for two grids of thresholds in pixels."""
    low = LOWEST * min(*gau, *magsac)
    high = HIGHEST * max(*gau, *magsac)
    step = math.log(10.0) / NODES_PER_DECADE
    num_nodes = math.ceil(math.log(high / low) / step) + 4
    nodes = math.log(low) + step * np.arange(num_nodes)
    probes = math.log(low) + step * np.arange(0, num_nodes - 3, 1.0 / PROBES)
    at_nodes = _values(np.exp(2.0 * nodes), gau, magsac, dim, num_params)
    at_probes = _values(np.exp(2.0 * probes), gau, magsac, dim, num_params)
    shares = np.zeros((len(probes), num_nodes))
    _share(np.exp(2.0 * probes)[:, None], math.log(low), step, shares)
    error = np.abs(shares @ at_nodes - at_probes).max(axis=0)
    at_zero = _values(np.zeros(1), gau, magsac, dim, num_params)[0]
    # Between probes the error may be a little larger than at them.
    bound = 1.5 * error + np.abs(at_zero - at_nodes[0])
    return Table(math.log(low), step, at_nodes, bound)


def _values(
    squares: Array,
    gau: tuple[float, ...],
    magsac: tuple[float, ...],
    dim: int,
    num_params: int,
) -> Array:
    """Score of single residuals: (B,) squares to (B, 2 G)."""
    scores = [SMOOTH["GaU"](tau) for tau in gau]
    scores += [SMOOTH["MAGSAC++"](tau) for tau in magsac]
    rows = squares[:, None]
    return np.column_stack([s.evaluate(rows, dim, num_params) for s in scores])


@kernel
def _share(sq_residuals, log_lowest, step, shares):
    """Add each residual of (K, N) to four nodes of its row of (K, B)."""
    num_models, num_points = sq_residuals.shape
    num_nodes = shares.shape[1]
    lowest = math.exp(2.0 * log_lowest)
    highest = math.exp(2.0 * (log_lowest + step * (num_nodes - 2.5)))
    for row in range(num_models):
        for i in range(num_points):
            q = sq_residuals[row, i]
            if not q < highest:
                continue  # worth nothing at any threshold, as most of a bad model's
            if q <= lowest:
                shares[row, 0] += 1.0
                continue
            place = (0.5 * math.log(q) - log_lowest) / step
            node = max(int(place), 1)
            t = place - node
            u, v, w = t + 1.0, t - 1.0, t - 2.0
            shares[row, node - 1] -= t * v * w / 6.0
            shares[row, node] += 0.5 * u * v * w
            shares[row, node + 1] -= 0.5 * u * t * w
            shares[row, node + 2] += u * t * v / 6.0


class TableSweep:
    """Scores of a pool at all thresholds of GaU and of MAGSAC++.

    Parameters
    ----------
    num_models : int
        In the pool.
    thresholds : dict
        Pixels (G,) for "GaU" and "MAGSAC++", ascending.
    dim, num_params : int
        Of the model.
    """

    def __init__(
        self, num_models: int, thresholds: dict[str, Array], dim: int, num_params: int
    ) -> None:
        self._thresholds = [thresholds[name] for name in SMOOTH]
        grids = [tuple(grid.tolist()) for grid in self._thresholds]
        self._counts = dim, num_params
        self._table = make_table(grids[0], grids[1], dim, num_params)
        self._scores = np.empty((num_models, self._table.values.shape[1]))

    def absorb(self, sq_residuals: Array, first: int) -> None:
        """Take in the residuals (K, N) of models numbered from ``first``."""
        table = self._table
        shares = np.zeros((len(sq_residuals), len(table.values)))
        _share(sq_residuals, table.log_lowest, table.step, shares)
        self._scores[first : first + len(shares)] = shares @ table.values

    def candidates(self, num_points: int) -> NDArray[np.bool_]:
        """Which models (K, 2 G) may be the best at which threshold."""
        slack = 2.0 * num_points * self._table.bound
        return self._scores >= self._scores.max(axis=0) - slack

    def winners(self, residuals_of, num_points: int) -> NDArray[np.int64]:
        """The best models (2, G); the first of equals.

        Parameters
        ----------
        residuals_of : callable
            From an array of model numbers (M,) to their squared residuals (M, N).
        num_points : int
            N.
        """
        maybe = self.candidates(num_points)
        winners = maybe.argmax(axis=0)
        open_columns = np.flatnonzero(maybe.sum(axis=0) > 1)
        needed = np.flatnonzero(maybe[:, open_columns].any(axis=1))
        sq_residuals = residuals_of(needed)
        num_thresholds = len(self._thresholds[0])
        names = list(SMOOTH)
        for column in open_columns:
            which, g = divmod(int(column), num_thresholds)
            rows = np.flatnonzero(maybe[needed, column])
            score = SMOOTH[names[which]](self._thresholds[which][g])
            exact = score.evaluate(sq_residuals[rows], *self._counts)
            winners[column] = needed[rows[np.argmax(exact)]]
        return winners.reshape(2, num_thresholds)
