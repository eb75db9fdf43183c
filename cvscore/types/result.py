"""What a search found: the model, its pose, its noise and its evidence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from cvscore.types.arguments import share, whole_number
from cvscore.types.arrays import Array, Mask
from cvscore.types.uncertainty import (
    EpipolarLines,
    ModelPosterior,
    Transferred,
    Uncertainty,
)

# Evidence, in nats, that random matches reach less than once in a hundred times.
SIGNIFICANT_EVIDENCE = math.log(100.0)
LEAST_LOG_ODDS = -700.0  # so that their exponential is a number


def logistic(log_odds: float) -> float:
    """Return the probability that has these log odds."""
    return 1.0 / (1.0 + math.exp(-max(log_odds, LEAST_LOG_ODDS)))


class Pose(NamedTuple):
    """Second camera from first, ``x_cam2 = R x_cam1 + t``, with ``|t| = 1``."""

    R: Array
    t: Array


class EstimatedPose(Pose):
    """A pose that was estimated, which tells how sure it is.

    Where t is a direction its covariance has rank two, across t, in squared radians;
    where it is a place, in the squared unit of the scene.
    """

    posterior: ModelPosterior

    def __new__(
        cls, R: Array, t: Array, posterior: ModelPosterior | None = None
    ) -> EstimatedPose:
        """Take a pose, and what tells how sure it is; None while it is unpickled."""
        pose = super().__new__(cls, R, t)
        if posterior is not None:
            pose.posterior = posterior
        return pose

    @property
    def covariance(self) -> Array:
        """Of a turn after R, ``exp([w]x) R`` in radians, and of t: (6, 6)."""
        return self.posterior.pose_covariance

    @property
    def rotation_covariance(self) -> Array:
        """Of the turn after R (3, 3), in squared radians."""
        return self.covariance[:3, :3]

    @property
    def translation_covariance(self) -> Array:
        """Of t (3, 3)."""
        return self.covariance[3:, 3:]


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

        tail = 0.5 * (1.0 - share(mass, "mass"))
        if not self.shape > 0.0:
            return math.nan, math.nan
        low, high = (
            math.sqrt(self.rate / float(gammaincinv(self.shape, probability)))
            for probability in (1.0 - tail, tail)
        )
        return low, high


class OtherAnswers(Protocol):
    """What an estimate asks when it is asked for its alternatives."""

    @property
    def narrower(self) -> Estimate | None:
        """A narrower fit among the inliers, if there may be one."""

    def find(self, found: Estimate) -> tuple[Estimate, ...]:
        """Return what explains the matches about as well as ``found``."""


# Where there is nothing to learn it from.
NO_NOISE = NoisePosterior(0.0, 0.0)


@dataclass(frozen=True, kw_only=True, eq=False)  # arrays have no single truth
class Estimate:
    """A model with what the data say about it; false where there is none.

    Attributes
    ----------
    model : (3, 3) array or None
        x2 ~ H x1, x2' F x1 = 0, or E for normalised coordinates.
    inliers : (N,) bool array
        The partition the score chose; all False on failure.  Where matches have
        weights, each has a threshold of its own (`estimate_homography`).
    residuals : (N,) array
        Sampson distance of each match to the model, in the unit of the points (for
        the essential matrix, undistorted pixels); ``inf`` on failure.
    score : float
        Of ``model``, larger is better; ``-inf`` on failure.
    scale : float
        Standard deviation of the noise of right matches, in the unit of the points.
        The inliers end at ``threshold``; what that cuts off is made up for, so that
        this is a few percent above their root mean square
        (`cvscore.inference.noise_scale`).
    threshold : float
        The inlier threshold that the score implies, in the unit of the points.
    iterations : int
        Minimal samples drawn.
    evidence_from : callable or float
        Gives ``evidence``, which takes as long as a part of the search.
    reason : str
        Why there is no model; empty where there is one.
    pose : Pose or None
        For the essential matrix: rotation and direction by cheirality.  It has
        covariances, see `EstimatedPose`.
    noise : NoisePosterior
        What is known of the variance of the noise.
    half_width : float
        Of the band that wrong matches were taken to be spread over, in the unit of the
        points: what was given, or what the matches around the model ask for; NaN for
        scores without one.
    posterior : ModelPosterior or None
        What tells how sure the model is; None for models without coordinates.
    others : OtherAnswers or None
        What finds the ``alternatives``; None for one of them, and where nothing was
        found.
    evidence_difference : float
        Of one of the ``alternatives``: its log evidence less that of the estimate which
        it is an alternative to, in nats.
    probabilities_from : callable or None
        Gives ``probabilities``, if the model is no accident; None where there is none.
    """

    model: Array | None
    inliers: Mask
    residuals: Array
    score: float
    scale: float
    threshold: float
    iterations: int
    evidence_from: Callable[[], float] | float = field(repr=False)
    reason: str = ""
    pose: Pose | None = None
    noise: NoisePosterior = NO_NOISE
    half_width: float = math.nan
    posterior: ModelPosterior | None = field(default=None, repr=False)
    others: OtherAnswers | None = field(default=None, repr=False)
    evidence_difference: float = 0.0
    probabilities_from: Callable[[], Array] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.pose is not None and self.posterior is not None:
            # The dataclass is frozen for users.
            sure = EstimatedPose(self.pose.R, self.pose.t, self.posterior)
            object.__setattr__(self, "pose", sure)

    def __bool__(self) -> bool:
        return self.model is not None

    def __getstate__(self) -> dict[str, Any]:
        # What computes the evidence cannot be pickled; the evidence can.
        return {**self.__dict__, "evidence_from": self.evidence}

    @cached_property
    def evidence(self) -> float:
        """Log evidence in nats of the model over "every match is by chance".

        Corrected for the many models and inlier sets that were looked at, see
        `cvscore.inference.significance`; computed when it is first asked for.
        """
        given = self.evidence_from
        return given() if callable(given) else given

    @property
    def is_significant(self) -> bool:
        """Whether random matches have so good a model less than once in a hundred.

        False for a model that says nothing, and where there is none.  The figures are
        those of ``python -m benchmarks evidence``.
        """
        return self.evidence > SIGNIFICANT_EVIDENCE

    @cached_property
    def alternatives(self) -> tuple[Estimate, ...]:
        """Other estimates that explain the matches about as well, best first.

        The second pose of a plane, for an essential matrix
        (`cvscore.two_view.degeneracy.planar_pose_ambiguity`) or an absolute pose
        (`cvscore.models.mirrored_pose`), where its evidence is no more than 10 nats
        below; another structure among the outliers, of half the evidence or more; and
        a narrower fit among the inliers, where that is likelier than this
        (`cvscore.estimators.alternatives`).  Each has its ``evidence_difference``.
        Empty where there is none; searched for when it is first asked for.
        """
        return () if self.others is None else self.others.find(self)

    @cached_property
    def probabilities(self) -> Array:
        """How likely each match (N,) is right; zeros where there is no model.

        By its residual, from a mixture of noise and of wrong matches that is fitted to
        the residuals of this pair (`cvscore.inference.match_probabilities`), times the
        probability that the model itself is no accident, by its evidence.  Where a
        narrower fit among the inliers may be the right one
        (`cvscore.estimators.alternatives`) it is the mean of what it is by either, by
        how likely these are.  Computed when it is first asked for.
        """
        if self.probabilities_from is None:
            return np.zeros(len(self.inliers))
        of_model = logistic(self.evidence)
        with np.errstate(under="ignore"):  # next to nothing is nothing
            probabilities = of_model * self.probabilities_from()
            narrower = None if self.others is None else self.others.narrower
            if narrower is not None:
                of_narrower = logistic(narrower.evidence_difference)
                probabilities += of_narrower * (narrower.probabilities - probabilities)
        return probabilities

    @property
    def uncertainty(self) -> Uncertainty | None:
        """Names, covariance and tails of the model's coordinates; None without any."""
        return None if self.posterior is None else self.posterior.uncertainty

    @property
    def covariance(self) -> Array | None:
        """Covariance (n, n) of the model in its minimal coordinates; None without any.

        Homography: the first eight entries, the ninth being one.  Fundamental: both
        epipoles and the map of their lines.  Essential: turn after R and direction on
        the sphere, radians.  Pose of a camera: turn and t.  Maps: see
        `cvscore.models.parametrisations.point_maps`.  Computed when it is asked for.
        """
        return None if self.uncertainty is None else self.uncertainty.covariance

    @property
    def is_determined(self) -> bool:
        """Whether there is a model, and the inliers leave nothing of it open."""
        return self.model is not None and not self.reason_undetermined

    @property
    def reason_undetermined(self) -> str:
        """What the inliers leave open, in words; why there is no model without one."""
        if self.model is None:
            return self.reason
        return "" if self.posterior is None else self.posterior.reason_undetermined

    def transfer(self, points: ArrayLike) -> Transferred:
        """Map points (M, D) of the first set, with covariances (M, D, D).

        Raises
        ------
        TypeError
            For models that map no points to points.
        """
        return self._posterior().transfer(points)

    def epipolar_lines(self, points: ArrayLike, image: int = 1) -> EpipolarLines:
        """Return the epipolar lines of points (M, 2), with covariances (M, 3, 3).

        ``image`` says which image the points are of, 1 or 2; the lines are in the
        other.

        Raises
        ------
        TypeError
            For models without epipolar lines.
        """
        image = whole_number(image, "image", least=1, most=2)
        return self._posterior().epipolar_lines(points, image)

    def contains(self, model: ArrayLike, mass: float = 0.95) -> bool:
        """Whether another model is in the region that holds the truth so often.

        For an essential matrix the other model is a pose ``[R | t]`` (3, 4).  One
        that is so far from this that it has no coordinates about it is not in the
        region.

        Raises
        ------
        ValueError
            Where the other model has another shape, or is none of this kind.
        """
        posterior = self._posterior()
        here = self.model
        if self.pose is not None:
            here = np.column_stack([self.pose.R, self.pose.t])
        assert here is not None
        offset = posterior.offset(here, model)
        uncertainty = posterior.uncertainty
        return uncertainty.distance(offset) <= uncertainty.radius(mass)

    def _posterior(self) -> ModelPosterior:
        if self.model is None or self.posterior is None:
            raise TypeError(f"there is no model with coordinates: {self.reason}")
        return self.posterior

    def scale_interval(self, mass: float = 0.95) -> tuple[float, float]:
        """Return the central credible interval of `scale`, NaN where there is none."""
        return self.noise.interval(mass)

    @property
    def num_inliers(self) -> int:
        """How many matches the model explains."""
        return int(np.count_nonzero(self.inliers))
