"""What a method is to the benchmark: a function, its default thresholds, its home."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from benchmarks.data.pair import Array, Fit, Mask, Pair


@dataclass(frozen=True)
class Settings:
    """What one call is given: threshold in the unit of the points, budget and seed."""

    threshold: float
    max_iterations: int = 1000
    confidence: float = 0.999
    seed: int = 0


@dataclass(frozen=True)
class Method:
    """One estimator of one library, called in its own idiom.

    Attributes
    ----------
    name : str
        As it stands in the tables.
    package : str
        Distribution whose version is recorded, and whose absence hides the method.
    module : str
        What is imported to see whether the method can run here.
    run : callable
        ``run(pair, settings)`` to a Fit, or None when the library gives no model.
    thresholds : mapping
        Default threshold per problem that the method can do, in the pair's unit:
        pixels, or the true noise where there are none.
    has_threshold : bool
        False when the threshold has no effect, so that one multiplier is enough.
    is_compared : bool
        False when it runs only where it is asked for by name.
    """

    name: str
    package: str
    module: str
    run: Callable[[Pair, Settings], Fit | None]
    thresholds: Mapping[str, float]
    has_threshold: bool = field(default=True)
    is_compared: bool = field(default=True)


def fit_of(
    model: Array | None, inliers: Mask | None, shape: tuple[int, int] = (3, 3)
) -> Fit | None:
    """Return a Fit if the model is a finite, non-zero matrix, else None."""
    if model is None or inliers is None or np.shape(model) != shape:
        return None
    model = np.asarray(model, dtype=np.float64)
    if not np.isfinite(model).all() or not model.any():
        return None
    return Fit(model, np.asarray(inliers).astype(bool).ravel())
