"""What the search needs to know of a geometric model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvscore.types.arrays import Array
from cvscore.types.parametrisation import Parametrisation

# Constraints per point that the noise statistics are tabulated for.
MAX_RESIDUAL_DIM = 6


class ModelCounts(NamedTuple):
    """What a model is called, and the numbers by which scores know it.

    ``sample_size`` points make a minimal sample; the model has ``num_params`` degrees
    of freedom (n in the score), and every point puts ``residual_dim`` constraints on
    it (d in the score).
    """

    name: str
    sample_size: int
    num_params: int
    residual_dim: int


class ModelKernels(NamedTuple):
    """Compiled functions of a model, each with ``constants`` (any number,) at the end.

    ``solve(points, samples, constants)``, ``residuals(models, points, constants)`` and
    ``refit(model, points, weights, converged, constants)`` as those of
    `GeometricModel`; the refit ends at a step that promises less than ``converged`` of
    its cost.
    """

    solve: Callable[..., Array]
    residuals: Callable[[Array, Array, Array], Array]
    refit: Callable[[Array, Array, Array, float, Array], Array]
    constants: Array


@dataclass(frozen=True)
class GeometricModel:
    """A model: its counts and three functions.

    Attributes
    ----------
    name : str
        Noun for messages.
    sample_size : int
        Points in a minimal sample.
    num_params : int
        Degrees of freedom of the model, ``n`` in the score.
    residual_dim : int
        Constraints per point, ``d`` in the score.
    solve : callable
        ``solve(points, samples)``: points (D, N), samples (B, sample_size) of
        indices; returns (K, ...) candidate models of all samples that are not
        degenerate, K between 0 and B times the number of solutions.
    residuals : callable
        ``residuals(models, points)``: (K, ...) and (D, N) to (K, N) *squared*
        residuals; never NaN (a point without a residual has ``inf``).
    refit : callable
        ``refit(model, points, weights)``: minimises the weighted sum of squared
        residuals, starting at ``model``; weights (N,) >= 0.  Returns a model on the
        manifold, the given one if it can't improve.
    kernels : ModelKernels, optional
        The same functions compiled, for a loop that never returns to the interpreter.
    cameras : tuple of (3, 3) arrays
        Camera matrices of the points, where the model is one of calibrated cameras.
    parametrisation : Parametrisation, optional
        Its minimal coordinates; without them an estimate has no covariance.
    remake : callable, optional
        ``remake()``: the same record.  Compiled functions are no more to be pickled
        than closures are; how to make them is.
    """

    name: str
    sample_size: int
    num_params: int
    residual_dim: int
    solve: Callable[[Array, NDArray[np.int64]], Array]
    residuals: Callable[[Array, Array], Array]
    refit: Callable[[Array, Array, Array], Array]
    kernels: ModelKernels | None = None
    cameras: tuple[Array, ...] = ()
    parametrisation: Parametrisation | None = None
    remake: Callable[[], GeometricModel] | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.residual_dim <= MAX_RESIDUAL_DIM:
            raise ValueError(
                f"residual_dim must be 1 to {MAX_RESIDUAL_DIM}, got {self.residual_dim}"
            )

    @classmethod
    def of_counts(cls, counts: ModelCounts, **functions: Any) -> GeometricModel:
        """Make a model of its counts and its functions."""
        return cls(**counts._asdict(), **functions)
