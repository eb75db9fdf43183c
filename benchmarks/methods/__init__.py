"""Every method that is compared here, by the name it has in the tables.

``METHODS`` are full estimators, one file a library.  ``SCORES`` choose from a pool of
models, for the paper's experiments.
"""

from __future__ import annotations

from importlib.util import find_spec

from benchmarks.methods import (
    cvscore,
    kornia,
    opencv,
    oracle,
    poselib,
    pycolmap,
    pydegensac,
    pymagsac,
    pysuperansac,
    same_loop,
    simfit,
    skimage,
    vsac,
)
from benchmarks.methods.method import Method, Settings
from benchmarks.methods.scores import SCORES
from benchmarks.methods.yours import yours

__all__ = ["METHODS", "SCORES", "Method", "Settings", "available"]

_LIBRARIES = (
    cvscore,
    same_loop,
    opencv,
    poselib,
    simfit,
    pycolmap,
    pydegensac,
    pymagsac,
    pysuperansac,
    vsac,
    skimage,
    kornia,
    oracle,
)

METHODS: dict[str, Method] = {
    method.name: method
    for group in (*(library.METHODS for library in _LIBRARIES), yours("METHODS"))
    for method in group
}


def available(problem: str) -> list[str]:
    """Names of the methods to compare on a problem, of libraries installed here."""
    return [
        method.name
        for method in METHODS.values()
        if method.is_compared
        and problem in method.thresholds
        and find_spec(method.module) is not None
    ]
