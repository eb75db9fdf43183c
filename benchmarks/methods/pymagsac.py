"""MAGSAC++ by its authors, with uniform samples."""

from __future__ import annotations

import numpy as np

from benchmarks.data.pair import Fit, Pair
from benchmarks.methods.method import Method, Settings, fit_of

THRESHOLDS = {"H": 1.0, "F": 1.0, "E": 1.0}  # sigma_th
UNIFORM_SAMPLER = 0


def run(pair: Pair, settings: Settings) -> Fit | None:
    """Estimate with ``find*`` of the pair's problem on rows of four coordinates."""
    import pymagsac

    functions = {
        "H": pymagsac.findHomography,
        "F": pymagsac.findFundamentalMatrix,
        "E": pymagsac.findEssentialMatrix,
    }
    intrinsics = (pair.K1, pair.K2) if pair.problem == "E" else ()
    try:
        model, inliers = functions[pair.problem](
            np.ascontiguousarray(np.hstack([pair.x1, pair.x2])),
            *intrinsics,
            *pair.size1,
            *pair.size2,
            probabilities=np.zeros(0),
            sampler=UNIFORM_SAMPLER,
            use_magsac_plus_plus=True,
            sigma_th=settings.threshold,
            conf=settings.confidence,
            min_iters=50,
            max_iters=settings.max_iterations,
        )
    except ValueError:  # fewer matches than it wants
        return None
    return fit_of(model, inliers)


METHODS = [Method("pymagsac", "pymagsac", "pymagsac", run, THRESHOLDS)]
