"""The marginal score as kernels with one array of constants: see `ScoreKernels`.

The array holds the parameters of the score, then the borders of the bins, then the
table of terms and shapes; `unpacked` gives them their names back, in place.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.scores.best_prefix import best_prefix
from cvscore.scores.label_prior import log_probability
from cvscore.scores.marginal import write_table
from cvscore.scores.preview import preview_scores
from cvscore.scores.residual_bins import NUM_BINS, write_borders
from cvscore.types import Array

MAX_EXPONENT = 700.0  # the exponential of 710 is infinite


class Parameters(NamedTuple):
    """What the score is made of, all as floats.

    Attributes
    ----------
    offset : float
        What is added to RSS / 2: beta, and a floor for exact fits.
    half_width : float
        Of the outliers.
    lowest_bin : float
        Leading bits of the lowest bin of residuals.
    alpha, beta : float
        The prior of the variance.
    dim, num_params : float
        Constraints per match, and parameters of the model.
    label_a, label_b : float
        The prior of the labels, zeros without one.
    """

    offset: float
    half_width: float
    lowest_bin: float
    alpha: float
    beta: float
    dim: float
    num_params: float
    label_a: float
    label_b: float


NUM_PARAMETERS = len(Parameters._fields)
DIM_FIELD = Parameters._fields.index("dim")
NUM_PARAMS_FIELD = Parameters._fields.index("num_params")
TABLE_START = NUM_PARAMETERS + NUM_BINS + 1


class Constants(NamedTuple):
    """The parameters, the borders of the bins, the table (N + 1, 2) of S(k)."""

    of: Parameters
    borders: Array
    table: Array


class Partition(NamedTuple):
    """The k inliers of a row, their sum of squares, the largest, and the next one."""

    score: float
    k: int
    rss: float
    largest: float
    beyond: float


@kernel
def unpacked(constants):
    """Return the parts of the array of constants, by name."""
    c = constants
    of = Parameters(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8])
    borders = constants[NUM_PARAMETERS:TABLE_START]
    return Constants(of, borders, constants[TABLE_START:].reshape(-1, 2))


@brief_kernel
def pack(parameters, num_points):
    """Return the constants for rows of N residuals, of `Parameters` as an array."""
    constants = np.empty(TABLE_START + 2 * (num_points + 1))
    for i in range(NUM_PARAMETERS):
        constants[i] = parameters[i]
    of, borders, table = unpacked(constants)
    write_borders(np.int64(of.lowest_bin), borders)
    write_table(
        np.int64(of.dim),
        np.int64(of.num_params),
        of.alpha,
        math.log(2.0 * of.half_width),
        of.label_a,
        of.label_b,
        table,
    )
    return constants


@kernel
def resized(num_points, dim, num_params, constants):
    """Return the constants for rows of another length, of another model."""
    parameters = constants[:NUM_PARAMETERS].copy()
    parameters[DIM_FIELD], parameters[NUM_PARAMS_FIELD] = dim, num_params
    return pack(parameters, num_points)


@kernel
def preview(sq_residuals, constants):
    """Guess the order of the scores of (K, N) residuals, (K,)."""
    return preview_scores(sq_residuals, unpacked(constants).of.half_width ** 2)


@kernel
def evaluate(sq_residuals, best, constants):
    """Score (K, N) residuals, (K,); a row that cannot beat ``best`` may be low."""
    of, borders, table = unpacked(constants)
    lowest = np.int64(of.lowest_bin)
    return best_prefix(sq_residuals, table, of.offset, borders, lowest, best)[0]


@kernel
def best_partition(row, constants):
    """Split one row (N,) of squared residuals into inliers and outliers."""
    of, borders, table = unpacked(constants)
    rows = row.reshape((1, row.shape[0]))
    scores, prefixes, cuts = best_prefix(
        rows, table, of.offset, borders, np.int64(of.lowest_bin), -np.inf
    )
    k, cut = prefixes[0], cuts[0]
    num_below = 0
    rss, largest, beyond = 0.0, -np.inf, np.inf
    for i in range(row.shape[0]):
        # Without a branch to mispredict.  NaN is below nothing, and beyond nothing.
        is_below = row[i] < cut
        num_below += is_below
        rss += row[i] if is_below else 0.0
        largest = max(largest, row[i] if is_below else -np.inf)
        beyond = min(beyond, row[i] if row[i] >= cut else np.inf)
    # A run of equal residuals at the end of the prefix may go on beyond it.
    rss -= (num_below - k) * largest if num_below > k else 0.0
    return Partition(scores[0], k, rss, largest, beyond)


@kernel
def assess(row, constants):
    """Score and weights (N,) of one row: the same weight, shape over rate, for all."""
    of, _, table = unpacked(constants)
    found = best_partition(row, constants)
    shape = table[found.k, 1]
    weight = 0.5 * shape / (0.5 * found.rss + of.offset)
    weights = np.empty(row.shape[0])
    for i in range(row.shape[0]):
        weights[i] = weight * (row[i] <= found.largest)  # no branch to mispredict
    return found.score, weights


@kernel
def inliers(row, constants):
    """Return which of the (N,) residuals belong to the maximising prefix."""
    return row <= best_partition(row, constants).largest


@kernel
def summarise(row, constants):
    """Return score, noise scale, threshold and evidence of one row (N,)."""
    of = unpacked(constants).of
    score, k, rss, largest, beyond = best_partition(row, constants)
    num_points, dim = row.shape[0], of.dim
    log_width = math.log(2.0 * of.half_width)
    evidence = score + num_points * dim * log_width
    if of.label_a > 0.0:
        evidence -= log_probability(0, num_points, of.label_a, of.label_b)
    if k == 0:
        return score, np.nan, np.nan, evidence
    shape = 0.5 * (k * dim - of.num_params) + of.alpha
    scale = math.sqrt((0.5 * rss + of.beta) / shape)
    rate = 0.5 * rss + of.offset
    gain = (
        math.lgamma(shape + 0.5 * dim)
        - math.lgamma(shape)
        - 0.5 * dim * math.log(2.0 * math.pi * rate)
        + dim * log_width
    )
    if of.label_a > 0.0 and k < num_points:
        gain += log_probability(k + 1, num_points, of.label_a, of.label_b)
        gain -= log_probability(k, num_points, of.label_a, of.label_b)
    growth = math.expm1(min(gain / (shape + 0.5 * dim), MAX_EXPONENT))
    # The largest inlier was let in by the k - 1 below it, not by all k.
    threshold = math.sqrt(min(max(2.0 * rate * growth, largest), beyond))
    return score, scale, threshold, evidence
