"""The pose ``[R | t]`` of a calibrated camera before known points: the model record.

A scene point X is at ``R X + t`` before the camera, and the residual is its
reprojection error: the distance of ``K (R X + t)`` to the image point, in the unit of
the image.  A point behind the camera has none.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.models.parametrisations.absolute_pose import ABSOLUTE_POSE_PARAMETERS
from cvscore.models.refiners.absolute_pose import refit_absolute_pose
from cvscore.models.solvers.three_point import absolute_poses_3pt
from cvscore.numerics.least_squares import REFIT_CONVERGED
from cvscore.numerics.matrix3 import inverse_of
from cvscore.types import Array, GeometricModel, ModelCounts, ModelKernels

COUNTS = ModelCounts("camera pose", sample_size=3, num_params=6, residual_dim=2)


def absolute_pose_model(K: Array) -> GeometricModel:
    """Return the pose of a camera as a model of image points and scene points.

    Parameters
    ----------
    K : (3, 3) array
        Camera matrix in the unit of the image points, upper triangular.
    """
    constants = np.ascontiguousarray(K, dtype=np.float64).ravel()

    def solve(points: Array, samples: NDArray[np.int64]) -> Array:
        poses: Array = _solve(points, samples, constants)
        return poses

    def residuals(models: Array, points: Array) -> Array:
        sq_residuals: Array = reprojection_residuals(models, points, constants)
        return sq_residuals

    def refit(model: Array, points: Array, weights: Array) -> Array:
        refitted: Array = _refit(model, points, weights, REFIT_CONVERGED, constants)
        return refitted

    return GeometricModel.of_counts(
        COUNTS,
        solve=solve,
        residuals=residuals,
        refit=refit,
        kernels=ModelKernels(_solve, reprojection_residuals, _refit, constants),
        cameras=(K,),
        parametrisation=ABSOLUTE_POSE_PARAMETERS,
        remake=partial(absolute_pose_model, K),
    )


@kernel
def _solve(points, samples, constants):
    return absolute_poses_3pt(points, samples, inverse_of(constants.reshape(3, 3)))


@kernel
def _refit(model, points, weights, converged, constants):
    camera = constants.reshape(3, 3)
    return refit_absolute_pose(model, points, weights, camera, converged)


@kernel
def reprojection_residuals(models, points, constants):
    """Squared reprojection errors; ``inf`` behind the camera, never NaN.

    Parameters
    ----------
    models : (K, 3, 4) array
        Poses ``[R | t]``.
    points : (5, N) array
        Rows ``u, v, X, Y, Z``.
    constants : (9,) array
        The camera matrix, row by row.

    Returns
    -------
    (K, N) array
        In the squared unit of the image points.
    """
    num_models, num_points = models.shape[0], points.shape[1]
    us, vs, xs, ys, zs = points[0], points[1], points[2], points[3], points[4]
    projection = np.empty((3, 4))
    sq_residuals = np.empty((num_models, num_points))
    for k in range(num_models):
        for i in range(3):
            for j in range(4):
                projection[i, j] = 0.0
                for m in range(i, 3):
                    projection[i, j] += constants[3 * i + m] * models[k, m, j]
        p00, p01, p02, p03 = (
            projection[0, 0],
            projection[0, 1],
            projection[0, 2],
            projection[0, 3],
        )
        p10, p11, p12, p13 = (
            projection[1, 0],
            projection[1, 1],
            projection[1, 2],
            projection[1, 3],
        )
        p20, p21, p22, p23 = (
            projection[2, 0],
            projection[2, 1],
            projection[2, 2],
            projection[2, 3],
        )
        row = sq_residuals[k]
        for i in range(num_points):
            x, y, z = xs[i], ys[i], zs[i]
            depth = p20 * x + p21 * y + p22 * z + p23
            inverse = 1.0 / depth
            du = us[i] - (p00 * x + p01 * y + p02 * z + p03) * inverse
            dv = vs[i] - (p10 * x + p11 * y + p12 * z + p13) * inverse
            sq_distance = du * du + dv * dv
            # NaN (0/0, or inf - inf) fails the comparison too.
            is_seen = (depth > 0.0) & (sq_distance >= 0.0)
            row[i] = sq_distance if is_seen else np.inf
    return sq_residuals
