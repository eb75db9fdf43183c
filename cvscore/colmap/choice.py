"""Plane, rotation or general motion for a pair, at little cost where it is plain.

The decision is that of `cvscore.select_model`, whose evidence weighs all three
carefully and takes longer than the rest of a pair.  A lower bound on the evidence of
the general model is that of matches on epipolar lines alone, and an upper bound on that
of plane and rotation is the plane's with a rotation's few parameters; where the bounds
don't overlap, as for nearly all pairs of a collection, they decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cvscore.chance import chance_density, redraw_matches
from cvscore.homography_fits import fit_rotation
from cvscore.membership import fit_membership
from cvscore.models._epipolar import sampson_residuals
from cvscore.models.homography import homography_residuals
from cvscore.selection import (
    NUM_EPIPOLAR_PARAMS,
    NUM_LAYER_PARAMS,
    NUM_MIXTURE_PARAMS,
    NUM_PLANE_PARAMS,
    NUM_ROTATION_PARAMS,
    log_evidence,
)
from cvscore.types import Array, Estimate

Cameras = tuple[Array, Array]


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """What explains the matches of a pair.

    Attributes
    ----------
    kind : str
        "general", "planar", "rotation" or "planar_or_rotation".
    log_likelihood : float
        Over "all matches are by chance", nats.
    log_odds : (N,) array
        That each match belongs to it and is not there by chance.
    threshold : float
        Residual in pixels at which the odds are even.
    model : (3, 3) array
        Fundamental matrix, or homography that takes its inliers to positive multiples.
    """

    kind: str
    log_likelihood: float
    log_odds: Array
    threshold: float
    model: Array


def explain(
    points: Array,
    epipolar: Estimate,
    homography: Estimate | None,
    cameras: Cameras | None,
) -> Explanation:
    """Choose between an epipolar geometry and a homography of the same matches.

    Parameters
    ----------
    points : (4, N) array
        Distinct matches, pixels of the two images.
    epipolar : Estimate
        Essential matrix where cameras are given, else fundamental matrix.
    homography : Estimate or None
        With inliers for all N matches; None where there can be none.
    cameras : pair of (3, 3) arrays, or None
        Camera matrices.
    """
    matches = _Matches(points)
    general = matches.on_lines(epipolar, cameras)
    if homography is None:
        return general
    plane = matches.on_plane("planar", homography.model, homography)
    if _is_plain(general, plane, num_matches=points.shape[1], cameras=cameras):
        return general
    evidence = log_evidence(points, homography, epipolar, cameras)
    kind = max(evidence, key=lambda name: evidence[name])
    if kind == "general":
        return general
    if kind == "rotation" and cameras is not None:
        inlying = np.ascontiguousarray(points[:, homography.inliers])
        H = fit_rotation(inlying, *cameras)
        return matches.on_plane(kind, H, homography)
    return matches.on_plane(kind, plane.model, homography)


def _is_plain(
    general: Explanation,
    plane: Explanation,
    *,
    num_matches: int,
    cameras: Cameras | None,
) -> bool:
    """Whether no plane and no rotation can have more evidence than general motion."""
    penalty = 0.5 * math.log(num_matches)  # of a parameter
    num_epipolar = NUM_EPIPOLAR_PARAMS["essential" if cameras else "fundamental"]
    num_general = num_epipolar + NUM_PLANE_PARAMS + NUM_LAYER_PARAMS
    num_least = NUM_ROTATION_PARAMS + NUM_MIXTURE_PARAMS
    at_least = general.log_likelihood - penalty * num_general
    at_most = plane.log_likelihood - penalty * num_least
    return at_least >= at_most


class _Matches:
    """Distinct matches (4, N), and the same points matched at random."""

    def __init__(self, points: Array) -> None:
        self._points = points
        self._redrawn = redraw_matches(points)

    def on_lines(self, found: Estimate, cameras: Cameras | None) -> Explanation:
        """Explain matches by epipolar lines."""
        F = found.model
        assert F is not None
        if cameras is not None:
            K1, K2 = cameras
            F = np.linalg.inv(K2).T @ F @ np.linalg.inv(K1)
        return self._explain("general", F, sampson_residuals, found, 1)

    def on_plane(self, kind: str, H: Array | None, found: Estimate) -> Explanation:
        """Explain matches by a homography."""
        assert H is not None
        inlying = self._points[:2, found.inliers]
        w = H[2] @ np.vstack([inlying, np.ones(inlying.shape[1])])
        oriented = H if np.median(w) > 0.0 else -H
        return self._explain(kind, oriented, homography_residuals, found, 2)

    def _explain(
        self,
        kind: str,
        model: Array,
        residuals: Callable[[Array, Array], Array],
        found: Estimate,
        dim: int,
    ) -> Explanation:
        model = np.ascontiguousarray(model)
        by_chance = residuals(model[None], self._redrawn)[0]
        density = chance_density(by_chance, found.threshold, dim)
        distances = np.sqrt(residuals(model[None], self._points)[0])
        share = float(np.mean(found.inliers))
        membership = fit_membership(distances, dim, density, share, found.scale)
        return Explanation(
            kind=kind,
            log_likelihood=membership.log_likelihood,
            log_odds=membership.log_odds(distances),
            threshold=membership.threshold,
            model=model,
        )
