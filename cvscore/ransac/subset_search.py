"""A short search among few points: the best of some samples, optimised.

For questions beside the main search, as whether a plane holds most inliers of a model.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.bound import bound_kernel, call_solve
from cvscore.ransac.objective import best_of
from cvscore.ransac.samplers import draw_among


@bound_kernel
def best_of_samples(objective, num_samples, generator):
    """Return the best candidate of uniform minimal samples; the score -inf if none."""
    members = np.arange(objective.points.shape[1])
    size = objective.model.sample_size
    samples = draw_among(generator, members, size, num_samples)
    models = call_solve(objective.model, objective.points, samples)
    return best_of(objective, models, -np.inf)
