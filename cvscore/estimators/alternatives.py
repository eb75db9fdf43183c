"""What else explains the matches about as well, searched for when it is asked for.

Two kinds of other answers are looked for: what the estimator itself knows to be
ambiguous (`Estimator.find_rivals`; the second pose of a plane, of two views or of one),
and another structure, as a second plane or a thing that moves by itself.  A structure
is what a search among the outliers finds.  It is listed where those outliers alone give
it at least `MIN_EVIDENCE_SHARE` of the evidence of the first: what is left of the first
structure, beyond its threshold, never has as much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cvscore.estimators.preparation import Problem
from cvscore.inference.fit_summary import evidence_of
from cvscore.ransac.objective import Candidate, Objective
from cvscore.types import (
    SIGNIFICANT_EVIDENCE,
    Estimate,
    GeometricModel,
    RansacOptions,
    Score,
)

if TYPE_CHECKING:
    from cvscore.estimators.pipeline import Estimator

# Of the evidence of the first structure, and of the number of its inliers.
MIN_EVIDENCE_SHARE = 0.5


@dataclass(frozen=True)
class OtherAnswers:
    """What is needed to look for other answers than the one that was found.

    Attributes
    ----------
    estimator : Estimator
        How models of the kind are estimated.
    problem, objective : Problem, Objective
        The points, and how models of them are compared.
    best : Candidate
        What was found.
    iterations : int
        Samples drawn.
    """

    estimator: Estimator
    problem: Problem
    objective: Objective
    best: Candidate
    iterations: int

    def find(self, found: Estimate) -> tuple[Estimate, ...]:
        """Return the other answers, those of most evidence first."""
        others = [
            self._other(self.objective, rival.candidate, rival.difference)
            for rival in self.estimator.find_rivals(self.objective, self.best)
        ]
        others += self._structures(found)
        others.sort(key=lambda other: -other.evidence_difference)
        return tuple(other for other in others if other)

    def _structures(self, found: Estimate) -> list[Estimate]:
        """Return the structure among the outliers, if it has evidence enough."""
        outliers = ~self.objective.inliers(self.best)
        needed = MIN_EVIDENCE_SHARE * np.count_nonzero(~outliers)
        least = max(needed, self.objective.model.sample_size + 1)
        if np.count_nonzero(outliers) < least:
            return []
        structure, iterations = self.estimator.search_among(
            self.problem, self.objective, outliers
        )
        if structure is None:
            return []
        evidence = evidence_of(
            structure.objective,
            structure.candidate,
            structure.summary.inliers,
            self.estimator.data.bounds,
            iterations,
            self.problem.precision,
        )
        least_evidence = MIN_EVIDENCE_SHARE * found.evidence
        if not evidence > max(SIGNIFICANT_EVIDENCE, least_evidence):
            return []
        of_all = self.objective.best_of(structure.candidate.model[None])
        if of_all is None:
            return []
        return [self._other(self.objective, of_all, evidence - found.evidence)]

    def _other(
        self, objective: Objective, candidate: Candidate, difference: float
    ) -> Estimate:
        given = self.problem, objective, candidate, self.iterations
        return self.estimator.conclude(*given, evidence_difference=difference)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Travel as what it was made of, or as its answers where that can't be made.

        Models and scores that are compiled are those of this package.
        """
        model, score = self.objective.model, self.objective.score
        if model.remake is None or not self.objective.is_compiled:
            return KnownAnswers, (self.find(self._found()),)
        given = self.estimator, self.problem, model.remake, score
        options = self.objective.options
        return _remade, (*given, options, self.best, self.iterations)

    def _found(self) -> Estimate:
        given = self.problem, self.objective, self.best, self.iterations
        return self.estimator.conclude(*given)


@dataclass(frozen=True)
class KnownAnswers:
    """Other answers that were found before."""

    answers: tuple[Estimate, ...]

    def find(self, found: Estimate) -> tuple[Estimate, ...]:
        """Return them."""
        return self.answers


def _remade(
    estimator: Estimator,
    problem: Problem,
    remake: Callable[[], GeometricModel],
    score: Score,
    options: RansacOptions,
    best: Candidate,
    iterations: int,
) -> OtherAnswers:
    given = remake(), problem.points, score, options, problem.point_weights
    objective = Objective(*given)
    return OtherAnswers(estimator, problem, objective, best, iterations)
