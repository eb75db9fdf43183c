"""What a search is told: where samples come from, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cvscore.types.arrays import Array


class SamplerMemory(NamedTuple):
    """What a sampler's kernel remembers, and changes, from one call to the next.

    Attributes
    ----------
    generator : (1,) uint64 array
        State of the random generator.
    counts : int array
        Sample size, number of points, samples drawn, and what else it counts.
    order : (N,) int array
        Indices in the order in which they enter; empty where all are equal.
    last_trials : int array
        How long each of them has to wait; empty where none does.
    constants : array
        Anything else it needs.
    """

    generator: NDArray[np.uint64]
    counts: NDArray[np.int64]
    order: NDArray[np.int64]
    last_trials: NDArray[np.int64]
    constants: Array


class Sampler(Protocol):
    """A source of minimal samples."""

    def draw(self, num_samples: int) -> NDArray[np.int64]:
        """(num_samples, sample_size) indices, distinct within each row."""


@dataclass(frozen=True, kw_only=True)
class RansacOptions:
    """How to search; what makes a model good is the score's business.

    Attributes
    ----------
    max_iterations : int
        Minimal samples at the most.
    min_iterations : int
        Minimal samples at the least, however good the model looks.
    confidence : float
        Sampling stops when a sample free of outliers has been drawn with this
        probability, by the inlier count of the best model so far.
    seed : int
        Of the random generator: same input and seed, same bits.
    """

    max_iterations: int = 1000
    min_iterations: int = 0
    confidence: float = 0.999
    seed: int = 0

    def __post_init__(self) -> None:
        if self.max_iterations < 1:
            raise ValueError(
                f"max_iterations must be at least 1, got {self.max_iterations}"
            )
        if not 0 <= self.min_iterations <= self.max_iterations:
            raise ValueError(
                f"min_iterations must be in [0, max_iterations = "
                f"{self.max_iterations}], got {self.min_iterations}"
            )
        if not 0.0 < self.confidence < 1.0:
            raise ValueError(f"confidence must be in (0, 1), got {self.confidence}")
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, got {self.seed}")
