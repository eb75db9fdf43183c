"""What the search needs to know of a score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from cvscore.types.arguments import shown
from cvscore.types.arrays import Array, Mask

S = TypeVar("S", bound="Score")


class Summary(NamedTuple):
    """What a score has to say of one model beyond its inliers."""

    score: float
    scale: float
    threshold: float
    evidence: float


class DataScale(NamedTuple):
    """What a score may take from the data.

    Attributes
    ----------
    unit : float
        Residuals of the search are those of the data divided by this.
    num_points : int
        How many points there are.
    extent : float
        How far they spread, in their own unit.
    precision : float
        Rounding error of their coordinates, in their own unit.
    focal : float or None
        Focal length of the cameras in that unit, where they are known.
    """

    unit: float
    num_points: int
    extent: float
    precision: float
    focal: float | None


class ScoreKernels(NamedTuple):
    """Compiled functions of a score, each with ``constants`` (any number,) at the end.

    ``preview(sq_residuals, constants)``, ``evaluate(sq_residuals, best, constants)``,
    ``assess(row, constants)``, ``inliers(row, constants)`` and ``summarise(row,
    constants)`` as those of `Score`; ``resized(num_points, dim, num_params,
    constants)`` are the constants for rows of another length, of another model.
    """

    preview: Callable[[Array, Array], Array]
    evaluate: Callable[[Array, float, Array], Array]
    assess: Callable[[Array, Array], tuple[float, Array]]
    inliers: Callable[[Array, Array], Mask]
    summarise: Callable[[Array, Array], tuple[float, float, float, float]]
    resized: Callable[[int, int, int, Array], Array]
    constants: Array


class VariancePrior(Protocol):
    """An Inverse-Gamma belief about the noise variance; zeros for none at all."""

    @property
    def alpha(self) -> float:
        """Shape."""

    @property
    def beta(self) -> float:
        """Scale, in the squared unit of the residuals."""


class Score(Protocol):
    """A ranking of models by their squared residuals alone; larger is better.

    ``dim`` and ``num_params`` come from the model record, so that one score serves
    every model and the two never meet.
    """

    @property
    def prior(self) -> VariancePrior:
        """What is believed about the noise variance."""

    @property
    def half_width(self) -> float | None:
        """Half-width of the outliers' residuals; None where there is none."""

    @property
    def max_half_width(self) -> float | None:
        """What `half_width` may be widened to; None where it is to stay."""

    def with_half_width(self: S, half_width: float) -> S:
        """Return this score with another half-width."""

    def for_data(self: S, data: DataScale) -> S:
        """Return this score for the search: in its unit, completed by the data."""

    def evaluate(
        self,
        sq_residuals: Array,
        dim: int,
        num_params: int,
        best: float = -np.inf,
    ) -> Array:
        """Score (K, N) residuals as (K,); rows that can't beat ``best`` may be low."""

    def preview(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Guess the order of the scores of (K, N) residuals, (K,), at little cost."""

    def weights(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Minus the derivative of the score in each squared residual, (N,)."""

    def assess(
        self, sq_residuals: Array, dim: int, num_params: int
    ) -> tuple[float, Array]:
        """Score and weights of one row (N,), for the price of one of them."""

    def inliers(self, sq_residuals: Array, dim: int, num_params: int) -> Mask:
        """Which of the (N,) residuals belong to the model."""

    def summarise(self, sq_residuals: Array, dim: int, num_params: int) -> Summary:
        """Score, noise scale, threshold and evidence of (N,) residuals."""

    def kernels(
        self, num_points: int, dim: int, num_params: int
    ) -> ScoreKernels | None:
        """Return the same functions compiled for rows of N residuals; None without."""

    def scaled(self: S, factor: float) -> S:
        """Return this score for residuals that have been multiplied by ``factor``."""

    def rescaled(
        self, value: float, factor: float, num_points: int, dim: int, num_params: int
    ) -> float:
        """Return what a value of this score is after ``scaled(factor)``."""


def check_score(score: Any) -> None:
    """Refuse what is no score: one that lacks a method of `Score`, or its class."""
    methods = [name for name in vars(Score) if not name.startswith("_")]
    if isinstance(score, type) or not all(hasattr(score, name) for name in methods):
        raise TypeError(
            f"score must be a score, such as MarginalScore(), got {shown(score)}"
        )
