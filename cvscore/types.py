"""The records and protocols that every layer shares; imports nothing of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class GeometricModel:
    """What the loop needs to know of a model: its functions and its counts.

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
        ``solve(points, samples)``: points (4, N), samples (B, sample_size) of
        indices; returns (K, 3, 3) candidate models of all samples that are not
        degenerate, K between 0 and B times the number of solutions.
    residuals : callable
        ``residuals(models, points)``: (K, 3, 3) and (4, N) to (K, N) *squared*
        Sampson residuals; never NaN (a point without a residual has ``inf``).
    refit : callable
        ``refit(model, points, weights)``: minimises the weighted sum of squared
        Sampson residuals, starting at ``model`` (3, 3); weights (N,) >= 0.
        Returns a model (3, 3) on the manifold, the given one if it can't improve.
    """

    name: str
    sample_size: int
    num_params: int
    residual_dim: int
    solve: Callable[[Array, NDArray[np.int64]], Array]
    residuals: Callable[[Array, Array], Array]
    refit: Callable[[Array, Array, Array], Array]


class Score(Protocol):
    """A ranking of models by their squared residuals alone; larger is better.

    ``dim`` and ``num_params`` come from the model record, so that one score serves
    every model and the two never meet.
    """

    def evaluate(
        self,
        sq_residuals: Array,
        dim: int,
        num_params: int,
        best: float = -np.inf,
    ) -> Array:
        """Score (K, N) residuals as (K,); rows that can't beat ``best`` may be low."""

    def weights(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Minus the derivative of the score in each squared residual, (N,)."""

    def inliers(self, sq_residuals: Array, dim: int, num_params: int) -> Mask:
        """Which of the (N,) residuals belong to the model."""

    def scaled(self, factor: float) -> Score:
        """Return this score for residuals that have been multiplied by ``factor``."""


class Sampler(Protocol):
    """A source of minimal samples."""

    def draw(self, num_samples: int) -> NDArray[Any]:
        """(num_samples, sample_size) indices, distinct within each row."""
