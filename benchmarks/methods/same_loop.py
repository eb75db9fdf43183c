"""The loop of this package with the scores of others, each at a threshold.

Everything but the score is cvscore's: sampling, screening, local optimisation, the
steps after it, stopping and seed.  What is left between two of these is the score.
"""

from __future__ import annotations

from functools import partial

from benchmarks.methods.cvscore import run
from benchmarks.methods.method import Method
from benchmarks.methods.scores import BASELINES, SCORES
from benchmarks.problems import TWO_VIEW

ONE_PIXEL = dict.fromkeys(TWO_VIEW, 1.0)  # so that a multiplier is a threshold


def name_of(score: str) -> str:
    """Return the method of a score, as it stands in rows."""
    return f"cvscore + {score}"


METHODS = [
    Method(
        name=name_of(score),
        package="cvscore",
        module="cvscore",
        run=partial(run, score_at=SCORES[score].at_threshold),
        thresholds=ONE_PIXEL,
        is_compared=False,
    )
    for score in BASELINES
]
