"""The last fit of an epipolar geometry, as wide as its residuals are systematic.

Noise of the keypoints is independent: of two inliers next to each other one lies on the
left of its epipolar line as often as not on the side of the other.  A wrong focal
length or a distortion that was not undone moves whole neighbourhoods to one side.  The
fit then hides the error where most matches are, the core of the residuals is too narrow
for all other right matches, and how large a residual is says less about whether the
match is right.  So the last fit is widened by as much as neighbours agree.  Signs have
no unit, and where the camera is what it is said to be nothing changes.
"""

from __future__ import annotations

import math

import numpy as np

from cvscore._numba.compile import kernel
from cvscore._numba.bound import (
    call_assess,
    call_inliers,
    call_redescend,
    call_residuals,
    call_resize,
)
from cvscore.numerics.bucket_grid import cells_along, sort_into_cells
from cvscore.numerics.matrix3 import form_of_images
from cvscore.ransac.objective import CONVERGED, Candidate, Objective
from cvscore.ransac.polish import CUT
from cvscore.two_view.refinement.isolated_inliers import without_strangers
from cvscore.types import Array

# Neighbours are looked for in cells with this many inliers: close enough to share what
# is systematic, and few are alone.
INLIERS_PER_CELL = 3
# Agreement that chance reaches once in a thousand times or less, in standard errors.
NUM_ERRORS = 3.0
# The widening goes with the independent share of the variance to this power; squared
# serves real pairs, with and without distortion, better than any other whole number.
POWER = 2.0
# Residuals of four times the usual width are those of right matches only by accident.
MAX_WIDENING = 4.0


def polish_fundamental(objective: Objective, best: Candidate) -> Candidate:
    """Do what `cvscore.ransac.polish.polish` does, widened where residuals are systematic."""
    return polish_epipolar(objective, best, best.model)


def polish_essential(
    cameras: tuple[Array, Array], objective: Objective, best: Candidate
) -> Candidate:
    """Do so among matches that keep neighbours; ``cameras`` are those of the points."""
    form = form_of_images(best.model, *cameras)
    return polish_epipolar(objective, best, form, leave_strangers=True)


def polish_epipolar(
    objective: Objective,
    best: Candidate,
    form: Array,
    *,
    leave_strangers: bool = False,
) -> Candidate:
    """Polish an epipolar geometry.

    Parameters
    ----------
    objective : Objective
        Of an epipolar geometry.
    best : Candidate
        The model found.
    form : (3, 3) array
        Its fundamental matrix, for the points of the objective.
    leave_strangers : bool
        Whether matches that keep no neighbours have no say.
    """
    model = objective.model
    return Candidate(
        *objective.run(
            _polish,
            best.model,
            best.sq_residuals,
            best.score,
            objective.points,
            form,
            model.residual_dim,
            model.num_params,
            leave_strangers,
        )
    )


@kernel
def _polish(
    functions,
    constants,
    model,
    sq_residuals,
    score,
    points,
    form,
    dim,
    num_params,
    leave_strangers,
):
    """Return the polished model, its residuals and its score."""
    inliers = np.flatnonzero(call_inliers(functions, (sq_residuals, constants[1])))
    factor = widening(form, points, inliers)
    how = dim, num_params, (CUT * factor) ** 2, CONVERGED
    chosen = np.empty(0, dtype=np.int64)
    if leave_strangers:
        chosen = without_strangers(points, sq_residuals, inliers, factor)
    if not leave_strangers or chosen.shape[0] == points.shape[1]:
        start = functions, constants, model, sq_residuals, points
        return call_redescend(functions, (*start, *how))
    of_rows = constants[1], chosen.shape[0], dim, num_params
    resized = constants[0], call_resize(functions, of_rows)
    some = np.ascontiguousarray(points[:, chosen])
    start = functions, resized, model, sq_residuals[chosen], some
    moved, _, _ = call_redescend(functions, (*start, *how))
    one = moved.reshape((1, *moved.shape))
    moved_residuals = call_residuals(functions, (one, points, constants[0]))[0]
    moved_score, _ = call_assess(functions, (moved_residuals, constants[1]))
    if not moved_score > -np.inf:
        return model, sq_residuals, score
    return moved, moved_residuals, moved_score


@kernel
def widening(form, points, inliers):
    """Return by how much to widen the last fit, 1 where residuals are independent.

    Parameters
    ----------
    form : (3, 3) array
        Fundamental matrix.
    points : (4, N) array
    inliers : (M,) int array
    """
    agreement, num_pairs = _agreement(form, points, inliers)
    if num_pairs == 0:
        return 1.0
    beyond_chance = agreement - NUM_ERRORS / math.sqrt(num_pairs)
    # Gaussian variables of correlation r have one sign 2/pi asin(r) more often than
    # not; r is the share of the variance that neighbours have in common.
    shared = math.sin(0.5 * math.pi * max(beyond_chance, 0.0))
    independent = max(1.0 - shared, MAX_WIDENING ** (-1.0 / POWER))
    return independent ** (-POWER)


@kernel
def _agreement(form, points, inliers):
    """Mean product of the signs of neighbouring residuals, and of how many pairs.

    Inliers are sorted into cells of the first image; neighbours are those that follow
    each other in a cell.  Where signs are independent, so are these products.

    Parameters
    ----------
    form : (3, 3) array
    points : (4, N) array
    inliers : (M,) int array
    """
    num = inliers.shape[0]
    if num < 2:
        return 0.0, 0
    x, y = points[0][inliers], points[1][inliers]
    cells = max(1, int(np.sqrt(num / INLIERS_PER_CELL)))
    cell_of = cells_along(y, cells) * cells + cells_along(x, cells)
    first, position = sort_into_cells(cell_of, cells * cells)
    signs = np.empty(num)
    for i in range(num):
        a = form[0, 0] * x[i] + form[0, 1] * y[i] + form[0, 2]
        b = form[1, 0] * x[i] + form[1, 1] * y[i] + form[1, 2]
        c = form[2, 0] * x[i] + form[2, 1] * y[i] + form[2, 2]
        k = inliers[i]
        signs[position[i]] = np.sign(points[2, k] * a + points[3, k] * b + c)
    total, num_pairs = 0.0, 0
    for cell in range(cells * cells):
        for i in range(first[cell], first[cell + 1] - 1):
            total += signs[i] * signs[i + 1]
            num_pairs += 1
    return total / max(num_pairs, 1), num_pairs
