"""Coordinates of the models about one: as many as it has degrees of freedom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from cvscore.types.arrays import Array


class Fit(NamedTuple):
    """A model with the points (D, M) that fulfil it, inside their frame.

    ``cameras`` are the camera matrices there, where the model is one of such.
    """

    model: Array
    points: Array
    cameras: tuple[Array, ...] = ()


@dataclass(frozen=True)
class Parametrisation:
    """How a model may change, and what its residuals do then.

    Inside of the frame any coordinates do in which this is well conditioned; outside of
    it they have names and are what covariances are given in.  The functions are those
    of modules, so that they can be pickled.

    Attributes
    ----------
    names : tuple of str
        Of the coordinates outside, n of them.
    basis : callable
        ``basis(fit)``: derivatives (n, ...) of the model by the coordinates inside.
    jacobian : callable
        ``jacobian(fit, changes)``: derivatives (M d, n) of the residuals by
        coordinates along which the model changes by (n, ...).  The d residuals of a
        point are whitened: their squares sum to its squared residual.
    residuals : callable
        ``residuals(fit)``: these residuals (d, M) themselves.
    coordinates : callable or None
        ``coordinates(model, changes)``: coordinates (m, n), outside, of changes (m,
        ...) of a model; None where they are those inside.
    offset : callable
        ``offset(model, other, frame)``: coordinates (n,), outside, of another model.
    predict : callable or None
        ``predict(model, points)``: where the model puts points (D, M), (D2, M), and the
        derivatives (D2, M, ...) of that by the entries of the model; None where it puts
        them nowhere.
    pose_slopes : callable or None
        ``pose_slopes(fit)``: derivatives (6, n) of the pose behind the model, a turn
        after R and t, by the coordinates outside; None where there is no pose.
    """

    names: tuple[str, ...]
    basis: Callable[[Fit], Array]
    jacobian: Callable[[Fit, Array], Array]
    residuals: Callable[[Fit], Array]
    offset: Callable[[Array, Array, Any], Array]
    coordinates: Callable[[Array, Array], Array] | None = None
    predict: Callable[[Array, Array], tuple[Array, Array]] | None = None
    pose_slopes: Callable[[Fit], Array] | None = None
