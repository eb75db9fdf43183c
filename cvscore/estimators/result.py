"""The `Estimate` that a search ends in, of the rows that were given."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from cvscore.data.point_sets import PointSets
from cvscore.estimators.preparation import Problem
from cvscore.inference.fit_summary import FitSummary, evidence_of
from cvscore.inference.match_probabilities import MatchProbabilities
from cvscore.ransac.objective import Candidate, Objective
from cvscore.types import Array, Estimate


def result(
    data: PointSets,
    problem: Problem,
    objective: Objective,
    best: Candidate,
    summary: FitSummary,
    model: Array,
    iterations: int,
    **further: Any,
) -> Estimate:
    """Say what the data tell of the best candidate.

    ``model`` is its model for the points outside of the frame, and ``further`` are
    fields of the estimate that are known already.
    """
    unit = problem.frame.unit
    of_surplus = summary.residuals[:0]
    if problem.surplus.size:
        sq_residuals = objective.model.residuals(best.model[None], problem.surplus)[0]
        if problem.weights is not None:
            sq_residuals = sq_residuals * problem.weights[objective.points.shape[1] :]
        of_surplus = unit * np.sqrt(sq_residuals)
    inliers, whitened = problem.to_rows(
        summary.inliers, summary.residuals, of_surplus, summary.threshold
    )
    half_width = objective.score.half_width
    before_widening = problem.score.half_width
    return Estimate(
        model=model,
        inliers=inliers,
        residuals=problem.unwhitened(whitened),
        score=summary.score,
        scale=summary.noise.scale,
        threshold=summary.threshold,
        evidence_from=partial(
            evidence_of,
            objective,
            best,
            summary.inliers,
            data.bounds,
            iterations,
            problem.precision,
        ),
        iterations=iterations,
        noise=summary.noise,
        half_width=np.nan if half_width is None else unit * half_width,
        probabilities_from=MatchProbabilities(
            whitened,
            summary.residuals,
            summary.inliers,
            objective.model.residual_dim,
            objective.model.num_params,
            np.inf if before_widening is None else unit * before_widening,
            unit * problem.precision,
        ),
        **further,
    )


def failure(num_rows: int, reason: str, iterations: int = 0) -> Estimate:
    """Return the false `Estimate` that says why there is no model."""
    return Estimate(
        model=None,
        inliers=np.zeros(num_rows, dtype=np.bool_),
        residuals=np.full(num_rows, np.inf),
        score=-np.inf,
        scale=np.nan,
        threshold=np.nan,
        evidence_from=-np.inf,
        iterations=iterations,
        reason=reason,
    )
