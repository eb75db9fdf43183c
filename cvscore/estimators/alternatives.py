"""What else explains the matches about as well, searched for when it is asked for.

Three kinds of other answers are looked for:

- what the estimator itself knows to be ambiguous (`Estimator.find_rivals`; the second
  pose of a plane, of two views or of one);
- another structure, as a second plane or a thing that moves by itself: what a search
  among the outliers finds.  It is listed where those outliers alone give it at least
  `MIN_EVIDENCE_SHARE` of the evidence of the first: what is left of the first
  structure, beyond its threshold, never has as much;
- a narrower fit: what a search among the inliers finds in half of their band.  Where
  right matches are few the model may have been fitted to near misses, at their scale.
  It is listed where it is the likelier one (`cvscore.inference.narrower_fit`), and how
  likely it is counts in the probabilities of the matches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cvscore.estimators.preparation import Problem
from cvscore.inference.fit_summary import evidence_of, summarise_fit
from cvscore.inference.match_probabilities import NEAREST_MISS
from cvscore.inference.narrower_fit import evidence_difference
from cvscore.inference.null_density import TINY
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
# Of the inliers' threshold: the half-width for a search among them.  Chosen on
# validation problems: with 0.25 or 0.7 fewer of the right models are found for F.
NARROWER_BAND = 0.5


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
            self._other(rival.objective, rival.candidate, rival.difference)
            for rival in self.estimator.find_rivals(self.objective, self.best)
        ]
        others += self._structures(found)
        if self.narrower is not None and self.narrower.evidence_difference > 0.0:
            others.append(self.narrower)
        others.sort(key=lambda other: -other.evidence_difference)
        return tuple(other for other in others if other)

    @cached_property
    def narrower(self) -> Estimate | None:
        """The best narrower fit among the inliers, however likely it is.

        None where there is none, and where noise is so small against the half-width of
        the score that near misses are told from it.
        """
        half_width = self.problem.score.half_width
        wide = summarise_fit(self.objective, self.best, 1.0)
        if half_width is None or not wide.noise.scale > NEAREST_MISS * half_width:
            return None
        if np.count_nonzero(wide.inliers) <= self.objective.model.sample_size:
            return None
        score = self.problem.score.with_half_width(NARROWER_BAND * wide.threshold)
        objective = self.objective.with_score(score)
        problem = self.problem._replace(score=score)
        fitted, iterations = self.estimator.search_among(
            problem, objective, wide.inliers
        )
        if fitted is None:
            return None
        of_all = objective.best_of(fitted.candidate.model[None])
        if of_all is None:
            return None
        noise = summarise_fit(objective, of_all, 1.0).noise
        if not noise.scale > 0.0:
            return None
        difference = evidence_difference(
            self.best.sq_residuals,
            of_all.sq_residuals,
            (wide.noise.scale, noise.scale),
            float(np.count_nonzero(wide.inliers)),
            objective.model.residual_dim,
            objective.model.num_params,
            half_width,
            max(problem.precision**2, TINY),
        )
        if not difference > -np.inf:  # no noise at all about the narrower fit
            return None
        return self.estimator.conclude(
            problem, objective, of_all, iterations, evidence_difference=difference
        )

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
            return KnownAnswers, (self.find(self._found()), self.narrower)
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
    narrower: Estimate | None

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
