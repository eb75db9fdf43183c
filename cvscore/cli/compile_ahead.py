"""Compile the kernels that a first call needs last: run as a module, see `_kernel`."""

from __future__ import annotations

import numpy as np

from cvscore._numba.bound import BEST_OF, CLIMB, DRAW, REDESCEND
from cvscore._numba.by_address import address_of
from cvscore.models.essential import essential_model
from cvscore.models.fundamental import fundamental_model
from cvscore.models.homography import homography_model
from cvscore.ransac.irls import redescend
from cvscore.ransac.objective import Candidate, Objective, best_of, climb
from cvscore.ransac.polish import polish
from cvscore.scores.marginal import MarginalScore
from cvscore.two_view.refinement.epipolar_irls import polish_fundamental
from cvscore.two_view.spatial_prosac import draw_coherently


def main() -> None:
    """Score some residuals, then climb the score once, for each model.

    In this order, because the first call begins with the kernels of its model.
    """
    rng = np.random.default_rng(0)
    points = rng.uniform(-1.0, 1.0, (4, 64))
    score = MarginalScore(half_width=0.1)
    starts = (
        (essential_model(np.eye(3), np.eye(3)), [[0, 0, 0], [0, 0, -1], [0, 1, 0]]),
        (fundamental_model(), [[0, 0, 0], [0, 0, -1], [0, 1, 0]]),
        (homography_model(), [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    )
    rows = rng.random((2, 64))
    score.evaluate(rows, 1, 5)
    score.assess(rows[0], 1, 5)
    score.inliers(rows[0], 1, 5)
    score.preview(rows, 1, 5)
    address_of(climb, CLIMB)
    address_of(best_of, BEST_OF)
    address_of(draw_coherently, DRAW)
    address_of(redescend, REDESCEND)
    for model, matrix in starts:
        one = np.array(matrix, dtype=np.float64)
        sq_residuals = model.residuals(one[None], points)[0]
        start = Candidate(one, sq_residuals, -np.inf)
        objective = Objective(model, points, score)
        polish(objective, objective.climb(start))
        polish_fundamental(objective, start)


if __name__ == "__main__":
    main()
