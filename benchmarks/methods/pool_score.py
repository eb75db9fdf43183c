"""What a score is to the paper's experiments: a name, a start, a line, a way to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cvscore.scores.priors import InverseGamma
from cvscore.types import Array


@dataclass(frozen=True)
class PoolScore:
    """One way to choose a model of a pool.

    Attributes
    ----------
    name : str
        As it stands in the tables.
    start : float
        Hyper-parameter with which the search for the best one begins, pixels.
    style : mapping
        Of its line in the figures.
    at_threshold : callable or None
        A baseline's score at a threshold.
    fit_prior : callable or None
        A marginal score's prior, from the variances (P,) of some pairs, P > 0.
    """

    name: str
    start: float
    style: Mapping[str, Any]
    at_threshold: Callable[[float], Any] | None = None
    fit_prior: Callable[[Array], InverseGamma] | None = None
