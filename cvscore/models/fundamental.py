"""The fundamental matrix ``x2' F x1 = 0``: OpenCV's solver and the model record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.models.sampson import residuals_kernel, sampson_residuals
from cvscore.models.refiners.fundamental import refit_from_rank_two, refit_fundamental
from cvscore.models.solvers.seven_point import MAX_SOLUTIONS, fundamental_7pt, keep_oriented
from cvscore.types import Array, GeometricModel, ModelKernels


def fundamental_model(solver: str = "native") -> GeometricModel:
    """Describe the fundamental matrix to the loop.

    Parameters
    ----------
    solver : {"native", "opencv"}
        The compiled minimal solver, or OpenCV's, which rounds to float32.
    """
    solvers = {"native": fundamental_7pt, "opencv": fundamental_7pt_opencv}
    if solver not in solvers:
        raise ValueError(f"solver must be one of {sorted(solvers)}, got {solver!r}")
    return GeometricModel(
        name="fundamental",
        sample_size=7,
        num_params=7,
        residual_dim=1,
        solve=solvers[solver],
        residuals=sampson_residuals,
        refit=refit_fundamental,
        kernels=(
            ModelKernels(_solve, residuals_kernel, refit_from_rank_two, np.empty(0))
            if solver == "native"
            else None
        ),
        holds_everywhere=True,
    )


@kernel
def _solve(points, samples, constants, stages):
    return fundamental_7pt(points, samples)


def fundamental_7pt_opencv(points: Array, samples: NDArray[np.int64]) -> Array:
    """As `fundamental_7pt`, solved by ``cv2.findFundamentalMat`` in float32."""
    import cv2

    candidates = np.empty((len(samples), MAX_SOLUTIONS, 3, 3))
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
