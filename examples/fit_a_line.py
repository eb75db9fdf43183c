"""A model of your own: a line in the plane, with nothing to tune.

A model: three functions, ``points`` (2, N), a line (a, b, c) with a x + b y + c = 0
and a^2 + b^2 = 1, its residual the distance.  The data are one set of points.
"""

import numpy as np

from cvscore import GeometricModel
from cvscore.data.point_sets import PointSets
from cvscore.estimators import Estimator
from cvscore.inference.outlier_width import widen_outlier_width
from cvscore.ransac import UniformSampler, polish


def solve(points, samples):
    p, q = points[:, samples[:, 0]], points[:, samples[:, 1]]
    apart = np.hypot(*(p - q)) > 0
    p, q = p[:, apart], q[:, apart]
    normal = np.stack([p[1] - q[1], q[0] - p[0]]) / np.hypot(*(p - q))
    return np.stack([*normal, -(normal * p).sum(axis=0)], axis=1)


def residuals(lines, points):
    return (lines[:, :2] @ points + lines[:, 2:]) ** 2


def refit(line, points, weights):
    centre = (points * weights).sum(axis=1, keepdims=True) / weights.sum()
    spread = ((points - centre) * weights) @ (points - centre).T
    normal = np.linalg.eigh(spread)[1][:, 0]
    return np.append(normal, -normal @ centre[:, 0])


def denormalise(frame, line):
    return np.append(line[:2], line[2] * frame.unit - line[:2] @ frame.shift)


def sampler(points, region, sample_size, options):
    return UniformSampler(points.shape[1], sample_size, options.seed)


LINE = GeometricModel("line", 2, 2, 1, solve, residuals, refit)  # m, n, d
POINTS = PointSets(dims=(2,), make_sampler=sampler, names=("points",))
ESTIMATOR = Estimator(POINTS, (widen_outlier_width, polish), denormalise)


def main():
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 100, 60)
    line = np.stack([x, 20 + 0.5 * x + rng.normal(0, 0.3, 60)], axis=1)
    points = np.vstack([line, rng.uniform(0, 100, (140, 2)), line[:9]])
    found = ESTIMATOR.run(LINE, POINTS.pack(points))
    (a, b, c), (low, high) = found.model, found.scale_interval()
    print(f"y = {-c / b:.2f} + {-a / b:.3f} x: {found.num_inliers} inliers, noise")
    print(f"{found.scale:.2f} ({low:.2f} to {high:.2f}), {found.evidence:.0f} nats")


if __name__ == "__main__":
    main()
