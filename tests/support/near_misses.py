"""Matches of a shift, and many that miss it, to which a model is fitted instead."""

import numpy as np

SHIFT = np.array([20.0, 10.0])
NUM_RIGHT, NUM_NEAR, NUM_FAR = 120, 580, 400


def shifted_with_misses(rng):
    """Return matches (N, 2) of the shift, those that miss it, and which are right."""
    x1 = rng.uniform(0.0, 1000.0, (NUM_RIGHT + NUM_NEAR + NUM_FAR, 2))
    x2 = x1 + SHIFT + rng.normal(0.0, 0.5, x1.shape)
    near = slice(NUM_RIGHT, NUM_RIGHT + NUM_NEAR)
    x2[near, 0] += 8.0
    x2[near] += rng.normal(0.0, 10.0, (NUM_NEAR, 2))
    x2[near.stop :] = rng.uniform(0.0, 1000.0, (NUM_FAR, 2))
    return x1, x2, np.arange(len(x1)) < NUM_RIGHT
