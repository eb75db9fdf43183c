"""The last step: a fit whose scale comes from the core of the partition.

The partition is hard, and close to its edge it holds near misses that a least-squares
fit on all inliers follows.  The smaller of the inliers' residuals are hardly moved by
them; a redescending loss of that width over all points lets the inlier set change
during the fit.  Nothing here is a threshold: the width is read off the residuals.
"""

from __future__ import annotations

from cvscore.ransac.objective import CONVERGED, Candidate, Objective
from cvscore.ransac.irls import redescend

# Residuals beyond this many core scales have no say: Tukey's biweight at the constant
# that keeps 95 % of the efficiency of least squares on clean Gaussian data.
CUT = 4.685


def polish(
    objective: Objective, candidate: Candidate, widening: float = 1.0
) -> Candidate:
    """Refit with redescending weights at the scale of the inliers' core.

    ``widening`` multiplies the width, for residuals that are not independent.
    """
    model = objective.model
    return Candidate(
        *objective.run(
            redescend,
            candidate.model,
            candidate.sq_residuals,
            objective.points,
            model.residual_dim,
            model.num_params,
            (CUT * widening) ** 2,
            CONVERGED,
        )
    )
