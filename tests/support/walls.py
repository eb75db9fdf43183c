"""A wall that two poses of a camera show alike."""

import numpy as np
from synthetic import camera, rotation

from cvscore import estimate_essential

K = camera()
BASELINE = 0.6


class Wall:
    """Matches of a plane ``n' X = 1`` and of points off it; (N, 2) each."""

    R = rotation(np.array([0.05, -0.25, 0.1]))
    t = np.array([0.6, 0.0, 0.8])  # partly towards it, so that both poses see it

    def __init__(self, seed, num=150, num_off=0, noise=0.5):
        rng = np.random.default_rng(seed)
        rays = np.column_stack([rng.uniform(-0.4, 0.4, (num, 2)), np.ones(num)])
        normal = np.array([-0.1, 0.1, 0.35])
        depths = 1.0 / (rays @ normal)
        depths[:num_off] *= rng.uniform(0.5, 0.8, num_off)
        seen = (depths[:, None] * rays) @ self.R.T + BASELINE * self.t
        x1, x2 = ((y @ K.T)[:, :2] / y[:, 2:] for y in (rays, seen))
        self.x1 = x1 + noise * rng.normal(size=x1.shape)
        self.x2 = x2 + noise * rng.normal(size=x2.shape)

    def estimate(self):
        return estimate_essential(self.x1, self.x2, K)
