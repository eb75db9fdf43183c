"""Plane, rotation or general motion for a pair, at little cost where it is plain.

The decision is that of `cvscore.select_model`, whose evidence weighs all three
carefully and takes longer than the rest of a pair.  A lower bound on the evidence of
the general model is that of matches on epipolar lines alone, and an upper bound on that
of plane and rotation is the plane's with a rotation's few parameters; where the bounds
don't overlap, as for nearly all pairs of a collection, they decide.  For that a short
look at the plane is enough, and a homography is searched for only where they do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cvscore.colmap.plane_look import look_for_plane
from cvscore.kinds import (
    NUM_MIXTURE_PARAMS,
    NUM_ROTATION_PARAMS,
    Cameras,
    Layer,
    Matches,
    evidence_of_kinds,
    fundamental_of,
    num_general_params,
)
from cvscore.membership import Membership, fit_membership
from cvscore.rotation_fit import fit_rotation
from cvscore.types import Array, Estimate

HomographySearch = Callable[[], Estimate]


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """What explains the matches of a pair.

    Attributes
    ----------
    kind : str
        "general", "planar", "rotation" or "planar_or_rotation".
    membership : Membership
        Noise and chance about the model.
    residuals : (N,) array
        Distances of the matches to the model.
    matches : Matches
        What is explained.
    F : (3, 3) array
        Fundamental matrix.
    H : (3, 3) array or None
        Homography, the model where the kind is not general; then it takes its inliers
        to positive multiples.
    """

    kind: str
    membership: Membership
    residuals: Array
    matches: Matches
    F: Array
    H: Array | None


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
            self._F, epipolar.threshold, epipolar.scale
        )
        self._on_line = self._membership(self._line, 1, epipolar.inliers.mean())

    def at_a_look(self, seed: int) -> Explanation | None:
        """Return general motion where it is plain; None where it takes more."""
        members = np.flatnonzero(self._epipolar.inliers)
        threshold = self._epipolar.threshold
        inlying = np.ascontiguousarray(self._matches.points[:, members])
        found = look_for_plane(inlying, threshold, seed)
        if found is None:
            return self._general(None)
        is_inlying = np.zeros(self._matches.points.shape[1], dtype=np.bool_)
        is_inlying[members] = found.inliers
        plane = self._matches.about_plane(found.H, is_inlying, threshold, found.scale)
        on_plane = self._membership(plane, 2, is_inlying.mean())
        return self._general(found.H) if self._is_plain(on_plane) else None

    def after_search(self, homography: Estimate) -> Explanation:
        """Return the kind of most evidence, given the best homography.

        Its inliers are those among all N matches.
        """
        if homography.model is None:
            return self._general(None)
        inliers = homography.inliers
        cut = inliers, homography.threshold, homography.scale
        plane = self._matches.about_plane(homography.model, *cut)
        on_plane = self._membership(plane, 2, inliers.mean())
        if self._is_plain(on_plane):
            return self._general(homography.model)
        evidence = evidence_of_kinds(
            self._matches, plane, self._line, inliers, self._cameras
        )
        kind = max(evidence, key=lambda name: evidence[name])
        if kind == "general":
            return self._general(homography.model)
        if kind == "rotation" and self._cameras is not None:
            H = fit_rotation(self._matches.points[:, inliers], *self._cameras)
            plane = self._matches.about_plane(H, *cut)
            on_plane = self._membership(plane, 2, inliers.mean())
        return Explanation(
            kind=kind,
            membership=on_plane,
            residuals=np.sqrt(plane.sq_residuals),
            matches=self._matches,
            F=self._F,
            H=plane.model,
        )

    def _general(self, H: Array | None) -> Explanation:
        return Explanation(
            kind="general",
            membership=self._on_line,
            residuals=np.sqrt(self._line.sq_residuals),
            matches=self._matches,
            F=self._F,
            H=H,
        )

    def _is_plain(self, on_plane: Membership) -> bool:
        """Whether neither plane nor rotation can have more evidence than this."""
        penalty = self._matches.penalty
        num_least = NUM_ROTATION_PARAMS + NUM_MIXTURE_PARAMS
        at_least = self._on_line.log_likelihood
        at_least -= penalty * num_general_params(self._cameras)
        at_most = on_plane.log_likelihood - penalty * num_least
        return at_least >= at_most

    def _membership(self, layer: Layer, dim: int, share: float) -> Membership:
        return fit_membership(
            np.sqrt(layer.sq_residuals), dim, layer.density, float(share), layer.scale
        )
