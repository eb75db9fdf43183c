"""The marginal score as kernels with one array of constants: see `ScoreKernels`.

The array holds a few numbers, then the borders of the bins, then the table of terms and
shapes; the kernels read the last two in place.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.scores.residual_bins import NUM_BINS, write_borders
from cvscore.scores.label_prior import log_probability
from cvscore.scores.partition import best_partition
from cvscore.scores.best_prefix import best_prefix
from cvscore.scores.preview import preview_scores
from cvscore.scores.table import write_table

# The numbers: what is added to RSS / 2, the half-width of the outliers, the leading
# bits of the lowest bin, the prior of the variance, constraints per match, parameters
# of the model, and the prior of the labels (zeros without one).
OFFSET, HALF_WIDTH, LOWEST_BIN, ALPHA, BETA, DIM, NUM_PARAMS, LABEL_A, LABEL_B = range(
    9
)
NUM_NUMBERS = 9
TABLE_START = NUM_NUMBERS + NUM_BINS + 1

MAX_EXPONENT = 700.0  # the exponential of 710 is infinite


@brief_kernel
def pack(numbers, num_points):
    """Return the constants for rows of N residuals."""
    constants = np.empty(TABLE_START + 2 * (num_points + 1))
    constants[:NUM_NUMBERS] = numbers
    borders = constants[NUM_NUMBERS:TABLE_START]
    write_borders(np.int64(numbers[LOWEST_BIN]), borders)
    write_table(
        np.int64(numbers[DIM]),
        np.int64(numbers[NUM_PARAMS]),
        numbers[ALPHA],
        math.log(2.0 * numbers[HALF_WIDTH]),
        numbers[LABEL_A],
        numbers[LABEL_B],
        constants[TABLE_START:].reshape(-1, 2),
    )
    return constants


@kernel
def resize(constants, num_points, dim, num_params):
    """Return the constants of the same score for other rows and another model."""
    numbers = constants[:NUM_NUMBERS].copy()
    numbers[DIM] = dim
    numbers[NUM_PARAMS] = num_params
    return pack(numbers, num_points)


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


@kernel
def summarise(row, constants):
    """Return score, noise scale, threshold and evidence of one row (N,)."""
    score, k, rss, largest, beyond = partition(row, constants)
    num_points = row.shape[0]
    dim = constants[DIM]
    log_width = math.log(2.0 * constants[HALF_WIDTH])
    label_a, label_b = constants[LABEL_A], constants[LABEL_B]
    evidence = score + num_points * dim * log_width
    if label_a > 0.0:
        evidence -= log_probability(0, num_points, label_a, label_b)
    if k == 0:
        return score, np.nan, np.nan, evidence
    shape = 0.5 * (k * dim - constants[NUM_PARAMS]) + constants[ALPHA]
    scale = math.sqrt((0.5 * rss + constants[BETA]) / shape)
    rate = 0.5 * rss + constants[OFFSET]
    gain = (
        math.lgamma(shape + 0.5 * dim)
        - math.lgamma(shape)
        - 0.5 * dim * math.log(2.0 * math.pi * rate)
        + dim * log_width
    )
    if label_a > 0.0 and k < num_points:
        gain += log_probability(k + 1, num_points, label_a, label_b)
        gain -= log_probability(k, num_points, label_a, label_b)
    growth = math.expm1(min(gain / (shape + 0.5 * dim), MAX_EXPONENT))
    # The largest inlier was let in by the k - 1 below it, not by all k.
    threshold = math.sqrt(min(max(2.0 * rate * growth, largest), beyond))
    return score, scale, threshold, evidence
