"""How sure a model is: covariances, and regions that hold the truth so often."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from cvscore.types.arguments import share
from cvscore.types.arrays import Array


@dataclass(frozen=True, eq=False)  # arrays have no single truth
class Uncertainty:
    """The belief about a model: Student's distribution of its coordinates.

    With the variance of the noise as unknown as its Inverse-Gamma posterior leaves it,
    coordinates that would be Gaussian are Student's, with as many degrees of freedom as
    residuals are worth: tails are wider where inliers are few.

    Attributes
    ----------
    names : tuple of str
        Of the n coordinates.
    covariance : (n, n) array
        Of the coordinates, in their units; infinite where residuals are worth two or
        fewer, or leave a coordinate open.
    degrees_of_freedom : float
        Of Student's distribution.
    """

    names: tuple[str, ...]
    covariance: Array
    degrees_of_freedom: float

    @property
    def standard_deviations(self) -> Array:
        """Of each coordinate, (n,)."""
        deviations: Array = np.sqrt(np.diag(self.covariance))
        return deviations

    def distance(self, offset: Array) -> float:
        """Return how many standard deviations away an offset (n,) is (Mahalanobis)."""
        deviations = self.standard_deviations
        if not np.isfinite(offset).all():
            return math.inf
        if not np.isfinite(deviations).all():
            return 0.0
        # Coordinates without any spread, of points without noise, are known.
        free = deviations > 0.0
        if offset[~free].any():
            return math.inf
        covariance, deviations = self.covariance[np.ix_(free, free)], deviations[free]
        with np.errstate(over="ignore", under="ignore"):
            away = offset[free] / deviations
            scaled = covariance / deviations[:, None] / deviations
            if not np.isfinite(away).all():
                return math.inf
            largest = max(float(np.abs(away).max(initial=0.0)), 1.0)
            away = away / largest
            whitened = np.linalg.lstsq(scaled, away, rcond=None)[0]
            return largest * math.sqrt(max(float(whitened @ away), 0.0))

    def radius(self, mass: float = 0.95, num: int | None = None) -> float:
        """Return the distance within which the truth is with a probability.

        Parameters
        ----------
        mass : float
            The probability.
        num : int, optional
            Of how many coordinates together; by default of all.
        """
        from scipy.special import fdtri

        mass = share(mass, "mass")
        num = len(self.names) if num is None else num
        freedom = self.degrees_of_freedom
        if not freedom > 2.0:
            return math.inf
        # The covariance is that of Student's distribution, wider than its scale matrix.
        return math.sqrt(num * float(fdtri(num, freedom, mass)) * (1.0 - 2.0 / freedom))


class Transferred(NamedTuple):
    """Mapped points (M, D) and what their places are sure to: covariances (M, D, D).

    The covariances are those of the map alone.  Where the noise of an observed point is
    to be included, add ``scale**2`` to their diagonals.  Points that a homography takes
    to infinity have infinite coordinates and covariances.
    """

    points: Array
    covariances: Array


class EpipolarLines(NamedTuple):
    """Lines (M, 3), ``a x + b y + c = 0`` with ``a**2 + b**2 = 1``, and covariances.

    The covariances are (M, 3, 3) and have rank two, as a line has two parameters.
    """

    lines: Array
    covariances: Array


class ModelPosterior(Protocol):
    """What an estimate asks for when it is asked how sure it is."""

    @property
    def uncertainty(self) -> Uncertainty:
        """Covariance of the model's coordinates."""

    @property
    def pose_covariance(self) -> Array:
        """Covariance (6, 6) of turn and t, where there is a pose behind the model."""

    @property
    def reason_undetermined(self) -> str:
        """What the inliers leave open; empty where nothing is."""

    def offset(self, model: Array, other: ArrayLike) -> Array:
        """Coordinates (n,) of another model about a model, infinite without any."""

    def transfer(self, points: ArrayLike) -> Transferred:
        """Map points (M, D), with covariances."""

    def epipolar_lines(self, points: ArrayLike, image: int) -> EpipolarLines:
        """Lines of points (M, 2) of an image in the other one."""
