"""Rigid motions ``x2 = R x1 + t`` of the plane and of space."""

from __future__ import annotations

from functools import partial

import numpy as np

from cvscore.models.parametrisations.point_maps import RIGID
from cvscore.models.point_map import map_model, map_residuals
from cvscore.models.refiners.procrustes import refit_procrustes
from cvscore.models.solvers.similar_figures import map_of_similar_figures
from cvscore.types import GeometricModel, ModelCounts, ModelKernels

COUNTS = {
    2: ModelCounts("2-D rigid motion", sample_size=2, num_params=3, residual_dim=2),
    3: ModelCounts("3-D rigid motion", sample_size=3, num_params=6, residual_dim=3),
}
# The scale is one.
KERNELS = ModelKernels(
    map_of_similar_figures, map_residuals, refit_procrustes, np.zeros(1)
)


def rigid_model(dim: int) -> GeometricModel:
    """Describe rigid motions of points with 2 or 3 coordinates to the loop."""
    remake = partial(rigid_model, dim)
    return map_model(COUNTS[dim], KERNELS, RIGID[dim], remake)
