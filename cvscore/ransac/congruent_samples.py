"""Samples whose points are as far apart in one set as in the other.

A rigid motion keeps the distances between points, a similarity their ratios.  So a
sample shows by itself whether it can be free of outliers, before any model is made of
it: of many samples drawn, the one that keeps them best is returned.  Nothing is
rejected, and nothing is a threshold; the score never sees any of it.

A sample is built up: pairs of points first, then, for each pair that is no worse than
the best sample so far, some candidates for a third point.  At 5 % inliers one triangle
in 8,000 is right; of those returned, one in forty for a rigid motion and one in three
hundred for a similarity.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.random_numbers import random_number, write_distinct
from cvscore.ransac.samplers import OF_ALL, KernelSampler, new_state
from cvscore.types import Array

# Plain samples before any are compared; easy data need no more.
NUM_PLAIN_SAMPLES = 32
# Pairs tried for a sample, and third points for a pair.  A pair has a distance to be
# compared by where the scale is known; where not, only the third point tells.
NUM_PAIRS = 24
NUM_PAIRS_OF_ANY_SCALE = 4
NUM_THIRDS = 16


class CongruentSampler(KernelSampler):
    """Draws samples of 3 points of space that keep their distances, or the ratios.

    Parameters
    ----------
    points : (6, N) array
        Matches of two sets of points in space.
    any_scale : bool
        Whether only ratios of distances are kept.
    seed : int
        Of the random generator.
    """

    def __init__(self, points: Array, *, any_scale: bool, seed: int = 0) -> None:
        draw = draw_similar if any_scale else draw_congruent
        super().__init__(draw, points, new_state(seed, 3, points.shape[1]))


@kernel
def draw_congruent(points, num_samples, state):
    """Draw samples (num_samples, 3) that keep their distances."""
    return _draw(points, num_samples, state, NUM_PAIRS, True)


@kernel
def draw_similar(points, num_samples, state):
    """Draw samples (num_samples, 3) that keep the ratios of their distances."""
    return _draw(points, num_samples, state, NUM_PAIRS_OF_ANY_SCALE, False)


@kernel
def _draw(points, num_samples, state, num_pairs, keeps_scale):
    samples = np.empty((num_samples, 3), dtype=np.int64)
    trial = np.empty(3, dtype=np.int64)
    by_point = np.ascontiguousarray(points.T)  # a point's coordinates side by side
    for b in range(num_samples):
        write_distinct(state.generator, state.num_points, samples[b])
        if state.num_drawn[OF_ALL] >= NUM_PLAIN_SAMPLES:
            least = np.inf
            for _ in range(num_pairs):
                write_distinct(state.generator, state.num_points, trial[:2])
                growth = _growth(by_point, trial[0], trial[1])
                # Distances grow by factors between these two, and all should be one.
                low = min(growth, 1.0) if keeps_scale else growth
                high = max(growth, 1.0) if keeps_scale else growth
                if not (low > 0.0 and high < least * low):
                    continue
                for _ in range(NUM_THIRDS):
                    drawn = random_number(state.generator) * state.num_points
                    trial[2] = np.int64(drawn)
                    misfit = _misfit(by_point, trial, low, high)
                    if misfit < least:
                        least = misfit
                        for i in range(3):
                            samples[b, i] = trial[i]
        state.num_drawn[OF_ALL] += 1
    return samples


@kernel
def _misfit(by_point, sample, low, high):
    """Ratio of the largest to the smallest growth of a triangle's squared sides.

    ``low`` and ``high`` are those without the third point.  Infinite where two points
    are one, or in one place.
    """
    if sample[2] == sample[0] or sample[2] == sample[1]:
        return np.inf
    second = _growth(by_point, sample[0], sample[2])
    third = _growth(by_point, sample[1], sample[2])
    lowest, highest = min(low, second, third), max(high, second, third)
    if not (lowest > 0.0 and highest < np.inf):
        return np.inf
    return highest / lowest


@kernel
def _growth(by_point, i, j):
    """Squared distance of two points in set 2 over that in set 1, if not infinite."""
    before, after = 0.0, 0.0
    for row in range(3):
        before += (by_point[i, row] - by_point[j, row]) ** 2
        after += (by_point[i, row + 3] - by_point[j, row + 3]) ** 2
    return after / before if before > 0.0 else np.inf
