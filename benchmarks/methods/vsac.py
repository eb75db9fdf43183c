"""VSAC with the MAGSAC score and uniform samples.

The module is ``pvsac``, built from the authors' repository.  The distribution called
``vsac`` on PyPI is another project (a dependency scanner) and is not meant.
"""

from __future__ import annotations

from benchmarks.data.pair import Fit, Pair
from benchmarks.methods.method import Method, Settings, fit_of

THRESHOLDS = {"H": 1.5, "F": 1.0, "E": 1.0}  # those of its own examples


def run(pair: Pair, settings: Settings) -> Fit | None:
    """Estimate with ``pvsac.estimate``."""
    import pvsac

    kinds = {
        "H": pvsac.EstimationMethod.Homography,
        "F": pvsac.EstimationMethod.Fundamental,
        "E": pvsac.EstimationMethod.Essential,
    }
    params = pvsac.Params(
        kinds[pair.problem],
        settings.threshold,
        settings.confidence,
        settings.max_iterations,
        pvsac.SamplingMethod.SAMPLING_UNIFORM,
        pvsac.ScoreMethod.SCORE_METHOD_MAGSAC,
    )
    intrinsics = (pair.K1, pair.K2) if pair.problem == "E" else ()
    return fit_of(*pvsac.estimate(params, pair.x1, pair.x2, *intrinsics))


METHODS = [Method("vsac", "pvsac", "pvsac", run, THRESHOLDS)]
