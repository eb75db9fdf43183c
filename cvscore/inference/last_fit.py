"""The last fit of a model: at the half-width that suits it, polished, and labelled.

Where the cut leaves out right matches the outliers' half-width is widened first
(`outlier_width`), then the model is polished (`irls`), and then the points are labelled
and the noise is measured (`fit_summary`).

Hardly ever is there anything to widen, and then one kernel does the rest: the one that
searched, where nothing comes between.  A kernel that ends and another that begins cost
a short call its time, and other threads the interpreter's lock.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cvscore._numba.bound import bound_kernel
from cvscore.inference.fit_summary import (
    FitSummary,
    Labels,
    label,
    prior_of,
    summary_of,
)
from cvscore.inference.outlier_width import is_cut_short, widen_outlier_width
from cvscore.ransac.irls import polished
from cvscore.ransac.loop import search_by, search_slice
from cvscore.ransac.objective import Candidate, Objective
from cvscore.ransac.stopping import SearchStyle
from cvscore.types import Sampler


class LastFit(NamedTuple):
    """What the last fit of an estimator does.

    Attributes
    ----------
    widens : bool
        Whether the outliers' half-width is widened, where the score allows it.
    polishes : bool
        Whether the model is refitted with Tukey's weights.
    """

    widens: bool
    polishes: bool


NOTHING_MORE = LastFit(widens=False, polishes=False)
WIDEN_AND_POLISH = LastFit(widens=True, polishes=True)


class Fitted(NamedTuple):
    """A candidate after its last fit, its objective, and what the points say of it."""

    objective: Objective
    candidate: Candidate
    summary: FitSummary


class Settings(NamedTuple):
    """What the kernel of the last fit is told, in the unit of the points inside.

    ``unit`` is that of these points, ``alpha`` and ``beta`` are the prior of the noise.
    """

    alpha: float
    beta: float
    unit: float
    widens: bool
    polishes: bool


class Ending(NamedTuple):
    """How the last fit ended; before all of it, where the half-width is to be widened.

    ``labels`` are those of the candidate that it has.
    """

    candidate: Candidate
    labels: Labels
    is_cut_short: bool


def fit_last(
    objective: Objective, candidate: Candidate, last_fit: LastFit, unit: float
) -> Fitted:
    """Do the last fit of a candidate; ``unit`` is that of the objective's points."""
    settings = _settings(objective, last_fit, unit)
    ending = objective.run(_fit_last, candidate, settings)
    return _fitted(objective, ending, last_fit, unit)


def search_and_fit(
    objective: Objective,
    sampler: Sampler,
    style: SearchStyle,
    last_fit: LastFit,
    unit: float,
) -> tuple[Fitted | None, int]:
    """Search and do the last fit of what is found; also return the samples drawn."""
    settings = _settings(objective, last_fit, unit)
    state, ending = search_by(_search_and_fit, objective, sampler, style, settings)
    if not state.best.score > -np.inf:
        return None, state.iterations
    return _fitted(objective, ending, last_fit, unit), state.iterations


def _settings(objective: Objective, last_fit: LastFit, unit: float) -> Settings:
    score = objective.score
    can_widen = score.half_width is not None and score.max_half_width is not None
    widens = last_fit.widens and can_widen
    return Settings(*prior_of(score), unit, widens, last_fit.polishes)


def _fitted(
    objective: Objective, ending: Ending, last_fit: LastFit, unit: float
) -> Fitted:
    """Return what the kernel found, after widening the half-width where it must be."""
    if ending.is_cut_short:
        wider, candidate = widen_outlier_width(objective, ending.candidate)
        return fit_last(wider, candidate, last_fit._replace(widens=False), unit)
    summary = summary_of(objective, ending.labels, unit)
    return Fitted(objective, ending.candidate, summary)


@bound_kernel
def _fit_last(objective, candidate, settings):
    alpha, beta, unit = settings.alpha, settings.beta, settings.unit
    if settings.widens:
        labels = label(objective, candidate.sq_residuals, alpha, beta, 1.0)
        if is_cut_short(labels, objective.model.residual_dim):
            return Ending(candidate, labels, True)
    if settings.polishes:
        candidate = polished(objective, candidate)
    labels = label(objective, candidate.sq_residuals, alpha, beta, unit)
    return Ending(candidate, labels, False)


@bound_kernel
def _search_and_fit(objective, sampler, generator, limits, state, settings):
    """Search on for a slice of the work, and do the last fit where it is over."""
    state = search_slice(objective, sampler, generator, limits, state)
    if state.is_over and state.best.score > -np.inf:
        return state, _fit_last(objective, state.best, settings)
    labels = Labels(np.empty(0, dtype=np.bool_), np.empty(0), 0.0, 0.0, 0.0, 0.0)
    return state, Ending(state.best, labels, False)
