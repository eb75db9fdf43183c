"""The sweep S(k) behind an estimate: what the score said of every number of inliers."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cvscore.data.deduplication import first_occurrences, not_many_to_one
from cvscore.data.validation import as_weights
from cvscore.estimators.registry import ESTIMATORS
from cvscore.scores.marginal_score import MarginalScore
from cvscore.types import Array, Estimate


class ScoreSweep(NamedTuple):
    """The score of "the k best are inliers" for every k.

    Attributes
    ----------
    residuals : (M,) array
        Of the distinct matches, ascending, in the unit of the points.
    scores : (M,) array
        S(1), S(2), ..., S(M) over "all are outliers", in nats; ``-inf`` where there
        are no more constraints than parameters.
    k : int
        How many of the distinct matches the estimate has as inliers.
    """

    residuals: Array
    scores: Array
    k: int


def score_sweep(
    estimate: Estimate,
    x1: ArrayLike,
    x2: ArrayLike,
    kind: str,
    score: MarginalScore | None = None,
    weights: ArrayLike | None = None,
) -> ScoreSweep:
    """Return the sweep of an estimate; the arguments are those of `plot_sweep`."""
    if not estimate:
        raise ValueError(f"there is no model to plot: {estimate.reason}")
    if kind not in ESTIMATORS:
        raise ValueError(f"kind must be one of {', '.join(ESTIMATORS)}, got {kind!r}")
    if not estimate.half_width > 0.0:
        raise ValueError("there is no sweep to plot: the score was not a MarginalScore")
    counts, data, _ = ESTIMATORS[kind].form_of(x1, x2)
    points = data.pack(x1, x2)
    distinct, _ = first_occurrences(points)
    distinct = distinct[not_many_to_one(points[:, distinct], None, data.dims)]
    score = MarginalScore() if score is None else score
    score = replace(score, half_width=estimate.half_width)
    residuals = np.sort(whitened(estimate.residuals, weights)[distinct])
    dim = counts.residual_dim
    none = -len(residuals) * dim * np.log(2.0 * estimate.half_width)
    return ScoreSweep(
        residuals=residuals,
        scores=score.sweep(residuals**2, dim, counts.num_params) - none,
        k=int(estimate.inliers[distinct].sum()),
    )


def whitened(residuals: Array, weights: ArrayLike | None) -> Array:
    """Return residuals (N,) as the score has them: as of matches of mean weight."""
    relative = as_weights(weights, len(residuals))
    return residuals if relative is None else residuals * np.sqrt(relative)
