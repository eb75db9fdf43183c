"""The same loop fits anything: a line in the plane, in twenty lines of model.

A model is a record of three functions.  Here ``points`` is (2, N), a line is
(a, b, c) with a x + b y + c = 0 and a^2 + b^2 = 1, and its residual is the distance.
"""

import numpy as np

from cvscore import GeometricModel, MarginalScore, RansacOptions
from cvscore.ransac.loop import ransac
from cvscore.ransac.samplers import UniformSampler


def solve(points, samples):
    p, q = points[:, samples[:, 0]], points[:, samples[:, 1]]
    normal = np.stack([p[1] - q[1], q[0] - p[0]])
    length = np.hypot(*normal)
    normal = normal[:, length > 0] / length[length > 0]
    return np.stack([*normal, -(normal * p[:, length > 0]).sum(axis=0)], axis=1)


def residuals(lines, points):
    return (lines[:, :2] @ points + lines[:, 2:]) ** 2


def refit(line, points, weights):
    centre = (points * weights).sum(axis=1, keepdims=True) / weights.sum()
    spread = ((points - centre) * weights) @ (points - centre).T
    normal = np.linalg.eigh(spread)[1][:, 0]
    return np.append(normal, -normal @ centre[:, 0])


COUNTS = {"sample_size": 2, "num_params": 2, "residual_dim": 1}
LINE = GeometricModel(
    name="line", solve=solve, residuals=residuals, refit=refit, **COUNTS
)


def main():
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 100, 60)
    on_line = np.stack([x, 20 + 0.5 * x + rng.normal(0, 0.3, 60)])
    points = np.hstack([on_line, rng.uniform(0, 100, (2, 140))])
    sampler = UniformSampler(points.shape[1], LINE.sample_size)
    score = MarginalScore(half_width=50.0)
    best, iterations = ransac(LINE, points, score, sampler, RansacOptions())
    a, b, c = best.model
    summary = score.summarise(best.sq_residuals, 1, 2)
    print(f"y = {-c / b:.2f} + {-a / b:.3f} x after {iterations} samples")
    print(f"noise scale {summary.scale:.2f}, threshold {summary.threshold:.2f}")


if __name__ == "__main__":
    main()
