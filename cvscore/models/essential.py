"""The essential matrix ``x2' E x1 = 0`` of two calibrated cameras: the model record.

Models are in normalised coordinates, ``K^-1`` of the image points; residuals are
Sampson residuals of the image points themselves, through ``F = K2^-T E K1^-1``.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.models.parametrisations.epipolar import ESSENTIAL_PARAMETERS
from cvscore.models.refiners.essential import refit_essential
from cvscore.models.sampson import sampson_residuals
from cvscore.models.solvers.five_point import essential_5pt_in_front
from cvscore.models.solvers.sample_poses import SAMPLE_SIZE
from cvscore.numerics.least_squares import REFIT_CONVERGED
from cvscore.numerics.matrix3 import inverse_of
from cvscore.types import Array, GeometricModel, ModelCounts, ModelKernels, one_of

COUNTS = ModelCounts("essential matrix", SAMPLE_SIZE, num_params=5, residual_dim=1)


def essential_model(K1: Array, K2: Array, solver: str = "native") -> GeometricModel:
    """Return the essential matrix as a model of image points.

    Parameters
    ----------
    K1, K2 : (3, 3) arrays
        Intrinsics of the two cameras in the units of the points.
    solver : {"native", "opencv"}
        OpenCV's solver is called for each sample, and keeps all its solutions.
    """
    solvers = {"native": essential_5pt_in_front, "opencv": essential_5pt_opencv}
    one_of(solver, "solver", solvers)
    inverses: Array = _inverses(np.array([K1, K2], dtype=np.float64))

    def solve(points: Array, samples: NDArray[np.int64]) -> Array:
        return solvers[solver](sample_rays(points, samples, inverses))

    def residuals(models: Array, points: Array) -> Array:
        sq_residuals: Array = essential_residuals(models, points, inverses)
        return sq_residuals

    def refit(model: Array, points: Array, weights: Array) -> Array:
        refitted: Array = refit_essential(
            model, points, weights, inverses, REFIT_CONVERGED
        )
        return refitted

    return GeometricModel.of_counts(
        COUNTS,
        solve=solve,
        residuals=residuals,
        refit=refit,
        kernels=(
            ModelKernels(_solve, _residuals, _refit, inverses.ravel())
            if solver == "native"
            else None
        ),
        cameras=(K1, K2),
        parametrisation=ESSENTIAL_PARAMETERS,
        remake=partial(essential_model, K1, K2, solver),
    )


@brief_kernel
def _inverses(cameras):
    inverses = np.empty((2, 3, 3))
    for c in range(2):
        inverse = inverse_of(cameras[c])
        for i in range(3):
            for j in range(3):
                inverses[c, i, j] = inverse[i, j]
    return inverses


@kernel
def _solve(points, samples, constants):
    rays = sample_rays(points, samples, constants.reshape(2, 3, 3))
    return essential_5pt_in_front(rays)


@kernel
def _residuals(models, points, constants):
    return essential_residuals(models, points, constants.reshape(2, 3, 3))


@kernel
def _refit(model, points, weights, converged, constants):
    inverses = constants.reshape(2, 3, 3)
    return refit_essential(model, points, weights, inverses, converged)


@kernel
def essential_residuals(models, points, inverses):
    """Squared Sampson residuals (K, N) of image points under ``K2^-T E K1^-1``.

    The product is spelt out: NumPy's for many small matrices costs more than the
    residuals of two hundred points.
    """
    num_models = models.shape[0]
    fundamental = np.empty((num_models, 3, 3))
    half = np.empty((3, 3))
    for k in range(num_models):
        for i in range(3):
            for j in range(3):
                half[i, j] = 0.0
                for m in range(3):
                    half[i, j] += models[k, i, m] * inverses[0, m, j]
        for i in range(3):
            for j in range(3):
                fundamental[k, i, j] = 0.0
                for m in range(3):
                    fundamental[k, i, j] += inverses[1, m, i] * half[m, j]
    return sampson_residuals(fundamental, points)


@kernel
def sample_rays(points, samples, inverses):
    """Return unit vectors along the rays of each sample's matches.

    Parameters
    ----------
    points : (4, N) array
        Image points.
    samples : (B, 5) array of int
    inverses : (2, 3, 3) array
        Inverse intrinsics of both cameras.

    Returns
    -------
    (B, 5, 6) array
        In camera 1, then in camera 2.
    """
    num_samples, size = samples.shape
    rays = np.empty((num_samples, size, 6))
    for b in range(num_samples):
        for n in range(size):
            for c in range(2):
                x, y = points[2 * c, samples[b, n]], points[2 * c + 1, samples[b, n]]
                sq_norm = 0.0
                for i in range(3):
                    entry = (
                        inverses[c, i, 0] * x
                        + inverses[c, i, 1] * y
                        + inverses[c, i, 2]
                    )
                    rays[b, n, 3 * c + i] = entry
                    sq_norm += entry * entry
                scale = 1.0 / np.sqrt(sq_norm)
                for i in range(3):
                    rays[b, n, 3 * c + i] *= scale
    return rays


def essential_5pt_opencv(rays: Array) -> Array:
    """All essential matrices of each sample by ``cv2.findEssentialMat``.

    Parameters
    ----------
    rays : (B, 5, 6) array
        As for `essential_5pt`; rays must not be parallel to the image plane.

    Returns
    -------
    (K, 3, 3) array
        Brought to the nearest essential matrix with singular values (1, 1, 0): one in a
        thousand of OpenCV's is off by 1e-5 or more.
    """
    import cv2

    found = []
    for sample in rays:
        x1, x2 = sample[:, :2] / sample[:, 2:3], sample[:, 3:5] / sample[:, 5:]
        stacked, _ = cv2.findEssentialMat(x1, x2, np.eye(3))
        if stacked is not None:
            found.append(stacked.reshape(-1, 3, 3))
    matrices = np.concatenate(found) if found else np.empty((0, 3, 3))
    matrices = matrices[np.isfinite(matrices).all(axis=(1, 2))]
    U, _, Vt = np.linalg.svd(matrices)
    nearest: Array = U @ np.diag([1.0, 1.0, 0.0]) @ Vt
    return nearest
