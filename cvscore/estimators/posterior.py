"""What the inliers leave open of a model: computed when it is asked for.

An `Estimate` keeps one of these.  It holds arrays and functions of modules only, so
that it can be pickled, and computes in the frame of the points, where numbers are of
order one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from cvscore.data.normalization import Frame
from cvscore.data.validation import as_coordinates, as_real_array, check_finite
from cvscore.inference.covariance import (
    Linearised,
    Reach,
    Spread,
    fit_spread,
    reach_of,
)
from cvscore.inference.tukey_weights import biweights
from cvscore.numerics.linalg import EPSILON
from cvscore.types import LARGEST, Array, Mask, NoisePosterior, SizeError, shown
from cvscore.types.parametrisation import Fit, Parametrisation
from cvscore.types.uncertainty import EpipolarLines, Transferred, Uncertainty


@dataclass(frozen=True, kw_only=True)
class Posterior:
    """A model inside of the frame, the points, and how it is parametrised.

    Attributes
    ----------
    parametrisation : Parametrisation
        Of the model.
    model : array
        Inside of the frame.
    points : (D, M) array
        Distinct points, inside of the frame.
    sq_residuals : (M,) array
        Squared distances to the model, inside of the frame.
    inliers : (M,) bool array
        Which of them fulfil the model.
    dim : int
        Constraints per point.
    cameras : tuple of (3, 3) arrays
        Camera matrices inside of the frame, where the model is one of such.
    frame : Frame
        Where that is.
    change_outside : callable
        ``change_outside(frame, change)``: a change of the model, outside of the frame.
    noise : NoisePosterior
        What is known of the variance of the noise, in the unit of the points outside.
    threshold : float
        The inlier threshold, in that unit.
    weights : (M,) array or None
        Of the points: their squared residuals are multiplied by them.
    find_open : callable
        ``find_open(posterior)``: what the inliers leave open, in words; "" if nothing.
    """

    parametrisation: Parametrisation
    model: Array
    points: Array
    sq_residuals: Array
    inliers: Mask
    dim: int
    cameras: tuple[Array, ...]
    frame: Frame
    change_outside: Callable[[Frame, Array], Array]
    noise: NoisePosterior
    threshold: float
    weights: Array | None
    find_open: Callable[[Posterior], str]

    @cached_property
    def fit(self) -> Fit:
        """The model with its inliers."""
        return Fit(self.model, self._chosen(self.inliers), self.cameras)

    @cached_property
    def basis(self) -> Array:
        """Changes (n, ...) of the model by the coordinates inside."""
        return self.parametrisation.basis(self.fit)

    @cached_property
    def reach(self) -> Reach:
        """Which matches are within reach of the last fit, and which beside it."""
        num_params = len(self.parametrisation.names)
        return reach_of(self.sq_residuals, self.inliers, self.dim, num_params)

    @cached_property
    def near(self) -> Linearised:
        """The matches within reach, to first order in the coordinates inside."""
        reach, num_params = self.reach, len(self.parametrisation.names)
        within = self.fit._replace(points=self._chosen(reach.within))
        num = within.points.shape[1]
        both = np.hstack([within.points, self._chosen(reach.beside)])
        roots = np.ones(both.shape[1])
        if self.weights is not None:
            chosen = self.weights[reach.within], self.weights[reach.beside]
            roots = np.sqrt(np.concatenate(chosen))
        with np.errstate(all="ignore"):  # of points at infinity
            jacobian = self.parametrisation.jacobian(
                within._replace(points=both), self.basis
            ).reshape(self.dim, both.shape[1], num_params)
            if self.weights is not None:
                jacobian *= roots[:, None]
            residuals = roots[:num] * self.parametrisation.residuals(within)
        beside = jacobian[:, num:]
        return Linearised(
            jacobian[:, :num],
            residuals,
            biweights(self.sq_residuals[reach.within], reach.variance),
            roots[:num],
            within.points,
            beside[:, np.isfinite(beside).all(axis=(0, 2))],
        )

    def _chosen(self, chosen: Mask) -> Array:
        """Return some of the points (D, K), one coordinate after the other."""
        return self.points.compress(chosen, axis=1)

    @cached_property
    def spread(self) -> Spread:
        """What is known of the coordinates inside."""
        # Places are known to rounding at the best.
        rounding = EPSILON * (1.0 + np.abs(self.frame.shift).max() / self.frame.unit)
        scale = max(self.noise.scale / self.frame.unit, rounding)
        with np.errstate(all="ignore"):
            return fit_spread(self.near, self.reach.variance, scale**2, self.noise)

    @property
    def covariance_inside(self) -> Array:
        """Covariance (n, n) of the coordinates inside."""
        return self.spread.covariance

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """Covariance of the coordinates outside."""
        covariance = self.covariance_inside
        if self.parametrisation.coordinates is not None:
            model = self.change_outside(self.frame, self.model)
            changes = [self.change_outside(self.frame, one) for one in self.basis]
            with np.errstate(all="ignore"):  # without coordinates, they are open
                by_inside = self.parametrisation.coordinates(model, np.array(changes))
            covariance = propagated(by_inside.T[:, None], covariance)[0]
        names, freedom = self.parametrisation.names, self.spread.freedom
        return Uncertainty(names, covariance, freedom)

    @cached_property
    def pose_covariance(self) -> Array:
        """Covariance (6, 6) of the pose behind the model: turn after R, and t."""
        pose_slopes = self.parametrisation.pose_slopes
        if pose_slopes is None:
            raise TypeError("this model has no pose")
        slopes = pose_slopes(self.fit)
        of_pose: Array = propagated(slopes[:, None], self.uncertainty.covariance)[0]
        return of_pose

    @cached_property
    def reason_undetermined(self) -> str:
        """What the inliers leave open; empty where nothing is."""
        return self.find_open(self)

    def offset(self, model: Array, other: ArrayLike) -> Array:
        """Return the coordinates (n,) of another model about a model, both outside.

        Not finite where it has none about this one.
        """
        given = as_real_array(other, "model").astype(np.float64)
        if given.shape != model.shape or not np.isfinite(given).all():
            raise ValueError(
                f"model must be a finite array of shape {model.shape}, got "
                f"{shown(given.tolist())}"
            )
        if np.allclose(given, model, rtol=4.0 * EPSILON, atol=0.0):
            return np.zeros(len(self.parametrisation.names))  # not their rounding
        with np.errstate(all="ignore"):
            return self.parametrisation.offset(model, given, self.frame)

    def transfer(self, points: ArrayLike) -> Transferred:
        """Map points (M, D) of the first set, with covariances."""
        predict = self.parametrisation.predict
        if predict is None:
            raise TypeError("this model does not map points: see epipolar_lines")
        dim = len(self.points) // 2
        inside, shift = self._enter(points, slice(dim)), self.frame.shift[dim:]
        unit = self.frame.unit
        with np.errstate(all="ignore"):  # of points that go to infinity
            mapped, slopes = predict(self.model, inside)
            moved = np.tensordot(slopes, self.basis, axes=((2, 3), (1, 2)))  # (D, M, n)
            covariances = propagated(unit * moved, self.covariance_inside)
            places = unit * mapped.T + shift
        places[~np.isfinite(places).all(axis=1)] = np.inf
        return Transferred(places, covariances)

    def _enter(self, points: ArrayLike, rows: slice) -> Array:
        """Return points (M, D) of one set as (D, M) inside of the frame."""
        shift, unit = self.frame.shift[rows], self.frame.unit
        outside = as_coordinates(points, len(shift), "points").astype(np.float64).T
        check_finite(outside, "points")
        with np.errstate(all="ignore"):
            inside: Array = (outside - shift[:, None]) / unit
        farthest = np.abs(inside).max(initial=0.0)
        if not farthest <= LARGEST:
            raise SizeError(
                f"points must be within {LARGEST:g} times the size of those that the "
                f"model is of, got {farthest:g}"
            )
        return inside

    def epipolar_lines(self, points: ArrayLike, image: int) -> EpipolarLines:
        """Return the lines of points (M, 2) of an image (1 or 2) in the other one."""
        if self.model.shape != (3, 3) or self.parametrisation.predict is not None:
            raise TypeError("this model has no epipolar lines: see transfer")
        F, changes = self.model, self.basis
        if self.cameras:
            first, second = (np.linalg.inv(K) for K in self.cameras)
            F, changes = second.T @ F @ first, second.T @ changes @ first
        if image == 2:
            F, changes = F.T, changes.transpose(0, 2, 1)
        there = self.frame.shift[4 - 2 * image : 6 - 2 * image]
        places = self._enter(points, slice(2 * image - 2, 2 * image))
        inside = np.vstack([places, np.ones(places.shape[1])])
        out = np.eye(3)  # line inside to line outside, times the unit
        out[2, :2], out[2, 2] = -there, self.frame.unit
        lines, moved = out @ F @ inside, np.tensordot(out @ changes, inside, axes=1)
        lengths = np.hypot(lines[0], lines[1])
        with np.errstate(all="ignore"):  # the epipole has no line
            lines, moved = lines / lengths, moved / lengths
            lines[:, lengths == 0.0] = np.nan  # nor the line at infinity a place
            # A line of unit normal turns and shifts only.
            along = (moved[:, :2] * lines[:2]).sum(axis=1)[:, None] * lines
            slopes = (moved - along).transpose(1, 2, 0)  # (3, M, n)
        return EpipolarLines(lines.T, propagated(slopes, self.covariance_inside))


def propagated(slopes: Array, covariance: Array) -> Array:
    """Covariances (M, D, D) of what has slopes (D, M, n) by coordinates (n, n).

    Infinite where the coordinates are open, or no number holds what they are.  They
    are made of a root, as rounding would leave differences of large terms negative.
    """
    by_point = slopes.transpose(1, 0, 2)
    with np.errstate(all="ignore"):
        moved = by_point @ root_of(covariance)
        covariances: Array = moved @ moved.transpose(0, 2, 1)
    is_open = ~np.isfinite(covariances).all(axis=(1, 2))
    covariances[is_open] = np.inf
    return covariances


def root_of(covariance: Array) -> Array:
    """Return L (n, n) with ``L L' = covariance``; NaN for one that is not finite."""
    if not np.isfinite(covariance).all():
        return np.full_like(covariance, np.nan)
    deviations = np.sqrt(np.diag(covariance))
    divisors = np.where(deviations > 0.0, deviations, 1.0)
    correlations = covariance / divisors[:, None] / divisors
    values, vectors = np.linalg.eigh(correlations)
    root: Array = deviations[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
    return root
