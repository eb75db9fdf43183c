"""A facade of windows, some matched to other windows, and a porch before it."""

import numpy as np
from synthetic import project

from cvscore.data.normalization import frame_of, region_of
from cvscore.models.fundamental import fundamental_model
from cvscore.ransac.local_optimization import optimise
from cvscore.ransac.objective import Objective
from cvscore.scores.marginal_score import MarginalScore
from cvscore.two_view.image_frames import matrix_into

NUM_FACADE, NUM_PORCH, NUM_REPEATS = 240, 60, 100
WINDOWS = 0.4  # metres from one window to the next, along the facade
K = np.array([[1000.0, 0, 500], [0, 1000, 375], [0, 0, 1]])


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


class Facade:
    """A wall of windows, a porch before it, and windows matched to other windows."""

    def __init__(self, rng, noise=0.3):
        wall = self.on_wall(rng, NUM_FACADE)
        porch = np.column_stack(
            [rng.uniform(-1.2, 0.2, NUM_PORCH), rng.uniform(0.4, 1.3, NUM_PORCH)]
        )
        porch = np.column_stack([porch, 4.2 + 0.2 * porch[:, 0]])
        left = self.on_wall(rng, NUM_REPEATS)
        steps = rng.choice([-3, -2, -1, 1, 2, 3], NUM_REPEATS) * WINDOWS
        right = left + steps[:, None] * np.array([1.0, 0.0, 0.0])
        angle = 0.1
        self.R = np.array(
            [
                [np.cos(angle), 0, np.sin(angle)],
                [0, 1, 0],
                [-np.sin(angle), 0, np.cos(angle)],
            ]
        )
        self.t = np.array([-0.4, 0.35, 0.3])
        self.x1 = self.seen(np.vstack([wall, porch, left]), np.eye(3), np.zeros(3))
        self.x2 = self.seen(np.vstack([wall, porch, right]), self.R, self.t)
        self.x1 += rng.normal(0, noise, self.x1.shape)
        self.x2 += rng.normal(0, noise, self.x2.shape)
        kinds = np.repeat([0, 1, 2], [NUM_FACADE, NUM_PORCH, NUM_REPEATS])
        self.is_porch, self.is_repeat = kinds == 1, kinds == 2
        inverse = np.linalg.inv(K)
        self.F = inverse.T @ cross(self.t) @ self.R @ inverse
        homography = K @ (self.R + np.outer(self.t, [0, 0, 0.2])) @ inverse
        self.captured = cross(K @ self.R[:, 0]) @ homography

    @staticmethod
    def on_wall(rng, num):
        """Points (num, 3) of the wall, all above the porch."""
        return np.column_stack(
            [rng.uniform(-2, 2, num), rng.uniform(-1.5, 0.4, num), np.full(num, 5.0)]
        )

    @staticmethod
    def seen(X, R, t):
        Y = X @ R.T + t
        return project(K, Y[:, :2] / Y[:, 2:])

    def objective(self, options=None):
        points = np.ascontiguousarray(np.hstack([self.x1, self.x2]).T)
        frame = frame_of(region_of(points))
        score = MarginalScore(half_width=30.0 / frame.unit)
        model = fundamental_model()
        return frame, Objective(model, frame.enter(points), score, options)

    def candidate(self, F, options=None):
        frame, objective = self.objective(options)
        first, second = (np.linalg.inv(matrix_into(frame, i)) for i in (0, 1))
        F = second.T @ F @ first
        start = objective.best_of((F / np.linalg.norm(F))[None])
        return objective, optimise(objective, start)
