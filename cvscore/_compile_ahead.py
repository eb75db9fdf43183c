"""Compile the kernels that a first call needs last: run as a module, see `_kernel`."""

from __future__ import annotations

import numpy as np

from cvscore.models.essential import essential_model
from cvscore.models.fundamental import fundamental_model
from cvscore.models.homography import homography_model
from cvscore.polish import polish
from cvscore.ransac import Candidate, locally_optimise
from cvscore.scores.marginal import MarginalScore


def main() -> None:
    """Climb the score once from a rough start, for each model."""
    rng = np.random.default_rng(0)
    points = rng.uniform(-1.0, 1.0, (4, 64))
    score = MarginalScore(half_width=0.1)
    starts = (
        (essential_model(np.eye(3), np.eye(3)), [[0, 0, 0], [0, 0, -1], [0, 1, 0]]),
        (fundamental_model(), [[0, 0, 0], [0, 0, -1], [0, 1, 0]]),
        (homography_model(), [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    )
    score.evaluate(rng.random((2, 64)), 1, 5)
    for model, matrix in starts:
        one = np.array(matrix, dtype=np.float64)
        sq_residuals = model.residuals(one[None], points)[0]
        start = Candidate(one, sq_residuals, -np.inf)
        polish(locally_optimise(start, model, points, score), model, points, score)


if __name__ == "__main__":
    main()
