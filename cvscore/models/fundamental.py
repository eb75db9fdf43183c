"""The fundamental matrix ``x2' F x1 = 0``: OpenCV's solver and the model record."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.models.parametrisations.epipolar import FUNDAMENTAL_PARAMETERS
from cvscore.models.refiners.fundamental import refit_from_rank_two, refit_fundamental
from cvscore.models.sampson import residuals_kernel, sampson_residuals
from cvscore.models.solvers.plane_and_parallax import (
    fundamental_from_plane_and_parallax,
)
from cvscore.models.solvers.seven_point import (
    MAX_SOLUTIONS_7PT,
    fundamental_7pt,
    keep_oriented,
)
from cvscore.types import Array, GeometricModel, ModelCounts, ModelKernels, one_of

COUNTS = ModelCounts("fundamental matrix", sample_size=7, num_params=7, residual_dim=1)
COUNTS_GIVEN_PLANE = ModelCounts(
    "fundamental matrix given a plane", sample_size=2, num_params=2, residual_dim=1
)


@lru_cache(maxsize=4)
def fundamental_model(solver: str = "native") -> GeometricModel:
    """Describe the fundamental matrix to the loop.

    Parameters
    ----------
    solver : {"native", "opencv"}
        The compiled minimal solver, or OpenCV's, which rounds to float32.
    """
    solvers = {"native": fundamental_7pt, "opencv": fundamental_7pt_opencv}
    one_of(solver, "solver", solvers)
    return GeometricModel.of_counts(
        COUNTS,
        solve=solvers[solver],
        residuals=sampson_residuals,
        refit=refit_fundamental,
        kernels=KERNELS if solver == "native" else None,
        parametrisation=FUNDAMENTAL_PARAMETERS,
        remake=partial(fundamental_model, solver),
    )


@kernel
def _solve(points, samples, _):
    return fundamental_7pt(points, samples)


KERNELS = ModelKernels(_solve, residuals_kernel, refit_from_rank_two, np.empty(0))


def fundamental_given_plane(H: Array) -> GeometricModel:
    """Describe the fundamental matrices of a plane: only their epipole is unknown.

    Two matches off the plane give it (plane and parallax).

    Parameters
    ----------
    H : (3, 3) array
        The plane's homography.
    """
    kernels = KERNELS._replace(
        solve=_solve_given_plane, constants=np.ascontiguousarray(H).ravel()
    )
    return GeometricModel.of_counts(
        COUNTS_GIVEN_PLANE,
        solve=lambda points, samples: fundamental_from_plane_and_parallax(
            H, points, samples
        ),
        residuals=sampson_residuals,
        refit=refit_fundamental,
        kernels=kernels,
    )


@kernel
def _solve_given_plane(points, samples, H):
    return fundamental_from_plane_and_parallax(H.reshape((3, 3)), points, samples)


def fundamental_7pt_opencv(points: Array, samples: NDArray[np.int64]) -> Array:
    """As `fundamental_7pt`, solved by ``cv2.findFundamentalMat`` in float32."""
    import cv2

    candidates = np.empty((len(samples), MAX_SOLUTIONS_7PT, 3, 3))
    counts = np.zeros(len(samples), dtype=np.int64)
    for b, sample in enumerate(samples):
        x1, x2 = points[:2, sample].T, points[2:, sample].T
        stacked, _ = cv2.findFundamentalMat(x1, x2, cv2.FM_7POINT)
        if stacked is None:
            continue
        solutions = stacked.reshape(-1, 3, 3)
        counts[b] = len(solutions)
        norms = np.linalg.norm(solutions, axis=(1, 2), keepdims=True)
        candidates[b, : counts[b]] = solutions / norms
    oriented: Array = keep_oriented(candidates, counts, points, samples)
    return oriented
