"""Profile: the error of every method against its hyper-parameter around the anchor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.methods.scores import BASELINES, SCORES
from benchmarks.paper.anchors import search_anchor
from benchmarks.paper.bootstrap import (
    percentile_band,
    resampled_statistic,
    statistic,
)
from benchmarks.paper.grid import Grid
from benchmarks.paper.results import Results, fit_prior
from cvscore.scores.priors import InverseGamma
from cvscore.types import Array

NUM_RESAMPLES = 1000


@dataclass(frozen=True)
class Curve:
    """One method.

    Attributes
    ----------
    anchor : float
        Its hyper-parameter at the middle of the grid, pixels.
    ratios : (G,)
        Hyper-parameter over the anchor.
    errors, low, high : (G,)
        Median error and its 95 % band, degrees.
    per_pair_best : float
        The same statistic if every pair had its own best hyper-parameter.
    prior : InverseGamma or None
        Of a marginal score.
    """

    anchor: float
    ratios: Array
    errors: Array
    low: Array
    high: Array
    per_pair_best: float
    prior: InverseGamma | None = None

    @property
    def span(self) -> float:
        """How much the error varies over the grid, degrees."""
        return float(np.ptp(self.errors))


@dataclass(frozen=True)
class Profile:
    """Curves by method, and the error of the best model of every pool."""

    curves: dict[str, Curve]
    oracle: float
    num_pairs: int


def marginal_anchor(results: Results, prior: InverseGamma, method: str) -> float:
    """Return the half-width with the least error of all pairs, pixels."""
    groups = results.groups

    def error_at(half_widths: Array) -> Array:
        return statistic(results.marginal_errors(prior, half_widths), groups)

    return search_anchor(method, error_at)


def make_profile(results: Results, seed: int = 0) -> Profile:
    """Evaluate every method at every point of its grid."""
    curves = {}
    for method in SCORES:
        prior = None
        if method in BASELINES:
            grid = results.grids[method].values
            anchor = float(np.sqrt(grid[0] * grid[-1]))
            errors = results.baseline_errors(method)
        else:
            prior = fit_prior(method, results.variances)
            anchor = marginal_anchor(results, prior, method)
            grid = Grid.around(anchor).values
            errors = results.marginal_errors(prior, grid)
        curves[method] = _curve(results, anchor, grid, errors, prior, seed)
    return Profile(
        curves=curves,
        oracle=float(statistic(results.oracle, results.groups)),
        num_pairs=len(results.keys),
    )


def _curve(
    results: Results,
    anchor: float,
    grid: Array,
    errors: Array,
    prior: InverseGamma | None,
    seed: int,
) -> Curve:
    rng = np.random.default_rng(seed)  # the same resamples for all methods
    resamples = resampled_statistic(errors, results.groups, NUM_RESAMPLES, rng)
    low, high = percentile_band(resamples)
    return Curve(
        anchor=anchor,
        ratios=grid / anchor,
        errors=statistic(errors, results.groups),
        low=low,
        high=high,
        per_pair_best=float(statistic(errors.min(axis=1), results.groups)),
        prior=prior,
    )
