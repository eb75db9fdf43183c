"""Translations ``x2 = x1 + t`` of the plane and of space."""

from __future__ import annotations

from functools import partial

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.models.parametrisations.point_maps import TRANSLATION
from cvscore.models.point_map import map_model, map_residuals
from cvscore.types import GeometricModel, ModelCounts, ModelKernels

COUNTS = {
    2: ModelCounts("2-D translation", sample_size=1, num_params=2, residual_dim=2),
    3: ModelCounts("3-D translation", sample_size=1, num_params=3, residual_dim=3),
}


def translation_model(dim: int) -> GeometricModel:
    """Describe translations of points with 2 or 3 coordinates to the loop."""
    remake = partial(translation_model, dim)
    return map_model(COUNTS[dim], KERNELS, TRANSLATION[dim], remake)


@kernel
def translations_of_points(points, samples, _):
    """``[I | t]`` of each match: points (2 D, N), samples (B, 1) to (B, D, D + 1)."""
    dim = points.shape[0] // 2
    models = np.zeros((samples.shape[0], dim, dim + 1))
    for b in range(samples.shape[0]):
        i = samples[b, 0]
        for row in range(dim):
            models[b, row, row] = 1.0
            models[b, row, dim] = points[dim + row, i] - points[row, i]
    return models


@kernel
def refit_translation(model, points, weights, _, __):
    """``[I | t]`` with the weighted mean of the differences; ``model`` without any."""
    dim, total = model.shape[0], weights.sum()
    if not total > 0.0:
        return model
    refined = model.copy()
    for row in range(dim):
        moved = 0.0
        for i in range(weights.shape[0]):
            moved += weights[i] * (points[dim + row, i] - points[row, i])
        refined[row, dim] = moved / total
    return refined


KERNELS = ModelKernels(
    translations_of_points, map_residuals, refit_translation, np.empty(0)
)
