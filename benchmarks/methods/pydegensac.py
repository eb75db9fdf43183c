"""LO-RANSAC with the check for dominant planes, by its authors (F and H)."""

from __future__ import annotations

from benchmarks.data.pair import Fit, Pair
from benchmarks.methods.method import Method, Settings, fit_of

THRESHOLDS = {"H": 1.0, "F": 0.5}  # px_th of the two functions


def run(pair: Pair, settings: Settings) -> Fit | None:
    """Estimate with ``findHomography`` or ``findFundamentalMatrix``."""
    import pydegensac

    find = pydegensac.findHomography
    if pair.problem == "F":
        find = pydegensac.findFundamentalMatrix
    try:
        model, inliers = find(
            pair.x1,
            pair.x2,
            settings.threshold,
            settings.confidence,
            settings.max_iterations,
            seed=settings.seed,
        )
    except ValueError:  # fewer matches than it wants
        return None
    return fit_of(model, inliers)


METHODS = [Method("pydegensac", "pydegensac", "pydegensac", run, THRESHOLDS)]
