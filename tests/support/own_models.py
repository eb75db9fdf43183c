"""Models from outside the package, in plain NumPy: a plane, a similarity, 3-D maps.

Each is a record of three functions and an `Estimator`: what somebody who brings a model
of their own has to write.
"""

import numpy as np

from cvscore.data.point_sets import PointSets
from cvscore.estimators import Estimator
from cvscore.inference.outlier_width import widen_outlier_width
from cvscore.ransac import UniformSampler
from cvscore.ransac.irls import polish
from cvscore.two_view.image_pairs import SCENE_MATCHES
from cvscore.types import GeometricModel

STEPS = (widen_outlier_width, polish)


def unless_degenerate(size):
    """Keep the model where fewer than ``size`` points have a weight."""

    def decorate(refit):
        def guarded(model, points, weights):
            is_enough = np.count_nonzero(weights) >= size
            return refit(model, points, weights) if is_enough else model

        return guarded

    return decorate


def uniform_sampler(points, region, sample_size, options):
    return UniformSampler(points.shape[1], sample_size, options.seed)


# A plane n . x + c = 0 in 3-D, |n| = 1, as (n, c): one constraint a point.


def solve_planes(points, samples):
    a, b, c = (points[:, samples[:, i]].T for i in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    is_plane = lengths > 0.0
    normals = normals[is_plane] / lengths[is_plane, None]
    return np.column_stack([normals, -(normals * a[is_plane]).sum(axis=1)])


def plane_residuals(planes, points):
    return (planes[:, :3] @ points + planes[:, 3:]) ** 2


@unless_degenerate(3)
def refit_plane(plane, points, weights):
    centre = points @ weights / weights.sum()
    about = points - centre[:, None]
    normal = np.linalg.eigh((about * weights) @ about.T)[1][:, 0]
    return np.append(normal, -normal @ centre)


def plane_outside(frame, plane):
    normal, offset = plane[:3], plane[3]
    return np.append(normal, frame.unit * offset - normal @ frame.shift)


PLANE = GeometricModel(
    name="plane",
    sample_size=3,
    num_params=3,
    residual_dim=1,
    solve=solve_planes,
    residuals=plane_residuals,
    refit=refit_plane,
)
CLOUD = PointSets(dims=(3,), make_sampler=uniform_sampler, names=("x",))
PLANES = Estimator(data=CLOUD, steps=STEPS, denormalise=plane_outside)


# A similarity y = c x + t of the plane, in complex numbers (c, t): two constraints a
# match.  Noise is in both images, so that the residual is |y - c x - t| over the root
# of 1 + |c|^2.


def complex_points(points):
    return points[0] + 1j * points[1], points[2] + 1j * points[3]


def solve_similarities(points, samples):
    x, y = (z[samples] for z in complex_points(points))
    steps = x[:, 1] - x[:, 0]
    x, y, steps = (z[steps != 0.0] for z in (x, y, steps))
    c = (y[:, 1] - y[:, 0]) / steps
    return np.stack([c, y[:, 0] - c * x[:, 0]], axis=1)


def similarity_residuals(similarities, points):
    x, y = complex_points(points)
    c, t = similarities[:, :1], similarities[:, 1:]
    return np.abs(y - c * x - t) ** 2 / (1.0 + np.abs(c) ** 2)


@unless_degenerate(2)
def refit_similarity(similarity, points, weights):
    x, y = complex_points(points)
    x0, y0 = (z @ weights / weights.sum() for z in (x, y))
    about = np.array([x - x0, y - y0])
    # Total least squares: the direction of least spread.
    u, v = np.linalg.eigh((about * weights) @ about.conj().T)[1][:, 0].conj()
    c = -u / v
    return np.array([c, y0 - c * x0])


def similarity_outside(frame, similarity):
    c, t = similarity
    x0, y0 = complex_points(frame.shift)
    return np.array([c, frame.unit * t + y0 - c * x0])


SIMILARITY = GeometricModel(
    name="similarity",
    sample_size=2,
    num_params=4,
    residual_dim=2,
    solve=solve_similarities,
    residuals=similarity_residuals,
    refit=refit_similarity,
)
SIMILARITIES = Estimator(
    data=SCENE_MATCHES, steps=STEPS, denormalise=similarity_outside
)


# Maps y = A x + t of space, as (A | t) (3, 4): three constraints a match.


def map_residuals(maps, points):
    A, t = maps[:, :, :3], maps[:, :, 3:]
    e = points[3:] - A @ points[:3] - t
    covariances = np.eye(3) + A @ A.transpose(0, 2, 1)
    return (e * np.linalg.solve(covariances, e)).sum(axis=1)


def map_outside(frame, inside):
    A, t = inside[:, :3], inside[:, 3]
    outside = frame.unit * t + frame.shift[3:] - A @ frame.shift[:3]
    return np.column_stack([A, outside])


def about_mean(points, weights):
    centre = points @ weights / weights.sum()
    return centre, points - centre[:, None]


@unless_degenerate(3)
def refit_rigid(model, points, weights):
    centre, about = about_mean(points, weights)
    U, _, Vt = np.linalg.svd((about[3:] * weights) @ about[:3].T)
    R = U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt
    return np.column_stack([R, centre[3:] - R @ centre[:3]])


@unless_degenerate(4)
def refit_affine(model, points, weights):
    centre, about = about_mean(points, weights)
    # Total least squares: the three directions of least spread.
    normals = np.linalg.eigh((about * weights) @ about.T)[1][:, :3]
    A = -np.linalg.solve(normals[3:].T, normals[:3].T)
    return np.column_stack([A, centre[3:] - A @ centre[:3]])


def solve_rigid(points, samples):
    ones = np.ones(samples.shape[1])
    return np.array([refit_rigid(None, points[:, one], ones) for one in samples])


def solve_affine(points, samples):
    found = []
    for one in samples:
        x, y = points[:3, one], points[3:, one]
        edges = x[:, 1:] - x[:, :1]
        if np.linalg.cond(edges) < 1e6:
            A = (y[:, 1:] - y[:, :1]) @ np.linalg.inv(edges)
            found.append(np.column_stack([A, y[:, 0] - A @ x[:, 0]]))
    return np.array(found).reshape(-1, 3, 4)


RIGID = GeometricModel(
    name="rigid map",
    sample_size=3,
    num_params=6,
    residual_dim=3,
    solve=solve_rigid,
    residuals=map_residuals,
    refit=refit_rigid,
)
AFFINE = GeometricModel(
    name="affine map",
    sample_size=4,
    num_params=12,
    residual_dim=3,
    solve=solve_affine,
    residuals=map_residuals,
    refit=refit_affine,
)
CLOUD_PAIR = PointSets(dims=(3, 3), make_sampler=uniform_sampler)
MAPS = Estimator(data=CLOUD_PAIR, steps=STEPS, denormalise=map_outside)
