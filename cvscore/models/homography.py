"""The homography ``x2 ~ H x1``: residuals, OpenCV's solver, and the model record.

Orientation.  A homography between two views of a plane sends every visible point to a
positive multiple of its image: with ``(p, q, w) = H (x1, y1, 1)`` all ``w`` have one
sign.  Models here are stored with that sign made positive, and with unit Frobenius
norm, so that ``w <= 0`` marks a point that the second view cannot show.
Mirror images, where ``det H < 0``, are homographies like any other.

Residual.  A match satisfies two constraints,

    g = (u w - p, v w - q)        (u, v the second point)

and with ``J`` their 2x4 Jacobian in ``(x1, y1, u, v)`` the squared Sampson residual is
``g' (J J')^-1 g``: the squared distance, to first order, to the nearest match that
satisfies them.  It has the squared unit of the coordinates, treats both images alike,
and does not depend on the scale of ``H``.
"""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.models.parametrisations.homography import HOMOGRAPHY_PARAMETERS
from cvscore.models.refiners.homography import refit_from_visible, refit_homography
from cvscore.models.solvers.four_point import (
    MIN_DETERMINANT_4PT,
    homography_4pt,
    orientations_4pt,
)
from cvscore.types import Array, GeometricModel, ModelCounts, ModelKernels, one_of

COUNTS = ModelCounts("homography matrix", sample_size=4, num_params=8, residual_dim=2)


@lru_cache(maxsize=4)
def homography_model(solver: str = "native") -> GeometricModel:
    """Describe the homography to the loop.

    Parameters
    ----------
    solver : {"native", "opencv"}
        The compiled minimal solver, or OpenCV's, which rounds to float32.
    """
    solvers = {"native": homography_4pt, "opencv": homography_4pt_opencv}
    one_of(solver, "solver", solvers)
    return GeometricModel.of_counts(
        COUNTS,
        solve=solvers[solver],
        residuals=homography_residuals,
        refit=refit_homography,
        kernels=KERNELS if solver == "native" else None,
        parametrisation=HOMOGRAPHY_PARAMETERS,
        remake=partial(homography_model, solver),
    )


@kernel
def _solve(points, samples, _):
    return homography_4pt(points, samples)


@kernel
def _residuals(models, points, _):
    return homography_residuals(models, points)


KERNELS = ModelKernels(_solve, _residuals, refit_from_visible, np.empty(0))


@kernel
def homography_residuals(models, points):
    """Squared Sampson residuals; ``inf`` where ``w <= 0``, never NaN.

    Parameters
    ----------
    models : (K, 3, 3) array
        Oriented homographies: ``w > 0`` on the visible side.
    points : (4, N) array
        Rows ``x1, y1, x2, y2``.

    Returns
    -------
    (K, N) array
        In the squared unit of ``points``.
    """
    num_models = models.shape[0]
    num_points = points.shape[1]
    x1, y1, x2, y2 = points[0], points[1], points[2], points[3]
    sq_residuals = np.empty((num_models, num_points))
    for k in range(num_models):
        h00, h01, h02 = models[k, 0, 0], models[k, 0, 1], models[k, 0, 2]
        h10, h11, h12 = models[k, 1, 0], models[k, 1, 1], models[k, 1, 2]
        h20, h21, h22 = models[k, 2, 0], models[k, 2, 1], models[k, 2, 2]
        row = sq_residuals[k]
        for i in range(num_points):
            x, y, u, v = x1[i], y1[i], x2[i], y2[i]
            w = h20 * x + h21 * y + h22
            g0 = u * w - (h00 * x + h01 * y + h02)
            g1 = v * w - (h10 * x + h11 * y + h12)
            # J = [a0 a1 w 0; b0 b1 0 w].  Both quadratic forms below are written as
            # sums of squares, so that neither can lose its sign to cancellation.
            a0, a1 = u * h20 - h00, u * h21 - h01
            b0, b1 = v * h20 - h10, v * h21 - h11
            c0, c1 = b0 * g0 - a0 * g1, b1 * g0 - a1 * g1
            minor = a0 * b1 - a1 * b0
            w2 = w * w
            sq_norm = w2 + (a0 * a0 + a1 * a1) + (b0 * b0 + b1 * b1)
            ratio = (w2 * (g0 * g0 + g1 * g1) + (c0 * c0 + c1 * c1)) / (
                w2 * sq_norm + minor * minor
            )
            # NaN (0/0 where w**2 underflows) fails the comparison too.
            row[i] = ratio if (w > 0.0) & (ratio >= 0.0) else np.inf
    return sq_residuals


def homography_4pt_opencv(points: Array, samples: NDArray[np.int64]) -> Array:
    """As `homography_4pt`, solved by ``cv2.getPerspectiveTransform`` in float32."""
    import cv2

    orientation = orientations_4pt(points, samples)
    usable = samples[orientation != 0.0]
    x1, x2 = points[:2].T.astype(np.float32), points[2:].T.astype(np.float32)
    models = np.empty((len(usable), 3, 3))
    for model, sample in zip(models, usable, strict=True):
        model[:] = cv2.getPerspectiveTransform(x1[sample], x2[sample])
    x, y = points[:2, usable[:, 0]]
    w = models[:, 2, 0] * x + models[:, 2, 1] * y + models[:, 2, 2]
    models /= np.copysign(np.linalg.norm(models, axis=(1, 2)), w)[:, None, None]
    models = models[np.isfinite(models).all(axis=(1, 2))]  # OpenCV has NaN for some
    regular: Array = models[np.abs(np.linalg.det(models)) > MIN_DETERMINANT_4PT]
    return regular
