"""A quick check for a homography among matches that fulfil an epipolar geometry.

A homography that says it all has nearly every one of them, at the noise that is known
from the epipolar geometry.  So a few samples find it, and the truncated squares of the
residuals (MSAC) are enough of a score: no scale has to be marginalised.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cvscore.data.normalization import frame_of, region_of
from cvscore.models.homography import homography_model
from cvscore.numerics.random_numbers import generator
from cvscore.ransac.local_optimization import optimise
from cvscore.ransac.objective import Objective
from cvscore.ransac.subset_search import best_of_samples
from cvscore.scores.baselines import Msac
from cvscore.two_view.image_frames import homography_outside
from cvscore.types import Array, Mask

# This finds a homography with 70 % of the matches 9,998 times in 10,000.
NUM_CHECK_SAMPLES = 32


class Plane(NamedTuple):
    """A homography (3, 3), which of the matches (N,) it has, and their noise scale."""

    H: Array
    inliers: Mask
    scale: float


def check_for_plane(
    points: Array, is_likely: Mask, radius: float, seed: int
) -> Plane | None:
    """Find the homography of most of the likely matches; None where there is none.

    Parameters
    ----------
    points : (4, N) array
        Matches.
    is_likely : (N,) bool array
        Those that are right but for few; only these are looked at.
    radius : float
        How far right matches reach from a model, in the unit of the points.
    seed : int
        Of the random generator.
    """
    likely = np.ascontiguousarray(points[:, is_likely])
    frame = frame_of(region_of(likely))
    score = Msac(radius / frame.unit)
    objective = Objective(homography_model(), frame.enter(likely), score)
    start = objective.run(best_of_samples, NUM_CHECK_SAMPLES, generator(seed))
    if not start.score > -np.inf:
        return None
    found = optimise(objective, start)
    near = objective.inliers(found)
    counts = objective.model.residual_dim, objective.model.num_params
    summary = score.summarise(found.sq_residuals, *counts)
    # Four matches fit exactly, and say nothing of a plane or of noise.
    if not summary.scale > 0.0:
        return None
    inliers = np.zeros(points.shape[1], dtype=np.bool_)
    inliers[np.flatnonzero(is_likely)[near]] = True
    H: Array = homography_outside(frame, found.model)
    return Plane(H, inliers, frame.unit * summary.scale)
