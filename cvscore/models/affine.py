"""Affine maps ``x2 = A x1 + t`` of the plane and of space."""

from __future__ import annotations

from functools import partial

import numpy as np

from cvscore.models.parametrisations.point_maps import AFFINE
from cvscore.models.point_map import map_model, map_residuals
from cvscore.models.refiners.total_least_squares import refit_affine
from cvscore.models.solvers.simplices import affine_of_simplices
from cvscore.types import GeometricModel, ModelCounts, ModelKernels

COUNTS = {
    2: ModelCounts("2-D affine map", sample_size=3, num_params=6, residual_dim=2),
    3: ModelCounts("3-D affine map", sample_size=4, num_params=12, residual_dim=3),
}
KERNELS = ModelKernels(affine_of_simplices, map_residuals, refit_affine, np.empty(0))


def affine_model(dim: int) -> GeometricModel:
    """Describe affine maps of points with 2 or 3 coordinates to the loop."""
    remake = partial(affine_model, dim)
    return map_model(COUNTS[dim], KERNELS, AFFINE[dim], remake)
