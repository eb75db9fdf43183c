"""The other pose of a plane: what else the matches of an essential matrix may tell.

A plane is seen alike by two pairs of cameras (Longuet-Higgins 1986).  Where most
inliers are on one, both of its poses are optima of the score, and which of them is the
higher is chance: an essential matrix sees one component of the noise of a match, that
across its epipolar lines, and the two poses have different lines.

So the poses are not compared by the score.  Matches on the plane are as likely under
the one as under the other, whatever their noise; only those off it tell, and those
which would be behind a camera.  That is what the likelihood of matches in depth about a
plane (`cvscore.two_view.model_selection`) says of each, with those behind a camera
taken to be by chance.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from cvscore.inference.fit_summary import FitSummary, summarise_fit
from cvscore.models.homography_decomposition import essentials_of_plane, pose_of_plane
from cvscore.models.relative_pose import (
    angle_between,
    normalise,
    pose_from_essential,
)
from cvscore.ransac.local_optimization import optimise_from
from cvscore.ransac.objective import Candidate, Objective, Rival
from cvscore.two_view.model_selection import (
    Layer,
    Matches,
    fundamental_of,
    general_log_likelihood,
)
from cvscore.two_view.plane_check import Plane, check_for_plane
from cvscore.two_view.refinement.cheirality import may_be_in_front, polish_in_front
from cvscore.types import Pose

# Nats that another pose may have less.  Over matches that are all on a plane the right
# one has up to 6 less; in scenes with depth the other one has hundreds less.
MAX_DEFICIT = 10.0
# Of the inliers.  Where fewer are on the plane, the others tell the poses apart.
MIN_SHARE_ON_PLANE = 0.5
# Degrees: poses nearer to each other are one answer, with the errors of either.
MIN_ANGLE = 10.0
# Of the few samples that look for a plane.
PLANE_SEED = 0


def other_poses_of_plane(objective: Objective, candidate: Candidate) -> list[Rival]:
    """Return the other pose of the plane that most inliers are on, if it fits as well.

    Both poses, where the essential matrix is near neither of them.

    Parameters
    ----------
    objective : Objective
        Of essential matrices.
    candidate : Candidate
        What was found.

    Returns
    -------
    list of Rival
        Optimised from the plane's poses.
    """
    compared = _poses_of_plane(objective, candidate)
    return [] if compared is None else _rivals(compared, objective, candidate)


def less_aslant(objective: Objective, candidate: Candidate) -> Candidate:
    """Return the candidate, or the other pose of a plane if that is likelier.

    Of poses that fit as well, the one from which both cameras see the plane less aslant
    (`cvscore.models.homography_decomposition.pose_of_plane`): such planes are matched
    more often.  A prior, and no evidence.
    """
    compared = _poses_of_plane(objective, candidate)
    rivals = [] if compared is None else _rivals(compared, objective, candidate)
    if compared is None or not rivals:
        return candidate
    answers = [Rival(candidate, 0.0, objective), *rivals]
    best = max(answer.difference for answer in answers)
    usual = compared.usual_pose()
    fitting = [a.candidate for a in answers if a.difference > best - MAX_DEFICIT]
    return min(fitting, key=lambda c: angle_between(compared.pose_of(c), usual))


def _rivals(
    compared: _PosesOfPlane, objective: Objective, candidate: Candidate
) -> list[Rival]:
    here, reached = compared.pose_of(candidate), compared.log_likelihood(candidate)
    rivals = []
    for start in compared.starts():
        versions = [start]
        optimum = optimise_from(objective, start.model)
        if optimum is not None:
            versions.append(polish_in_front(objective, optimum)[1])
        compared_to_found = [
            Rival(version, compared.log_likelihood(version) - reached, objective)
            for version in versions
        ]
        best = max(compared_to_found, key=lambda rival: rival.difference)
        angle = angle_between(compared.pose_of(best.candidate), here)
        if best.difference > -MAX_DEFICIT and angle > math.radians(MIN_ANGLE):
            rivals.append(best)
    return rivals


def _poses_of_plane(objective: Objective, candidate: Candidate) -> _PosesOfPlane | None:
    """Return the poses of the plane that most inliers are on, None without one."""
    summary = summarise_fit(objective, candidate, 1.0)
    if not summary.threshold > 0.0:
        return None
    given = objective.points, summary.inliers, summary.threshold, PLANE_SEED
    seen = check_for_plane(*given)
    if seen is None:
        return None
    share = np.count_nonzero(seen.inliers) / np.count_nonzero(summary.inliers)
    if share < MIN_SHARE_ON_PLANE:
        return None
    return _PosesOfPlane(objective, seen, summary)


class _PosesOfPlane:
    """How likely poses of a plane make the matches about it.

    Weights of matches do not count here: the noise is that of one of mean weight.
    """

    def __init__(self, objective: Objective, seen: Plane, summary: FitSummary) -> None:
        self._objective = objective
        self._summary = summary
        self._matches = Matches(objective.points)
        self._on_plane = seen.inliers
        self._share = np.count_nonzero(seen.inliers) / len(seen.inliers)
        cut = seen.inliers, summary.threshold, seen.scale
        self._plane = self._matches.about_plane(seen.H, *cut)
        first, second = objective.model.cameras
        self._cameras = first, second
        self._rays = normalise(objective.points, *self._cameras)

    def pose_of(self, candidate: Candidate) -> Pose:
        """Return the pose that has most inliers in front."""
        inliers = self._objective.inliers(candidate)
        R, t, _ = pose_from_essential(candidate.model, self._rays, inliers)
        return Pose(R, t)

    def usual_pose(self) -> Pose:
        """Return the pose that has the plane in front, and less aslant."""
        given = self._plane.model, self._objective.points, self._on_plane
        return pose_of_plane(*given, *self._cameras)

    def starts(self) -> list[Candidate]:
        """Return the essential matrices that the plane's homography stands for."""
        matrices = essentials_of_plane(self._plane.model, *self._cameras)
        candidates = [self._objective.best_of(E[None]) for E in matrices]
        return [candidate for candidate in candidates if candidate is not None]

    def log_likelihood(self, candidate: Candidate) -> float:
        """Of the matches, over "by chance", for one pose."""
        F = fundamental_of(candidate.model, self._cameras)
        inliers = self._objective.inliers(candidate)
        summary = self._summary
        noise = summary.threshold, summary.noise.scale
        line = self._matches.about_lines(F, inliers, *noise)
        in_front = may_be_in_front(
            np.column_stack(self.pose_of(candidate)),
            self._rays,
            summary.noise.scale**2,
            *self._cameras,
        )

        def where_possible(layer: Layer) -> Layer:
            sq_residuals = np.where(in_front, layer.sq_residuals, np.inf)
            return replace(layer, sq_residuals=sq_residuals)

        layers = where_possible(self._plane), where_possible(line)
        return general_log_likelihood(*layers, self._share)
