"""Plane, rotation or general motion for a pair, at little cost where it is plain.

The decision is that of `cvscore.select_model`, whose evidence weighs all three
carefully and takes longer than the rest of a pair.  A lower bound on the evidence of
the general model is that of matches on epipolar lines alone, and an upper bound on that
of plane and rotation is the plane's with a rotation's few parameters; where the bounds
don't overlap, as for nearly all pairs of a collection, they decide.

A general scene may still be nearly a plane, as facades are.  Its fundamental matrix is
right, and yet says little about focal lengths; who calibrates by it should know.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cvscore.inference.inlier_mixture import InlierMixture
from cvscore.two_view.model_selection import (
    NUM_MIXTURE_PARAMS,
    NUM_ROTATION_PARAMS,
    Cameras,
    Matches,
    evidence_of_kinds,
    fundamental_of,
    num_general_params,
)
from cvscore.two_view.plane_check import check_for_plane
from cvscore.types import Array, Estimate, Mask

# A scene is nearly a plane where so many of the matches are within so many thresholds
# of one: COLMAP's share, at about the 4 pixels that it allows them.
NEARLY_ALL = 0.8
RELIEF = 3.0


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """What explains the matches of a pair.

    Attributes
    ----------
    kind : str
        "general", "planar", "rotation" or "planar_or_rotation".
    mixture : InlierMixture
        Noise and chance about the model.
    sq_residuals : (N,) array
        Squared distances of the matches to the model.
    matches : Matches
        What is explained.
    F : (3, 3) array
        Fundamental matrix.
    H : (3, 3) array or None
        Homography, the model where the kind is not general; then it takes its inliers
        to positive multiples.
    is_nearly_planar : bool
        Whether a general scene without cameras is too flat to calibrate by.
    """

    kind: str
    mixture: InlierMixture
    sq_residuals: Array
    matches: Matches
    F: Array
    H: Array | None
    is_nearly_planar: bool = False


class Choice:
    """The choice between an epipolar geometry and homographies of the same matches.

    Parameters
    ----------
    points : (4, N) array
        Distinct matches, pixels of the two images.
    epipolar : Estimate
        Essential matrix where cameras are given, else fundamental matrix.
    cameras : pair of (3, 3) arrays, or None
        Camera matrices.
    """

    def __init__(
        self, points: Array, epipolar: Estimate, cameras: Cameras | None
    ) -> None:
        assert epipolar.model is not None
        self._matches = Matches(points)
        self._epipolar = epipolar
        self._cameras = cameras
        self._F = fundamental_of(epipolar.model, cameras)
        self._line = self._matches.about_lines(
            self._F, epipolar.inliers, epipolar.threshold, epipolar.scale
        )

    def by_look(self, seed: int) -> Explanation:
        """Return the kind of most evidence, for a plane among the epipolar inliers.

        Right matches of a plane, and of cameras in one place, fulfil the epipolar
        geometry too, which tells how large their noise is.
        """
        likely, radius = self._epipolar.inliers, self._epipolar.threshold
        seen = check_for_plane(self._matches.points, likely, radius, seed)
        if seen is None:
            return self._general(None)
        found = self._likeliest(seen.H, seen.inliers, radius, seen.scale)
        if self._cameras is not None or found.kind != "general":
            return found
        relief = check_for_plane(self._matches.points, likely, RELIEF * radius, seed)
        num_near = 0 if relief is None else np.count_nonzero(relief.inliers)
        is_flat = bool(num_near > NEARLY_ALL * self._epipolar.num_inliers)
        return replace(found, is_nearly_planar=is_flat)

    def by_search(self, homography: Estimate) -> Explanation:
        """Return the kind of most evidence, given the best homography of all."""
        if homography.model is None:
            return self._general(None)
        cut = homography.inliers, homography.threshold, homography.scale
        return self._likeliest(homography.model, *cut)

    def _likeliest(
        self, H: Array, inliers: Mask, threshold: float, scale: float
    ) -> Explanation:
        cut = inliers, threshold, scale
        plane = self._matches.about_plane(H, *cut)
        if self._is_plain(plane.mixture):
            return self._general(H)
        evidence = evidence_of_kinds(
            self._matches, plane, self._line, inliers, self._cameras
        )
        kind = max(evidence, key=lambda name: evidence[name])
        if kind == "general":
            return self._general(H)
        if kind == "rotation" and self._cameras is not None:
            plane = self._matches.about_rotation(self._cameras, plane, inliers)
        return Explanation(
            kind=kind,
            mixture=plane.mixture,
            sq_residuals=plane.sq_residuals,
            matches=self._matches,
            F=self._F,
            H=plane.model,
        )

    def _general(self, H: Array | None) -> Explanation:
        return Explanation(
            kind="general",
            mixture=self._line.mixture,
            sq_residuals=self._line.sq_residuals,
            matches=self._matches,
            F=self._F,
            H=H,
        )

    def _is_plain(self, on_plane: InlierMixture) -> bool:
        """Whether neither plane nor rotation can have more evidence than this."""
        penalty = self._matches.penalty
        num_least = NUM_ROTATION_PARAMS + NUM_MIXTURE_PARAMS
        at_least = self._line.mixture.log_likelihood
        at_least -= penalty * num_general_params(self._cameras)
        at_most = on_plane.log_likelihood - penalty * num_least
        return at_least >= at_most
