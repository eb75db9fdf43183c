"""What the inliers of an estimate leave open, and why.

A fundamental matrix is open where a homography explains its inliers as well: its
epipole may be anywhere.  An essential matrix is open where a turn of the camera alone
explains them: the direction of its translation may be any.  "As well" is the evidence
of `cvscore.two_view.model_selection`, which counts chance matches off the plane and
the additional parameters; nothing is tuned here.  It is that of matches that keep their
neighbours, where most inliers do: repeats along a facade are no depth.

And both are as good as open where another direction, ten degrees off, fits about as
well, or where what their inliers say leaves it uncertain by as much, as on a nearly
flat object.  Such directions are looked for through that homography: with it, any
epipole explains what is on the plane, and what is off it has to tell.  Errors of a
camera pass for depth there, and one epipole explains them about as well as another.
Nor need the one of them that a few matches with such errors speak for be the true one:
so the difference of log likelihoods is compared to its own scatter.

Any other model is open where what its inliers say of some direction of its coordinates
is noise for the most part.  Noise in the points alone gives them leverage, as a line of
points seen with noise has some width; the information ``J' J`` of a direction has to be
more than twice of that.  And it has to be there without the few matches that say most
of all, as many as may be wrong: a single wrong match off the line would do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
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
from cvscore.models.essential import essential_model
from cvscore.models.fundamental import fundamental_model
from cvscore.ransac.local_optimization import optimise
from cvscore.ransac.objective import Candidate, Objective, preview_points_of
from cvscore.scores.baselines import Msac
from cvscore.two_view.degeneracy.repeated_structure import MIN_CONSISTENT_SHARE
from cvscore.two_view.model_selection import (
    Cameras,
    Layer,
    Matches,
    evidence_of_kinds,
    fit_general,
    fundamental_of,
    general_log_likelihoods,
)
from cvscore.two_view.plane_check import check_for_plane
from cvscore.two_view.plane_line_mixture import LayerMixture
from cvscore.two_view.spatial_consistency import are_consistent
from cvscore.types import Array, Mask
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
# A homography with less than half of the inliers leaves too many for chance.
MIN_SHARE_EXPLAINED = 0.5
# Of the plane's matches, for a turn to explain it: where it explains fewer, the camera
# moved, and the other direction that fits is that of the plane's second pose.
MIN_SHARE_TURNED = 0.8
# Nats that another direction has less: fewer than the first are none, and more than the
# second are some.  Between them it takes so many standard deviations.
SURELY_NONE = 5.0
SURELY_SOME = 20.0
MAX_DEVIATIONS = 1.5
# Other directions, all over a half sphere: neighbours are some twelve degrees apart.
NUM_DIRECTIONS = 150
# The best of them are optimised: the very best may end at what was found.
NUM_OPTIMISED = 3


def _half_sphere(num: int) -> Array:
    """Return directions (num, 3) about as far from each other (Fibonacci's lattice)."""
    steps = np.arange(num) + 0.5
    up, around = 1.0 - steps / num, math.pi * (1.0 + math.sqrt(5.0)) * steps
    across = np.sqrt(1.0 - up**2)
    return np.column_stack([across * np.cos(around), across * np.sin(around), up])


DIRECTIONS = _half_sphere(NUM_DIRECTIONS)

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
    if is_at_rest(posterior):
        return PLANE_OR_TURN
    flat = flat_look(posterior, None)
    if flat is not None and flat.kind != "general":
        return PLANE_OR_TURN
    covariance = signal_of(posterior).covariance
    epipoles = covariance[:2, :2], covariance[2:4, 2:4]
    hardly = not max(map(_deviation, epipoles)) <= MAX_DEVIATION
    is_open = hardly or (flat is not None and flat.has_other_direction(flat.plane))
    return NEARLY_PLANE if is_open else ""


def essential_open(posterior: Posterior) -> str:
    """Return why the direction of translation is open; "" where it is not."""
    if is_at_rest(posterior):
        return AT_REST
    first, second = posterior.cameras
    flat = flat_look(posterior, (first, second))
    if flat is not None and flat.kind == "rotation":
        moved = posterior.fit.points[2:] - posterior.fit.points[:2]
        within = np.sqrt((moved**2).sum(axis=0).max()) * posterior.frame.unit
        return AT_REST if within <= 2.0 * posterior.threshold else ONLY_TURNED
    hardly = not _deviation(signal_of(posterior).covariance[3:, 3:]) <= MAX_DEVIATION
    is_open = hardly or (flat is not None and flat.has_other_direction(flat.turned()))
    return MOVED_TOO_LITTLE if is_open else ""


def is_at_rest(posterior: Posterior) -> bool:
    """Whether no inlier moved at all."""
    moved = np.abs(posterior.points[2:] - posterior.points[:2])
    return not moved[:, posterior.inliers].max(initial=0.0) > 0.0


@dataclass(frozen=True)
class FlatLook:
    """Matches of an epipolar geometry, most of whose inliers are on a plane.

    All inside of the frame, where evidence is the same.

    Attributes
    ----------
    model : (3, 3) array
        Fundamental matrix, or essential one where there are cameras.
    cameras : pair of (3, 3) arrays, or None
    matches : Matches
        Those that tell, (N,).
    plane, line : Layer
        The same about the homography, and about the epipolar lines.
    on_plane : (N,) bool array
        Which are on the plane.
    kind : str
        Of most evidence.
    """

    model: Array
    cameras: Cameras | None
    matches: Matches
    plane: Layer
    line: Layer
    on_plane: Mask
    kind: str

    @cached_property
    def general(self) -> LayerMixture:
        """The matches in depth about the plane, on the lines of the model."""
        share = np.count_nonzero(self.on_plane) / len(self.on_plane)
        return fit_general(self.plane, self.line, share)

    @cached_property
    def log_likelihoods(self) -> Array:
        """Of every match, (N,)."""
        return general_log_likelihoods(self.plane, self.line, self.general)

    def turned(self) -> Layer:
        """Return the matches about the best turn of the cameras."""
        assert self.cameras is not None
        return self.matches.about_rotation(self.cameras, self.plane, self.on_plane)

    def has_other_direction(self, layer: Layer) -> bool:
        """Whether an epipole far from that of the model fits about as well.

        Any epipole explains what is on the homography of the layer: that of the plane,
        or of a turn if that has most of the plane.
        """
        radius, points = self.line.threshold, self.matches.points
        explained = layer.sq_residuals[self.on_plane] < radius**2
        if explained.mean() < MIN_SHARE_TURNED:
            return False
        through, model = layer.model, fundamental_model()
        if self.cameras is not None:
            first, second = self.cameras
            through = np.linalg.inv(second) @ layer.model @ first
            model = essential_model(first, second)
        objective = Objective(model, points, Msac(radius))
        every = np.cross(DIRECTIONS[:, None], through.T).transpose(0, 2, 1)
        every = every / np.linalg.norm(every, axis=(1, 2), keepdims=True)
        starts = np.ascontiguousarray(every[self._is_far(every)])
        seen = model.residuals(starts, preview_points_of(points))
        costs = np.minimum(seen, radius**2).sum(axis=1)
        for k in np.argsort(costs)[:NUM_OPTIMISED]:
            start = objective.best_of(starts[k : k + 1])
            if start is None:
                continue
            for other in (start, optimise(objective, start)):
                if not self._is_far(other.model[None])[0]:
                    continue
                # With the same shares and scales: else a direction that explains a
                # part of the matches more closely, and the rest not, would do.
                line = self._about(objective, other)
                by_other = general_log_likelihoods(self.plane, line, self.general)
                deficits = self.log_likelihoods - by_other
                if _is_about_none(deficits):
                    return True
        return False

    def _is_far(self, models: Array) -> Mask:
        """Which models (K, 3, 3) have an epipole that is far from the model's."""
        U, _, Vt = np.linalg.svd(np.concatenate([self.model[None], models]))
        cosines = np.minimum(
            np.abs(U[1:, :, 2] @ U[0, :, 2]), np.abs(Vt[1:, 2] @ Vt[0, 2])
        )
        is_far: Mask = cosines < math.cos(math.radians(MAX_DEVIATION))
        return is_far

    def _about(self, objective: Objective, other: Candidate) -> Layer:
        """Return the matches about another model."""
        F = fundamental_of(other.model, self.cameras)
        given = objective.inliers(other), self.line.threshold, self.line.scale
        return self.matches.about_lines(F, *given)


def _is_about_none(deficits: Array) -> bool:
    """Whether what matches (N,) are less likely by adds up to about nothing.

    The sum would be another one for other matches of the same scene, by the standard
    deviation of such sums (Vuong 1989).
    """
    deviation = math.sqrt(len(deficits)) * float(np.std(deficits))
    most = min(max(MAX_DEVIATIONS * deviation, SURELY_NONE), SURELY_SOME)
    return float(deficits.sum()) < most


def flat_look(posterior: Posterior, cameras: Cameras | None) -> FlatLook | None:
    """Return the matches about a plane; None where it has too few of the inliers."""
    unit = posterior.frame.unit
    radius, scale = posterior.threshold / unit, posterior.noise.scale / unit
    points, inliers = posterior.points, posterior.inliers
    keeps_neighbours = are_consistent(points, np.arange(len(inliers)))
    # Where depths are all different, neighbours tell nothing.
    if keeps_neighbours[inliers].mean() >= MIN_CONSISTENT_SHARE:
        points, inliers = points[:, keeps_neighbours], inliers[keeps_neighbours]
    seen = check_for_plane(points, inliers, radius, PLANE_SEED)
    if seen is None or seen.inliers.sum() < MIN_SHARE_EXPLAINED * inliers.sum():
        return None
    matches = Matches(points)
    plane = matches.about_plane(seen.H, seen.inliers, radius, seen.scale)
    F = fundamental_of(posterior.model, cameras)
    line = matches.about_lines(F, inliers, radius, scale)
    evidence = evidence_of_kinds(matches, plane, line, seen.inliers, cameras)
    kind = max(evidence, key=lambda kind: evidence[kind])
    return FlatLook(
        model=posterior.model,
        cameras=cameras,
        matches=matches,
        plane=plane,
        line=line,
        on_plane=seen.inliers,
        kind=kind,
    )


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
