"""The noise variance of one pair, from matches that are known to be right.

A prior is learned from these.  The variance is RSS/(d k - p): the squared Sampson
residuals of the k distinct matches under the model, over what its p fitted parameters
leave of their d k dimensions.  With the pose known there is less to fit:

    ==============  ===  ==============  ==========
    model            d   unconstrained   given pose
    ==============  ===  ==============  ==========
    homography       2   p = 8           p = 3, the plane n in H = R + t n'
    fundamental      1   p = 7           p = 0
    essential        1   p = 5           p = 0
    any other        d   p = n
    ==============  ===  ==============  ==========
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cvscore.calibration.plane_fit import fit_plane
from cvscore.data.deduplication import first_occurrences
from cvscore.data.normalization import region_of
from cvscore.data.validation import as_intrinsics, as_real_array
from cvscore.estimators.absolute_pose import is_rotation
from cvscore.estimators.posterior import Posterior
from cvscore.estimators.registry import registered
from cvscore.models.sampson import sampson_residuals
from cvscore.two_view.image_pairs import SCENE_MATCHES
from cvscore.types import Array, GeometricModel, one_of, shown

# Models that the pose of two cameras fixes, but for a plane.
OF_POSES = ("homography", "fundamental", "essential")
# With fewer, the standard error of a variance is more than half of it, and it says
# little of the noise.
MIN_DEGREES_OF_FREEDOM = 8
NUM_NORMAL_PARAMS = 3
# Refits from the estimate on; each is itself a few Gauss-Newton steps.
MAX_REFITS = 10


class Variances(NamedTuple):
    """Noise variances of several pairs, and how many pairs gave none."""

    values: Array
    num_skipped: int


def collect_variances(per_pair: Iterable[float | None]) -> Variances:
    """Gather the variances of pairs; None stands for a pair with too few matches."""
    given = list(per_pair)
    values = [value for value in given if value is not None]
    return Variances(np.array(values, dtype=np.float64), len(given) - len(values))


def variance_unconstrained(
    x1: ArrayLike,
    x2: ArrayLike,
    K1: ArrayLike | None = None,
    K2: ArrayLike | None = None,
    *,
    model: str,
) -> float | None:
    """Return the noise variance under the model that fits right matches best.

    Parameters
    ----------
    x1, x2 : (N, D) arrays
        Matches known to be right, as the model's estimator takes them; copies count
        once.
    K1, K2 : (3, 3) array
        Camera matrices, for models that need them; ``K2`` is ``K1`` if left out.
    model : str
        What to fit: the end of the name of any ``estimate_*``.

    Returns
    -------
    float or None
        RSS/(d k - n), in the squared unit of the points (pixels before K); None where
        there are too few matches, or none of them fix the model.
    """
    estimator = registered(model)
    form = estimator.form_of(x1, x2)
    found = estimator.run(x1, x2, cameras=(K1, K2))
    fitted = found.posterior
    if found.model is None or not isinstance(fitted, Posterior):
        return None
    num_points, counts = fitted.points.shape[1], form.counts
    num_spare = num_points * counts.residual_dim - counts.num_params
    if num_spare < MIN_DEGREES_OF_FREEDOM:
        return None
    rss = _least_squares(form.make_model(*fitted.cameras), fitted.model, fitted.points)
    return float(rss * fitted.frame.unit**2 / num_spare)


def variance_given_pose(
    x1: ArrayLike,
    x2: ArrayLike,
    K1: ArrayLike,
    K2: ArrayLike | None = None,
    *,
    R: ArrayLike,
    t: ArrayLike,
    model: str,
) -> float | None:
    """Return the noise variance under a known pose, ``x_cam2 = R x_cam1 + t``.

    Nothing is fitted but, for the homography, the plane of the points.

    Parameters
    ----------
    x1, x2 : (N, 2) array
        Matches known to be right; copies count once.
    K1, K2 : (3, 3) array
        Camera matrices; ``K2`` is ``K1`` if left out.
    R, t : (3, 3) and (3,) array
        The pose; the length of ``t`` is irrelevant.
    model : {"homography", "fundamental", "essential"}
        The last two are the same here: the pose and the cameras fix both.

    Returns
    -------
    float or None
        RSS/k, for the homography RSS/(2 k - 3), in pixels squared; None where there are
        too few matches.
    """
    one_of(model, "model", OF_POSES)
    points = _distinct_points(x1, x2)
    K1, K2 = _cameras(K1, K2)
    R, t = _pose(R, t)
    if model != "homography":
        if points.shape[1] < MIN_DEGREES_OF_FREEDOM:
            return None
        F = np.linalg.inv(K2).T @ _cross_matrix(t) @ R @ np.linalg.inv(K1)
        sq_residuals: Array = sampson_residuals(F[None], points)[0]
        return float(np.mean(sq_residuals))
    num_spare = 2 * points.shape[1] - NUM_NORMAL_PARAMS
    if num_spare < MIN_DEGREES_OF_FREEDOM:
        return None
    _, rss = fit_plane(points, K1, K2, R, t)
    return float(rss / num_spare)


def _least_squares(model: GeometricModel, start: Array, points: Array) -> float:
    """Refit on all points alike until it ends; return the sum of squared residuals."""
    weights = np.ones(points.shape[1])
    best = float(model.residuals(start[None], points).sum())
    fitted = start
    for _ in range(MAX_REFITS):
        fitted = model.refit(fitted, points, weights)
        rss = float(model.residuals(fitted[None], points).sum())
        # An estimate may leave a match behind its horizon, where the sum is infinite.
        if not rss < best * (1.0 - 1e-12):
            return min(rss, best)
        best = rss
    return best


def _distinct_points(x1: ArrayLike, x2: ArrayLike) -> Array:
    points = SCENE_MATCHES.pack(x1, x2)
    distinct, _ = first_occurrences(points)
    chosen = np.ascontiguousarray(points[:, distinct])
    SCENE_MATCHES.size_of(region_of(chosen))  # refuses what no number holds
    return chosen


def _cameras(K1: ArrayLike | None, K2: ArrayLike | None) -> tuple[Array, Array]:
    if K1 is None:
        raise ValueError("K1 must be given for a pose")
    first = as_intrinsics(K1, "K1")
    return first, first if K2 is None else as_intrinsics(K2, "K2")


def _pose(R: ArrayLike, t: ArrayLike) -> tuple[Array, Array]:
    rotation = as_real_array(R, "R").astype(np.float64)
    direction = as_real_array(t, "t").astype(np.float64).ravel()
    if rotation.shape != (3, 3) or direction.shape != (3,):
        raise ValueError(
            f"R and t must have shapes (3, 3) and (3,), got {rotation.shape} "
            f"and {direction.shape}"
        )
    if not is_rotation(rotation):
        raise ValueError(f"R must be a rotation matrix, got {shown(rotation.tolist())}")
    largest = np.abs(direction).max()
    length = largest * np.linalg.norm(direction / largest) if largest > 0.0 else 0.0
    if not 0.0 < length < np.inf:
        raise ValueError(f"t must be finite and not zero, got {direction.tolist()}")
    return rotation, direction / length


def _cross_matrix(t: Array) -> Array:
    x, y, z = t
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
