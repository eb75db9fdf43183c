"""MSAC as kernels with one array of constants: see `ScoreKernels`.

The sum of ``1 - q / tau**2`` over the residuals within the threshold (Torr, Zisserman
2000).
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.types import ScoreKernels

# What the constants are.
AT_SQ_THRESHOLD, AT_DIM, AT_NUM_PARAMS = 0, 1, 2


def msac_kernels(sq_threshold: float, dim: int, num_params: int) -> ScoreKernels:
    """Return the compiled functions of the score for a model of these counts."""
    constants = np.array([sq_threshold, dim, num_params], dtype=np.float64)
    return ScoreKernels(
        preview=_preview,
        evaluate=_evaluate,
        assess=_assess,
        inliers=_inliers,
        summarise=_summarise,
        resized=_resized,
        constants=constants,
    )


@kernel
def truncated_quadratic(sq_residuals, sq_threshold):
    """Sum of ``max(0, 1 - q / sq_threshold)`` of each row (K, N)."""
    num_models, num_points = sq_residuals.shape
    scores = np.zeros(num_models)
    for row in range(num_models):
        total = 0.0
        for i in range(num_points):
            gap = sq_threshold - sq_residuals[row, i]
            total += gap if gap > 0.0 else 0.0
        scores[row] = total / sq_threshold
    return scores


@kernel
def _preview(sq_residuals, constants):
    return truncated_quadratic(sq_residuals, constants[AT_SQ_THRESHOLD])


@kernel
def _evaluate(sq_residuals, best, constants):
    return truncated_quadratic(sq_residuals, constants[AT_SQ_THRESHOLD])


@kernel
def _assess(row, constants):
    rows = row.reshape((1, row.shape[0]))
    score = truncated_quadratic(rows, constants[AT_SQ_THRESHOLD])[0]
    weight = 1.0 / constants[AT_SQ_THRESHOLD]
    weights = np.empty(row.shape[0])
    for i in range(row.shape[0]):
        weights[i] = weight if row[i] <= constants[AT_SQ_THRESHOLD] else 0.0
    return score, weights


@kernel
def _inliers(row, constants):
    return row <= constants[AT_SQ_THRESHOLD]


@kernel
def _resized(_, dim, num_params, constants):
    constants = constants.copy()
    constants[AT_DIM], constants[AT_NUM_PARAMS] = dim, num_params
    return constants


@kernel
def _summarise(row, constants):
    score, _ = _assess(row, constants)
    rss, num_inliers = 0.0, 0
    for value in row:
        if value <= constants[AT_SQ_THRESHOLD]:
            rss += value
            num_inliers += 1
    freedom = num_inliers * constants[AT_DIM] - constants[AT_NUM_PARAMS]
    scale = np.sqrt(rss / freedom) if freedom > 0.0 else np.nan
    return score, scale, np.sqrt(constants[AT_SQ_THRESHOLD]), np.nan
