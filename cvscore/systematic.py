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

from cvscore._kernel import kernel
from cvscore.cells import cells_along, sort_into_cells
from cvscore.models._matrix3 import inverse_of, product_of
from cvscore.objective import Candidate, Objective
from cvscore.polish import polish
from cvscore.strangers import polish_without_strangers
from cvscore.types import Array

# Neighbours are looked for in cells with this many inliers: close enough to share what
# is systematic, and few are alone.
INLIERS_PER_CELL = 3
# Agreement that chance reaches once in a thousand times or less, in standard errors.
NUM_ERRORS = 3.0
# The widening goes with the independent share of the variance to this power; squared
# serves real pairs, with and without distortion, better than any other whole number.
POWER = 2
# Residuals of four times the usual width are those of right matches only by accident.
MAX_WIDENING = 4.0


def polish_fundamental(objective: Objective, best: Candidate) -> Candidate:
    """Do what `cvscore.polish.polish` does, widened where residuals are systematic."""
    return polish(objective, best, widening(objective, best, best.model))


def polish_essential(
    cameras: tuple[Array, Array], objective: Objective, best: Candidate
) -> Candidate:
    """Do so among matches that keep neighbours; ``cameras`` are those of the points."""
    inverse1, inverse2 = (inverse_of(camera) for camera in cameras)
    form = product_of(inverse2.T, product_of(best.model, inverse1))
    factor = widening(objective, best, form)
    return polish_without_strangers(objective, best, factor)


def widening(objective: Objective, best: Candidate, form: Array) -> float:
    """Return by how much to widen the last fit, 1 where residuals are independent.

    Parameters
    ----------
    objective : Objective
        Of an epipolar geometry.
    best : Candidate
        The model found.
    form : (3, 3) array
        Its fundamental matrix, for the points of the objective.
    """
    agreement, num_pairs = _agreement(form, objective.points, objective.inliers(best))
    if num_pairs == 0:
        return 1.0
    beyond_chance = agreement - NUM_ERRORS / math.sqrt(num_pairs)
    # Gaussian variables of correlation r have one sign 2/pi asin(r) more often than
    # not; r is the share of the variance that neighbours have in common.
    shared = math.sin(0.5 * math.pi * max(beyond_chance, 0.0))
    independent = max(1.0 - shared, MAX_WIDENING ** (-1.0 / POWER))
    return float(independent**-POWER)


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
