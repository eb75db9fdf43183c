"""What the inliers of an estimate leave open, and why.

A fundamental matrix is open where a homography explains its inliers as well: its
epipole may be anywhere.  An essential matrix is open where a turn of the camera alone
explains them: the direction of its translation may be any.  "As well" is the evidence
of `cvscore.two_view.model_selection`, which counts chance matches off the plane and
the additional parameters; nothing is tuned here.  And both are as good as open where
what their inliers say leaves that direction uncertain by ten degrees, as on a nearly
flat object.

Any other model is open where what its inliers say of some direction of its coordinates
is noise for the most part.  Noise in the points alone gives them leverage, as a line of
points seen with noise has some width; the information ``J' J`` of a direction has to be
more than twice of that.  And it has to be there without the few matches that say most
of all, as many as may be wrong: a single wrong match off the line would do.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cvscore.estimators.posterior import Posterior
from cvscore.inference.covariance import orthonormal_coordinates
from cvscore.inference.leverage_beliefs import (
    PRIOR_WRONG,
    sq_lengths,
    weighted_gram,
    wrong_within,
)
from cvscore.two_view.model_selection import (
    Cameras,
    Matches,
    evidence_of_kinds,
    fundamental_of,
)
from cvscore.two_view.plane_check import check_for_plane
from cvscore.types import Array
from cvscore.types.parametrisation import Fit

# Information of a direction over that of noise alone: as much again is to be signal.
MIN_SIGNAL = 2.0
# Of the matches within reach: no more are taken for wrong, where all are few.
MAX_DOUBTFUL = 0.1
# What is left of a direction that noise says all of, so that it has a covariance.
MIN_SIGNAL_SHARE = 0.02
# Degrees: a direction that is no surer than this is as good as open, as one that is off
# by more counts as wrong wherever poses are compared.
MAX_DEVIATION = 10.0
PLANE_SEED = 0  # of the few samples that look for a plane

PLANE_OR_TURN = (
    "all inliers lie on a plane, or the camera only turned: the epipole is open"
)
ONLY_TURNED = "the camera only turned: the direction of translation is open"
NEARLY_PLANE = (
    "too little is off a plane, or the camera hardly moved: the epipole is as good as "
    "open"
)
MOVED_TOO_LITTLE = (
    "the camera hardly moved: the direction of translation is as good as open"
)
AT_REST = "nothing moved between the images: the direction of translation is open"
POINTS_TOO_FEW_DIRECTIONS = (
    "the inliers lie on a line, or closer to one than their noise: what the model "
    "does across it is open"
)


def fundamental_open(posterior: Posterior) -> str:
    """Return why the epipole is open; "" where it is not."""
    if likeliest_kind(posterior, None) != "general":
        return PLANE_OR_TURN
    covariance = signal_of(posterior).covariance
    epipoles = covariance[:2, :2], covariance[2:4, 2:4]
    hardly = not max(map(_deviation, epipoles)) <= MAX_DEVIATION
    return NEARLY_PLANE if hardly else ""


def essential_open(posterior: Posterior) -> str:
    """Return why the direction of translation is open; "" where it is not."""
    first, second = posterior.cameras
    kind = likeliest_kind(posterior, (first, second))
    if kind != "rotation":
        hardly = (
            not _deviation(signal_of(posterior).covariance[3:, 3:]) <= MAX_DEVIATION
        )
        return MOVED_TOO_LITTLE if hardly else ""
    moved = posterior.fit.points[2:] - posterior.fit.points[:2]
    within = np.sqrt((moved**2).sum(axis=0).max()) * posterior.frame.unit
    return AT_REST if within <= 2.0 * posterior.threshold else ONLY_TURNED


def likeliest_kind(posterior: Posterior, cameras: Cameras | None) -> str:
    """Return the kind of geometry that has most evidence, "general" if no plane has.

    Everything is inside of the frame, where evidence is the same.
    """
    unit, inliers = posterior.frame.unit, posterior.inliers
    radius, scale = posterior.threshold / unit, posterior.noise.scale / unit
    points = posterior.points
    moved = np.abs(points[2:] - points[:2])[:, inliers]
    is_exactly_at_rest = not moved.max(initial=0.0) > 0.0
    if is_exactly_at_rest:
        return "rotation" if cameras is not None else "planar_or_rotation"
    seen = check_for_plane(points, inliers, radius, PLANE_SEED)
    # A plane with less than half of the inliers leaves too many for chance.
    if seen is None or 2 * seen.inliers.sum() < inliers.sum():
        return "general"
    matches = Matches(points)
    plane = matches.about_plane(seen.H, seen.inliers, radius, seen.scale)
    F = fundamental_of(posterior.model, cameras)
    line = matches.about_lines(F, inliers, radius, scale)
    evidence = evidence_of_kinds(matches, plane, line, seen.inliers, cameras)
    return max(evidence, key=lambda kind: evidence[kind])


def open_by_noise(posterior: Posterior) -> str:
    """Return why a model is open where noise says most of some direction."""
    share = signal_of(posterior).share_of_noise
    return "" if share * MIN_SIGNAL <= 1.0 else POINTS_TOO_FEW_DIRECTIONS


class Signal(NamedTuple):
    """What inliers say of a model beyond noise, without those that may be wrong.

    ``covariance`` (n, n) is that of the coordinates inside, were it all; of the
    direction that noise says most of, ``share_of_noise`` is the part that it says.
    """

    covariance: Array
    share_of_noise: float


def signal_of(posterior: Posterior) -> Signal:
    """Return what the inliers say beyond noise; infinite where that is nothing."""
    num_params = len(posterior.parametrisation.names)
    nothing = Signal(np.full((num_params, num_params), np.inf), np.inf)
    if not np.isfinite(posterior.covariance_inside).all():
        return nothing
    try:
        with np.errstate(all="ignore"):  # of points at infinity
            return _signal_of(posterior)
    except np.linalg.LinAlgError:  # singular to rounding, or not finite
        return nothing


def _signal_of(posterior: Posterior) -> Signal:
    near, scale = posterior.near, posterior.noise.scale / posterior.frame.unit
    coordinates = orthonormal_coordinates(near.jacobian, near.weights)
    if coordinates is None:
        raise np.linalg.LinAlgError("inliers leave a coordinate open")
    jacobian = near.jacobian @ coordinates
    leverages = near.weights * sq_lengths(jacobian)
    kept = np.argsort(leverages)[: len(leverages) - _num_doubtful(posterior)]
    jacobian, weights = jacobian[:, kept], near.weights[kept]
    roots = near.roots[kept]
    fit = posterior.fit._replace(points=near.places[:, kept])
    by_noise = np.zeros_like(coordinates)
    for row in range(len(fit.points)):
        moved = fit.points.copy()
        moved[row] += scale / roots * _noise_reach(fit, row)
        shifted = posterior.parametrisation.jacobian(
            fit._replace(points=moved), posterior.basis
        )
        shifted = roots[:, None] * shifted.reshape(near.jacobian[:, kept].shape)
        change = shifted @ coordinates - jacobian
        by_noise += weighted_gram(change, weights)
    root = np.linalg.inv(np.linalg.cholesky(weighted_gram(jacobian, weights)))
    shares, directions = np.linalg.eigh(root @ by_noise @ root.T)
    outwards = coordinates @ root.T @ directions
    signals = np.maximum(1.0 - shares, MIN_SIGNAL_SHARE)
    covariance = scale**2 * (outwards / signals) @ outwards.T
    return Signal(covariance, float(shares[-1]))


def _deviation(covariance: Array) -> float:
    """Return the largest standard deviation in any direction, degrees."""
    if not np.isfinite(covariance).all():
        return math.inf
    return math.degrees(math.sqrt(np.linalg.norm(covariance, 2)))


def _num_doubtful(posterior: Posterior) -> int:
    """Return how many matches within reach may well be wrong, by those beside."""
    within, beside = (np.count_nonzero(x) for x in posterior.reach[:2])
    expected = wrong_within(posterior.dim) * (beside + PRIOR_WRONG)
    # Two standard deviations of a number by chance, and rounded up.
    doubtful = int(expected + 2.0 * np.sqrt(expected)) + 1
    return min(doubtful, int(MAX_DOUBTFUL * within))


def _noise_reach(fit: Fit, row: int) -> Array | float:
    """Return by how much a coordinate is off, for noise of one in the residuals.

    Scene points of an image are no surer than the image: by a pixel at their depth.
    """
    if len(fit.points) != 5:
        return 1.0
    if row < 2:
        return 0.0
    K, pose = fit.cameras[0], fit.model
    depths = pose[2, :3] @ fit.points[2:] + pose[2, 3]
    reach: Array = depths / np.sqrt(K[0, 0] * K[1, 1])
    return reach
