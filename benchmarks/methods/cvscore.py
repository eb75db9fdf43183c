"""The package itself: no threshold, with and without the matches' quality."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.data.noisy_pair import NoisyPair
from benchmarks.data.pair import Fit, Pair
from benchmarks.methods.method import Method, Settings, fit_of
from benchmarks.problems import PROBLEMS
from benchmarks.protocols import error_of

if TYPE_CHECKING:
    from cvscore import Estimate

NO_THRESHOLD = dict.fromkeys(PROBLEMS, 0.0)


def run(
    pair: Pair,
    settings: Settings,
    *,
    use_quality: bool = False,
    score_at: Callable[[float], Any] | None = None,
) -> Fit | None:
    """Estimate with ``cvscore.estimate_*``.

    The threshold is used by the scores that have one, which ``score_at`` makes.
    """
    import cvscore

    choices = {
        "score": None if score_at is None else score_at(settings.threshold),
        "options": cvscore.RansacOptions(
            max_iterations=settings.max_iterations,
            confidence=settings.confidence,
            seed=settings.seed,
        ),
        "quality": pair.quality if use_quality else None,
    }
    return fit_to(estimate_pair(pair, **choices))


def estimate(problem: str, pair: Pair | NoisyPair, **choices: Any) -> Estimate:
    """Run the estimator of a problem on what it takes of a pair."""
    from cvscore.estimators import ESTIMATORS

    entry = PROBLEMS[problem]
    return ESTIMATORS[entry.model].estimate(*entry.arguments(pair), **choices)


def estimate_pair(pair: Pair, **choices: Any) -> Estimate:
    """Run the estimator of a pair's problem with these keyword arguments."""
    return estimate(pair.problem, pair, **choices)


def fit_to(found: Estimate) -> Fit | None:
    """Return an estimate as the benchmark takes it."""
    return fit_of(found.model, found.inliers, found.model.shape) if found else None


def error_with(pair: Pair, **choices: Any) -> float:
    """Return the error of the estimate with these choices; infinite without a model."""
    return error_of(pair, fit_to(estimate_pair(pair, **choices)))


METHODS = [
    Method(
        name=name,
        package="cvscore",
        module="cvscore",
        run=partial(run, use_quality=use_quality),
        thresholds=NO_THRESHOLD,
        has_threshold=False,
    )
    for name, use_quality in [("cvscore", False), ("cvscore prosac", True)]
]
