"""Every estimator that can be compared here, by the name it has in the tables."""

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
    simfit,
    vsac,
)
from benchmarks.methods.method import Method, Settings

__all__ = ["METHODS", "Method", "Settings", "available"]

_LIBRARIES = (
    cvscore,
    opencv,
    poselib,
    simfit,
    pycolmap,
    pydegensac,
    pymagsac,
    pysuperansac,
    vsac,
    kornia,
    oracle,
)

METHODS: dict[str, Method] = {
    method.name: method for library in _LIBRARIES for method in library.METHODS
}


def available(problem: str) -> list[str]:
    """Names of the methods for a problem whose library is installed."""
    return [
        method.name
        for method in METHODS.values()
        if problem in method.thresholds and find_spec(method.module) is not None
    ]
