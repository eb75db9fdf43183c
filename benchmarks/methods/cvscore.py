"""The package itself: no threshold, with and without the matches' quality."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.data.pair import Array, Fit, Pair
from benchmarks.methods.method import Method, Settings, fit_of
from benchmarks.protocols import error_of

if TYPE_CHECKING:
    from cvscore import Estimate

NO_THRESHOLD = {"H": 0.0, "F": 0.0, "E": 0.0}


def run(pair: Pair, settings: Settings, *, use_quality: bool) -> Fit | None:
    """Estimate with ``cvscore.estimate_*``; the threshold is not used."""
    import cvscore

    choices = {
        "options": cvscore.RansacOptions(
            max_iterations=settings.max_iterations,
            confidence=settings.confidence,
            seed=settings.seed,
        ),
        "quality": pair.quality if use_quality else None,
    }
    return fit_to(estimate_pair(pair, **choices))


def estimate(
    problem: str, x1: Array, x2: Array, K1: Array, K2: Array, **choices: Any
) -> Estimate:
    """Run the estimator of a problem; cameras are used for E only."""
    import cvscore

    if problem == "H":
        return cvscore.estimate_homography(x1, x2, **choices)
    if problem == "F":
        return cvscore.estimate_fundamental(x1, x2, **choices)
    return cvscore.estimate_essential(x1, x2, K1, K2, **choices)


def estimate_pair(pair: Pair, **choices: Any) -> Estimate:
    """Run the estimator of a pair's problem with these keyword arguments."""
    return estimate(pair.problem, pair.x1, pair.x2, pair.K1, pair.K2, **choices)


def fit_to(found: Estimate) -> Fit | None:
    """Return an estimate as the benchmark takes it."""
    return fit_of(found.model, found.inliers) if found else None


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
