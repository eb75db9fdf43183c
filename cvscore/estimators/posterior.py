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

from cvscore.data.normalization import Frame
from cvscore.inference.covariance import (
    Linearised,
    Reach,
    biweights,
    fit_covariance,
    reach_of,
    student_widening,
)
from cvscore.types import Array, Mask, NoisePosterior
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
    find_open: Callable[[Posterior], str]

    @cached_property
    def fit(self) -> Fit:
        """The model with its inliers."""
        return Fit(self.model, self.points[:, self.inliers], self.cameras)

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
        within = self.fit._replace(points=self.points[:, reach.within])
        num = within.points.shape[1]
        both = np.hstack([within.points, self.points[:, reach.beside]])
        jacobian = self.parametrisation.jacobian(
            within._replace(points=both), self.basis
        ).reshape(self.dim, both.shape[1], num_params)
        return Linearised(
            jacobian[:, :num],
            self.parametrisation.residuals(within),
            biweights(self.sq_residuals[reach.within], reach.variance),
            within.points,
            jacobian[:, num:],
        )

    @cached_property
    def covariance_inside(self) -> Array:
        """Covariance (n, n) of the coordinates inside."""
        scale = self.noise.scale / self.frame.unit
        covariance = fit_covariance(self.near, self.reach.variance, scale**2)
        return student_widening(self.noise) * covariance

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """Covariance of the coordinates outside."""
        covariance = self.covariance_inside
        if self.parametrisation.coordinates is not None:
            model = self.change_outside(self.frame, self.model)
            changes = [self.change_outside(self.frame, one) for one in self.basis]
            by_inside = self.parametrisation.coordinates(model, np.array(changes))
            if np.isfinite(covariance).all():
                covariance = by_inside.T @ covariance @ by_inside
        return Uncertainty(
            self.parametrisation.names, covariance, 2.0 * self.noise.shape
        )

    @cached_property
    def pose_covariance(self) -> Array:
        """Covariance (6, 6) of the pose behind the model: turn after R, and t."""
        pose_slopes = self.parametrisation.pose_slopes
        if pose_slopes is None:
            raise TypeError("this model has no pose")
        slopes, covariance = pose_slopes(self.fit), self.uncertainty.covariance
        if not np.isfinite(covariance).all():
            return np.full((6, 6), np.inf)
        of_pose: Array = slopes @ covariance @ slopes.T
        return of_pose

    @cached_property
    def reason_undetermined(self) -> str:
        """What the inliers leave open; empty where nothing is."""
        return self.find_open(self)

    def offset(self, model: Array, other: Array) -> Array:
        """Return the coordinates (n,) of another model about a model, both outside."""
        return self.parametrisation.offset(model, other, self.frame)

    def transfer(self, points: Array) -> Transferred:
        """Map points (M, D) of the first set, with covariances."""
        predict = self.parametrisation.predict
        if predict is None:
            raise TypeError("this model does not map points: see epipolar_lines")
        dim = points.shape[1]
        shift1, shift2 = self.frame.shift[:dim], self.frame.shift[dim:]
        mapped, slopes = predict(self.model, (points - shift1).T / self.frame.unit)
        moved = np.tensordot(slopes, self.basis, axes=((2, 3), (1, 2)))  # (D, M, n)
        covariances = self.frame.unit**2 * _propagated(moved, self.covariance_inside)
        return Transferred(self.frame.unit * mapped.T + shift2, covariances)

    def epipolar_lines(self, points: Array, image: int) -> EpipolarLines:
        """Return the lines of points (M, 2) of an image (1 or 2) in the other one."""
        if self.model.shape != (3, 3) or self.parametrisation.predict is not None:
            raise TypeError("this model has no epipolar lines: see transfer")
        F, changes = self.model, self.basis
        if self.cameras:
            first, second = (np.linalg.inv(K) for K in self.cameras)
            F, changes = second.T @ F @ first, second.T @ changes @ first
        if image == 2:
            F, changes = F.T, changes.transpose(0, 2, 1)
        here = self.frame.shift[2 * image - 2 : 2 * image]
        there = self.frame.shift[4 - 2 * image : 6 - 2 * image]
        inside = np.vstack([(points - here).T / self.frame.unit, np.ones(len(points))])
        out = np.eye(3)  # line inside to line outside, times the unit
        out[2, :2], out[2, 2] = -there, self.frame.unit
        lines, moved = out @ F @ inside, np.tensordot(out @ changes, inside, axes=1)
        lengths = np.hypot(lines[0], lines[1])
        lines, moved = lines / lengths, moved / lengths
        # A line of unit normal turns and shifts only.
        along = (moved[:, :2] * lines[:2]).sum(axis=1)[:, None] * lines
        slopes = (moved - along).transpose(1, 2, 0)  # (3, M, n)
        return EpipolarLines(lines.T, _propagated(slopes, self.covariance_inside))


def _propagated(slopes: Array, covariance: Array) -> Array:
    """Covariances (M, D, D) of what has slopes (D, M, n) by coordinates (n, n)."""
    if not np.isfinite(covariance).all():
        return np.full((slopes.shape[1], len(slopes), len(slopes)), np.inf)
    by_point = slopes.transpose(1, 0, 2)
    covariances: Array = by_point @ covariance @ by_point.transpose(0, 2, 1)
    return covariances
