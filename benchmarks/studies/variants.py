"""Estimators with something left out or replaced, for as long as they are measured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from unittest import mock

from benchmarks.problems import PROBLEMS
from cvscore.data.normalization import Region
from cvscore.estimators.pipeline import Estimator, Step
from cvscore.inference.outlier_width import widen_outlier_width
from cvscore.ransac.irls import polish
from cvscore.ransac.objective import Candidate, Objective
from cvscore.ransac.samplers import UniformSampler
from cvscore.ransac.stopping import PLAIN
from cvscore.two_view.degeneracy.dominant_plane import (
    escape_through_epipole,
    find_dominant_plane,
)
from cvscore.two_view.refinement import cheirality
from cvscore.types import Array, RansacOptions


def module_of(problem: str) -> ModuleType:
    """Return the module that estimates the model of a problem."""
    return import_module(f"cvscore.estimators.{PROBLEMS[problem].model}")


def estimator_of(problem: str) -> Estimator:
    """Return how the package estimates the model of a problem."""
    return getattr(module_of(problem), PROBLEMS[problem].pipeline)


@contextmanager
def estimating_with(problem: str, estimator: Estimator) -> Iterator[None]:
    """Let the public function of a problem use this estimator meanwhile."""
    name = PROBLEMS[problem].pipeline
    with mock.patch.object(module_of(problem), name, estimator):
        yield


def variants_of(problem: str) -> dict[str, Estimator]:
    """Return the estimator without each of its parts, by what is left out."""
    full = estimator_of(problem)
    variants = {
        f"without {step.__name__}": without(full, step)
        for step in full.steps
        if step not in (widen_outlier_width, cheirality.polish_in_front)
    }
    variants["without widen_outlier_width"] = without_widening(full)
    variants["without polish"] = without_polish(full)
    if problem == "F":
        variants["plane and parallax only"] = _with_steps(full, {0: escape_plane_only})
    if problem == "E":
        variants["plain polish"] = _with_steps(full, {-1: polish})
        variants["polish in front only"] = _with_steps(full, {-1: polish_only_in_front})
        variants["polish consistent only"] = _with_steps(
            full, {-1: polish_only_consistent}
        )
    variants["uniform samples"] = replace(
        full, data=replace(full.data, make_sampler=uniform_sampler)
    )
    if full.style != PLAIN:
        variants["plain style of search"] = replace(full, style=PLAIN)
    return variants


def without(estimator: Estimator, step: Step) -> Estimator:
    """Return the estimator without one of its steps."""
    return replace(estimator, steps=tuple(s for s in estimator.steps if s is not step))


def without_widening(estimator: Estimator) -> Estimator:
    """Return the estimator with the half-width that the search had."""
    shorter = without(estimator, widen_outlier_width)
    return replace(shorter, last_fit=shorter.last_fit._replace(widens=False))


def without_polish(estimator: Estimator) -> Estimator:
    """Return the estimator without the polish, be it a step or in the last fit."""
    shorter = without(estimator, cheirality.polish_in_front)
    return replace(shorter, last_fit=shorter.last_fit._replace(polishes=False))


def _with_steps(estimator: Estimator, others: dict[int, Step]) -> Estimator:
    steps = list(estimator.steps)
    for place, step in others.items():
        steps[place] = step
    return replace(estimator, steps=tuple(steps))


def escape_plane_only(
    objective: Objective, candidate: Candidate
) -> tuple[Objective, Candidate]:
    """Escape a dominant plane without looking for repeated structure."""
    plane = find_dominant_plane(objective, candidate)
    if plane is None:
        return objective, candidate
    return objective, escape_through_epipole(objective, candidate, plane)


def polish_only_in_front(
    objective: Objective, candidate: Candidate
) -> tuple[Objective, Candidate]:
    """Polish by cheirality, with isolated inliers left in."""

    def plain(objective: Objective, candidate: Candidate) -> Candidate:
        return polish(objective, candidate)[1]

    with mock.patch.object(cheirality, "polish_consistent", plain):
        return cheirality.polish_in_front(objective, candidate)


def polish_only_consistent(
    objective: Objective, candidate: Candidate
) -> tuple[Objective, Candidate]:
    """Polish without isolated inliers, with those behind a camera left in."""
    return objective, cheirality.polish_consistent(objective, candidate)


def uniform_sampler(
    points: Array, region: Region, sample_size: int, options: RansacOptions
) -> UniformSampler:
    """Draw every sample with the same probability."""
    return UniformSampler(points.shape[1], sample_size, options.seed)
