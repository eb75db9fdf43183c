"""The package itself: no threshold, with and without the matches' quality."""

from __future__ import annotations

from functools import partial

from benchmarks.data import Fit, Pair
from benchmarks.methods.method import Method, Settings, fit_of

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
    if pair.problem == "H":
        estimate = cvscore.estimate_homography(pair.x1, pair.x2, **choices)
    elif pair.problem == "F":
        estimate = cvscore.estimate_fundamental(pair.x1, pair.x2, **choices)
    else:
        estimate = cvscore.estimate_essential(
            pair.x1, pair.x2, pair.K1, pair.K2, **choices
        )
    return fit_of(estimate.model, estimate.inliers) if estimate else None


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
