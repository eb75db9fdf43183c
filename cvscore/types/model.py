"""What the loop needs to know of a geometric model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvscore.types.arrays import Array

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
    fine_gain : float
        Nats per degree of freedom that inliers have to gain over chance to end the
        search by their number; 0 where any do.
    climbs_from_every_batch : bool
        Whether the best sample of a batch is worth a climb though one before it was
        better: where climbs cost little beside the solver.
    holds_everywhere : bool
        Whether it holds for all that does not move, as that of two cameras does, and
        not for a part of the image only, as that of a plane.
    """

    name: str
    sample_size: int
    num_params: int
    residual_dim: int
    solve: Callable[[Array, NDArray[np.int64]], Array]
    residuals: Callable[[Array, Array], Array]
    refit: Callable[[Array, Array, Array], Array]
    kernels: ModelKernels | None = None
    fine_gain: float = 0.0
    climbs_from_every_batch: bool = False
    holds_everywhere: bool = False
