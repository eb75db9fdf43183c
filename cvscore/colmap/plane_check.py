"""A look for a homography among matches that fulfil an epipolar geometry.

A homography that says it all has nearly every one of them, at the noise that is known
from the epipolar geometry.  So a few samples find it, and the truncated squares of the
residuals are enough of a score: no scale has to be marginalised.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.data.normalization import (
    enter_frame,
    find_region,
    leave_mapping,
    power_of_two,
)
from cvscore.models.homography import homography_residuals
from cvscore.models.refiners.homography import refit_from_visible
from cvscore.models.solvers.four_point import homography_4pt
from cvscore.ransac.samplers import draw_among, generator
from cvscore.types import Array, Mask

# This finds a homography with 70 % of the matches 9,998 times in 10,000.
NUM_SAMPLES = 32
# Each refit is to the inliers of the one before; a third changes nothing any more.
NUM_REFITS = 2
DIM, NUM_PARAMS = 2, 8
CONVERGED = 1e-4  # part of its cost that a step of a refit promises at its end


class Plane(NamedTuple):
    """A homography (3, 3), which of the matches (N,) it has, and their noise scale."""

    H: Array
    inliers: Mask
    scale: float


def look_for_plane(
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
    with np.errstate(over="ignore"):  # the generator wraps around
        plane = Plane(*_look(points, is_likely, radius, generator(seed)))
    return plane if plane.inliers.any() else None


@brief_kernel
def _look(points, is_likely, radius, generator):
    """Return the fields of `Plane`; it has no inliers where there is none."""
    members = np.flatnonzero(is_likely)
    likely = points[:, members]
    centre, spreads = find_region(likely)
    unit = power_of_two(spreads.max())
    sq_radius = (radius / unit) ** 2
    inside = enter_frame(likely, centre, unit)
    H, sq_residuals = _best_of_samples(inside, sq_radius, generator)
    inliers = np.zeros(points.shape[1], dtype=np.bool_)
    near = sq_residuals <= sq_radius
    num_spare = DIM * near.sum() - NUM_PARAMS
    # Four matches fit exactly, and say nothing of a plane or of noise.
    if num_spare <= 0:
        return H, inliers, 0.0
    inliers[members[near]] = True
    scale = unit * np.sqrt(sq_residuals[near].sum() / num_spare)
    return leave_mapping(H, centre, unit), inliers, scale


@kernel
def _best_of_samples(points, sq_radius, generator):
    """Best homography of some samples, refitted, and its squared residuals (N,)."""
    members = np.arange(points.shape[1])
    samples = draw_among(generator, members, 4, NUM_SAMPLES)
    models = homography_4pt(points, samples)
    sq_residuals = homography_residuals(models, points)
    best_model, best_residuals = np.eye(3), np.full(points.shape[1], np.inf)
    least = np.inf
    for k in range(models.shape[0]):
        cost = _truncated_sum(sq_residuals[k], sq_radius)
        if cost < least:
            least = cost
            best_model, best_residuals = models[k].copy(), sq_residuals[k].copy()
    for _ in range(NUM_REFITS):
        weights = np.where(best_residuals <= sq_radius, 1.0, 0.0)
        moved = refit_from_visible(best_model, points, weights, CONVERGED, np.empty(0))
        residuals = homography_residuals(moved.reshape((1, 3, 3)), points)[0]
        cost = _truncated_sum(residuals, sq_radius)
        if not cost < least:
            break
        least, best_model, best_residuals = cost, moved, residuals
    return best_model, best_residuals


@kernel
def _truncated_sum(sq_residuals, limit):
    total = 0.0
    for value in sq_residuals:
        total += min(value, limit)
    return total
