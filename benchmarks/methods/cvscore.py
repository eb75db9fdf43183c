"""The package itself: no threshold, with and without the matches' quality."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.data import Fit, Pair
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
    estimate = estimate_pair(pair, **choices)
    return fit_of(estimate.model, estimate.inliers) if estimate else None


def estimate_pair(pair: Pair, **choices: Any) -> Estimate:
    """Run the estimator of a pair's problem with these keyword arguments."""
    import cvscore

    if pair.problem == "H":
        return cvscore.estimate_homography(pair.x1, pair.x2, **choices)
    if pair.problem == "F":
        return cvscore.estimate_fundamental(pair.x1, pair.x2, **choices)
    return cvscore.estimate_essential(pair.x1, pair.x2, pair.K1, pair.K2, **choices)


def error_with(pair: Pair, **choices: Any) -> float:
    """Return the error of the estimate with these choices; infinite without a model."""
    estimate = estimate_pair(pair, **choices)
    fit = fit_of(estimate.model, estimate.inliers) if estimate else None
    return error_of(pair, fit)


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
