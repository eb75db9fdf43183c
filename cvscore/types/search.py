"""What a search is told: where samples come from, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cvscore.types.arguments import real_number, shown, whole_number
from cvscore.types.arrays import Array

# What a C int holds, and more than anybody waits for.
MOST_ITERATIONS = 2**31 - 1
MOST_SEED = 2**64 - 1  # the state of the generator


class SamplerState(NamedTuple):
    """What a sampler's kernel knows, and changes, from one call to the next.

    Attributes
    ----------
    generator : (1,) uint64 array
        State of the random generator.
    num_drawn : (2,) int array
        Samples drawn: all of them, and those in the order of `order`.
    order : (M,) int array
        Indices in the order in which they enter, of some points or of all; empty where
        all are equal.
    last_trials : int array
        How long each of them has to wait; empty where none does.
    centre, spreads : (D,) arrays
        Where the points are, for samplers that look at them.
    sample_size, num_points : int
        Points in a sample, and points to draw from.
    num_trials : int
        After so many samples in order all points take part on equal terms.
    grid_size : int
        Cells a side of a grid over the points whose members take turns; 1 for none.
    """

    generator: NDArray[np.uint64]
    num_drawn: NDArray[np.int64]
    order: NDArray[np.int64]
    last_trials: NDArray[np.int64]
    centre: Array
    spreads: Array
    sample_size: int
    num_points: int
    num_trials: int
    grid_size: int


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
        probability, by the inlier count of the best model so far; for epipolar geometry
        also when three times as many such samples as uniform ones would have by then
        have not improved that model.
    seed : int
        Of the random generator: same input and seed, same bits.
    """

    max_iterations: int = 1000
    min_iterations: int = 0
    confidence: float = 0.999
    seed: int = 0

    def __post_init__(self) -> None:
        if self._is_as_checked():
            return
        # Frozen, and yet these become what kernels take: 1e4 is ten thousand.
        for name, least, most in (
            ("max_iterations", 1, MOST_ITERATIONS),
            ("min_iterations", 0, MOST_ITERATIONS),
            ("seed", 0, MOST_SEED),
        ):
            number = whole_number(getattr(self, name), name, least, most)
            object.__setattr__(self, name, number)
        if self.min_iterations > self.max_iterations:
            raise ValueError(
                f"min_iterations must be in [0, max_iterations = "
                f"{self.max_iterations}], got {self.min_iterations}"
            )
        confidence = real_number(self.confidence, "confidence")
        if not 0.0 < confidence < 1.0:
            given = shown(self.confidence)
            raise ValueError(f"confidence must be in (0, 1), got {given}")
        object.__setattr__(self, "confidence", confidence)

    @classmethod
    def given(cls, options: RansacOptions | None) -> RansacOptions:
        """Return options that were given, or the default ones."""
        if options is None:
            return DEFAULT_OPTIONS
        if not isinstance(options, cls):
            raise TypeError(f"options must be RansacOptions, got {shown(options)}")
        # Nothing of Python's is frozen: what was changed by force is checked again.
        return options if options._is_as_checked() else replace(options)

    def _is_as_checked(self) -> bool:
        """Whether all is of the types, and within the bounds, that checks leave."""
        return (
            type(self.max_iterations) is type(self.min_iterations) is int
            and type(self.seed) is int
            and type(self.confidence) is float
            and 1 <= self.max_iterations <= MOST_ITERATIONS
            and 0 <= self.min_iterations <= self.max_iterations
            and 0 <= self.seed <= MOST_SEED
            and 0.0 < self.confidence < 1.0
        )


DEFAULT_OPTIONS = RansacOptions()
