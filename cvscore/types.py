"""The records and protocols that every layer shares; imports nothing of ours."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

# Evidence, in nats, that random matches reach less than once in a hundred times.
SIGNIFICANT_EVIDENCE = math.log(100.0)

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


# Kernels that a solver may call by their addresses; see `ModelKernels`.
NO_STAGES = (0,) * 6


class ModelKernels(NamedTuple):
    """Compiled functions of a model, each with ``constants`` (any number,) at the end.

    ``solve(points, samples, constants, stages)``, where the stages are addresses of
    other kernels, ``residuals(models, points, constants)`` and ``refit(model, points,
    weights, converged, constants)`` as those of `GeometricModel`; the refit ends at a
    step that promises less than ``converged`` of its cost.
    """

    solve: Callable[..., Array]
    residuals: Callable[[Array, Array, Array], Array]
    refit: Callable[[Array, Array, Array, float, Array], Array]
    constants: Array
    stages: tuple[int, ...] = NO_STAGES


class ScoreKernels(NamedTuple):
    """Compiled functions of a score, each with ``constants`` (any number,) at the end.

    ``preview(sq_residuals, constants)``, ``evaluate(sq_residuals, best, constants)``,
    ``assess(row, constants)``, ``inliers(row, constants)`` and ``summarise(row,
    constants)`` as those of `Score`; ``resize(constants, num_points, dim, num_params)``
    gives the constants for other rows and another model.
    """

    preview: Callable[[Array, Array], Array]
    evaluate: Callable[[Array, float, Array], Array]
    assess: Callable[[Array, Array], tuple[float, Array]]
    inliers: Callable[[Array, Array], Mask]
    summarise: Callable[[Array, Array], tuple[float, float, float, float]]
    resize: Callable[[Array, int, int, int], Array]
    constants: Array


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
    kernels : ModelKernels, optional
        The same functions compiled, for a loop that never returns to the interpreter.
    """

    name: str
    sample_size: int
    num_params: int
    residual_dim: int
    solve: Callable[[Array, NDArray[np.int64]], Array]
    residuals: Callable[[Array, Array], Array]
    refit: Callable[[Array, Array, Array], Array]
    kernels: ModelKernels | None = None


class Summary(NamedTuple):
    """What a score has to say of one model beyond its inliers."""

    score: float
    scale: float
    threshold: float
    evidence: float


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

    def scaled(self, factor: float) -> Score:
        """Return this score for residuals that have been multiplied by ``factor``."""

    def rescaled(
        self, value: float, factor: float, num_points: int, dim: int, num_params: int
    ) -> float:
        """Return what a value of this score is after ``scaled(factor)``."""


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


class Pose(NamedTuple):
    """Second camera from first, ``x_cam2 = R x_cam1 + t``, with |t| = 1."""

    R: Array
    t: Array


class NoisePosterior(NamedTuple):
    """Inverse-Gamma belief about the noise variance, in the squared unit of the points.

    As if ``2 shape`` residuals had been seen whose squares sum to ``2 rate``.
    """

    shape: float
    rate: float

    @property
    def scale(self) -> float:
        """The standard deviation of the noise: the root of rate over shape."""
        return math.sqrt(self.rate / self.shape) if self.shape > 0.0 else math.nan

    def interval(self, mass: float = 0.95) -> tuple[float, float]:
        """Return the central credible interval of the standard deviation."""
        from scipy.special import gammaincinv

        if not 0.0 < mass < 1.0:
            raise ValueError(f"mass must be in (0, 1), got {mass}")
        if not self.shape > 0.0:
            return math.nan, math.nan
        tail = 0.5 * (1.0 - mass)
        low, high = (
            math.sqrt(self.rate / float(gammaincinv(self.shape, probability)))
            for probability in (1.0 - tail, tail)
        )
        return low, high


# Where there is nothing to learn it from.
NO_NOISE = NoisePosterior(0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A model with what the data say about it; false where there is none.

    Attributes
    ----------
    model : (3, 3) array or None
        x2 ~ H x1, x2' F x1 = 0, or E for normalised coordinates.
    inliers : (N,) bool array
        The partition the score chose; all False on failure.
    residuals : (N,) array
        Sampson distance of each match to the model, in the unit of the points (for
        the essential matrix, undistorted pixels); ``inf`` on failure.
    score : float
        Of ``model``, larger is better; ``-inf`` on failure.
    scale : float
        Standard deviation of the noise of right matches, in the unit of the points.
        The inliers end at ``threshold``; what that cuts off is made up for, so that
        this is a few percent above their root mean square (`cvscore.noise`).
    threshold : float
        The inlier threshold that the score implies, in the unit of the points.
    iterations : int
        Minimal samples drawn.
    evidence_from : callable or float
        Gives ``evidence``, which takes as long as a part of the search.
    reason : str
        Why there is no model; empty where there is one.
    pose : Pose or None
        For the essential matrix: rotation and direction by cheirality.
    noise : NoisePosterior
        What is known of the variance of the noise.
    """

    model: Array | None
    inliers: Mask
    residuals: Array
    score: float
    scale: float
    threshold: float
    iterations: int
    evidence_from: Callable[[], float] | float = field(repr=False, compare=False)
    reason: str = ""
    pose: Pose | None = None
    noise: NoisePosterior = NO_NOISE

    def __bool__(self) -> bool:
        return self.model is not None

    def __getstate__(self) -> dict[str, Any]:
        # What computes the evidence cannot be pickled; the evidence can.
        return {**self.__dict__, "evidence_from": self.evidence}

    @cached_property
    def evidence(self) -> float:
        """Log evidence in nats of the model over "every match is by chance".

        Corrected for the many models and inlier sets that were looked at, see
        `cvscore.significance`; computed when it is first asked for.
        """
        given = self.evidence_from
        return given() if callable(given) else given

    @property
    def is_significant(self) -> bool:
        """Whether random matches have so good a model less than once in a hundred.

        False for a model that says nothing, and where there is none.  The figures are
        those of ``python -m benchmarks.evidence``.
        """
        return self.evidence > SIGNIFICANT_EVIDENCE

    def scale_interval(self, mass: float = 0.95) -> tuple[float, float]:
        """Return the central credible interval of `scale`, NaN where there is none."""
        return self.noise.interval(mass)

    @property
    def num_inliers(self) -> int:
        """How many matches the model explains."""
        return int(np.count_nonzero(self.inliers))
