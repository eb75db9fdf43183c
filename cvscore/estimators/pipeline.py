"""The way of every estimate: prepare, search, the estimator's steps, last fit, result.

An `Estimator` says what is special about one model: the data it is fitted to, how the
search goes about it, the steps that improve what the search has found, and what the
last fit does.  Each step takes and returns an objective and a candidate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from cvscore.data.normalization import Frame
from cvscore.data.point_sets import PointSets
from cvscore.estimators.alternatives import OtherAnswers
from cvscore.estimators.open_directions import open_by_noise
from cvscore.estimators.posterior import Posterior
from cvscore.estimators.preparation import Problem, prepare
from cvscore.estimators.result import failure, result
from cvscore.inference.fit_summary import FitSummary, summarise_fit
from cvscore.inference.last_fit import (
    NOTHING_MORE,
    Fitted,
    LastFit,
    fit_last,
    search_and_fit,
)
from cvscore.ransac.local_optimization import optimise, optimise_from
from cvscore.ransac.loop import search
from cvscore.ransac.objective import Candidate, Objective, Rival
from cvscore.ransac.samplers import ProsacSampler
from cvscore.ransac.stopping import PLAIN, SearchStyle
from cvscore.types import (
    Array,
    Estimate,
    GeometricModel,
    Mask,
    Pose,
    RansacOptions,
    Sampler,
    Score,
    check_score,
)

# Minimal solvers of image pairs: compiled, or OpenCV's.
SOLVERS = ("native", "opencv")

Step = Callable[[Objective, Candidate], tuple[Objective, Candidate]]


def unchanged(frame: Frame, model: Array) -> Array:
    """Return a model that is the same in every frame."""
    return model


def no_pose(posterior: Posterior) -> None:
    """Return the pose of a model that has none."""


def no_rivals(objective: Objective, candidate: Candidate) -> list[Rival]:
    """Return the rivals of a candidate that has none."""
    return []


@dataclass(frozen=True)
class Estimator:
    """How models of one kind are estimated.

    Attributes
    ----------
    data : PointSets
        What the models are fitted to.
    steps : tuple of callable
        ``step(objective, candidate)`` to the same two, in this order.
    denormalise : callable
        ``denormalise(frame, model)``: the model of the points outside of the frame.
    change_outside : callable
        ``change_outside(frame, change)``: what a change of a model inside is outside;
        linear.
    find_open : callable
        ``find_open(posterior)``: what inliers leave open of the model, in words.
    find_pose : callable
        ``find_pose(posterior)``: the pose behind the model; None where it has none.
    find_rivals : callable
        ``find_rivals(objective, candidate)``: other candidates that explain the points
        about as well, each with the difference in evidence.
    style : SearchStyle
        How the search goes about it.
    last_fit : LastFit
        What is done after the steps.
    """

    data: PointSets
    steps: tuple[Step, ...] = ()
    denormalise: Callable[[Frame, Array], Array] = unchanged
    change_outside: Callable[[Frame, Array], Array] = unchanged
    find_open: Callable[[Posterior], str] = open_by_noise
    find_pose: Callable[[Posterior], Pose | None] = no_pose
    find_rivals: Callable[[Objective, Candidate], list[Rival]] = no_rivals
    style: SearchStyle = PLAIN
    last_fit: LastFit = NOTHING_MORE

    def run(
        self,
        model: GeometricModel,
        points: Array,
        *,
        score: Score | None = None,
        options: RansacOptions | None = None,
        quality: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        frame: Frame | None = None,
        focal: float | None = None,
        start: Callable[[Frame], Array] | None = None,
    ) -> Estimate:
        """Estimate a model from points of which many may be wrong.

        Parameters
        ----------
        model : GeometricModel
            What to fit, for points inside the frame.
        points : (D, N) array
            As ``data`` packs them.
        score : Score, optional
            What makes a model good; by default the scale-free `MarginalScore`.
        options : RansacOptions, optional
            Limits of the search.
        quality : (N,) array, optional
            Larger for points that are likelier to be right; they are sampled first.
        weights : (N,) array, optional
            Inverse variances of the points' noise, of which only the ratios count.
        frame : Frame, optional
            In which to work; by default one of the points' own.
        focal : float, optional
            Focal length of the cameras, in the unit of the points.
        start : callable, optional
            ``start(frame)``: a model to try beside those of samples, inside the frame.
        """
        options = RansacOptions.given(options)
        if score is not None:
            check_score(score)
        problem = prepare(self.data, points, frame, score, quality, focal, weights)
        if problem.points.shape[1] <= model.sample_size:
            return failure(problem.num_rows, too_few(problem, model))
        objective = Objective(
            model, problem.points, problem.score, options, problem.point_weights
        )
        sampler = self._sampler(problem, model, options)
        fitted, iterations = self._find(objective, sampler, problem, start)
        if fitted is None:
            return failure(problem.num_rows, degenerate(problem, model), iterations)
        others = OtherAnswers(
            self, problem, fitted.objective, fitted.candidate, iterations
        )
        return self._concluded(problem, fitted, iterations, others=others)

    def _find(
        self,
        objective: Objective,
        sampler: Sampler,
        problem: Problem,
        start: Callable[[Frame], Array] | None = None,
    ) -> tuple[Fitted | None, int]:
        """Search, take the steps, do the last fit; also return the samples drawn."""
        unit = problem.frame.unit
        if start is None and not self.steps and any(self.last_fit):
            return search_and_fit(objective, sampler, self.style, self.last_fit, unit)
        best, iterations = search(objective, sampler, self.style)
        if start is not None:
            best = _better_of(objective, best, start(problem.frame))
        if best is None:
            return None, iterations
        for step in self.steps:
            objective, best = step(objective, best)
        if any(self.last_fit):
            return fit_last(objective, best, self.last_fit, unit), iterations
        summary = summarise_fit(objective, best, unit)
        return Fitted(objective, best, summary), iterations

    def conclude(
        self,
        problem: Problem,
        objective: Objective,
        best: Candidate,
        iterations: int,
        **also: Any,
    ) -> Estimate:
        """Say what the data tell of a candidate, and how sure that is.

        ``also`` has other fields of the estimate.
        """
        summary = summarise_fit(objective, best, problem.frame.unit)
        fitted = Fitted(objective, best, summary)
        return self._concluded(problem, fitted, iterations, **also)

    def _concluded(
        self, problem: Problem, fitted: Fitted, iterations: int, **also: Any
    ) -> Estimate:
        """Do so for one that is labelled.

        One that has no more inliers than fix it says nothing of the noise, and is none.
        """
        objective, best, summary = fitted
        if not summary.noise.shape > 0.0:
            reason = no_surplus(objective, summary)
            return failure(problem.num_rows, reason, iterations)
        model = self.denormalise(problem.frame, best.model)
        posterior = self._posterior(summary, problem, objective, best)
        also["pose"] = None if posterior is None else self.find_pose(posterior)
        also["posterior"] = posterior
        found = problem, objective, best, summary
        return result(self.data, *found, model, iterations, **also)

    def search_among(
        self, problem: Problem, objective: Objective, chosen: Mask
    ) -> tuple[Fitted | None, int]:
        """Search among chosen points only, and fit what is found.

        Also returns the samples drawn.
        """
        among = objective.among(chosen)
        part = problem._replace(points=among.points, quality=None)
        sampler = self._sampler(part, objective.model, objective.options)
        return self._find(among, sampler, part)

    def _posterior(
        self,
        summary: FitSummary,
        problem: Problem,
        objective: Objective,
        best: Candidate,
    ) -> Posterior | None:
        """Keep what tells how sure it is, where the model has coordinates."""
        model = objective.model
        if model.parametrisation is None:
            return None
        return Posterior(
            parametrisation=model.parametrisation,
            model=best.model,
            points=problem.points,
            sq_residuals=best.sq_residuals,
            inliers=summary.inliers,
            dim=model.residual_dim,
            cameras=model.cameras,
            frame=problem.frame,
            change_outside=self.change_outside,
            noise=summary.noise,
            threshold=summary.threshold,
            weights=problem.point_weights,
            find_open=self.find_open,
        )

    def _sampler(
        self, problem: Problem, model: GeometricModel, options: RansacOptions
    ) -> Sampler:
        """Best points first where the caller says which they are."""
        size = model.sample_size
        if problem.quality is None:
            return self.data.make_sampler(problem.points, problem.region, size, options)
        return ProsacSampler(
            problem.quality, size, options.max_iterations, options.seed
        )


def _better_of(
    objective: Objective, best: Candidate | None, start: Array
) -> Candidate | None:
    """Return the best candidate, or the optimum near another model if it is better."""
    other = optimise_from(objective, start)
    if other is not None and (best is None or other.score > best.score):
        return optimise(objective, other)
    return best


def too_few(problem: Problem, model: GeometricModel) -> str:
    """Say that there are not enough points."""
    return (
        f"{problem.points.shape[1]} distinct matches, but {_one(model.name)} needs "
        f"at least {model.sample_size + 1}"
    )


def no_surplus(objective: Objective, summary: FitSummary) -> str:
    """Say that a model has no more inliers than fix it: they tell no noise."""
    return (
        f"no {objective.model.name} has more inliers than fix it: "
        f"{int(summary.inliers.sum())} of {objective.points.shape[1]} matches"
    )


def degenerate(problem: Problem, model: GeometricModel) -> str:
    """Say that no sample gave a model."""
    return (
        f"no sample of the {problem.points.shape[1]} distinct matches gave "
        f"{_one(model.name)}: they are degenerate"
    )


def _one(name: str) -> str:
    """Return a noun with its article."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
