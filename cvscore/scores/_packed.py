"""The marginal score as kernels with one array of constants: see `ScoreKernels`.

The array holds a few numbers, then the borders of the bins, then the table of terms and
shapes; the kernels read the last two in place.
"""

from __future__ import annotations

import numpy as np

from cvscore._kernel import kernel
from cvscore.scores._bins import NUM_BINS, bin_borders, lowest_bin
from cvscore.scores._partition import best_partition
from cvscore.scores._prefix import best_prefix
from cvscore.scores._preview import preview_scores
from cvscore.types import Array

OFFSET, HALF_WIDTH, LOWEST_BIN, NUM_NUMBERS = 0, 1, 2, 3
NUM_BORDERS = NUM_BINS + 1
TABLE_START = NUM_NUMBERS + NUM_BORDERS


def pack(table: Array, offset: float, half_width: float) -> Array:
    """Return the constants of rows of N residuals; table (N + 1, 2), terms and shapes.

    ``offset`` is added to RSS / 2; ``half_width`` is that of the outliers.
    """
    lowest = lowest_bin(half_width)
    numbers = [offset, half_width, float(lowest)]
    return np.concatenate([numbers, bin_borders(lowest), table.ravel()])


@kernel
def preview(sq_residuals, constants):
    """Guess the order of the scores of (K, N) residuals, (K,)."""
    return preview_scores(sq_residuals, constants[HALF_WIDTH] ** 2)


@kernel
def evaluate(sq_residuals, best, constants):
    """Score (K, N) residuals, (K,); a row that cannot beat ``best`` may be low."""
    scores, _, _ = best_prefix(
        sq_residuals,
        constants[TABLE_START:].reshape(-1, 2),
        constants[OFFSET],
        constants[NUM_NUMBERS:TABLE_START],
        np.int64(constants[LOWEST_BIN]),
        best,
    )
    return scores


@kernel
def partition(row, constants):
    """`best_partition` of one row (N,) of squared residuals."""
    return best_partition(
        row,
        constants[TABLE_START:].reshape(-1, 2),
        constants[OFFSET],
        constants[NUM_NUMBERS:TABLE_START],
        np.int64(constants[LOWEST_BIN]),
    )


@kernel
def assess(row, constants):
    """Score and weights (N,) of one row: the same weight, shape over rate, for all."""
    score, k, rss, largest, _ = partition(row, constants)
    shape = constants[TABLE_START + 2 * k + 1]
    weight = 0.5 * shape / (0.5 * rss + constants[OFFSET])
    weights = np.empty(row.shape[0])
    for i in range(row.shape[0]):
        weights[i] = weight * (row[i] <= largest)  # a branch would be mispredicted
    return score, weights


@kernel
def inliers(row, constants):
    """Return which of the (N,) residuals belong to the maximising prefix."""
    _, _, _, largest, _ = partition(row, constants)
    return row <= largest
