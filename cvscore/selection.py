"""Plane, rotation or general motion?  Decided by evidence, without a threshold.

A homography and an epipolar geometry constrain different things: two residuals a match
against one.  They are put on common ground by asking of both how much more likely they
make the second point of a match, given the first, than *chance* does, which is matching
to any of the points of the second image (`cvscore.chance`).  With ``e`` the distance of
a match to the homography, ``r`` that to the epipolar geometry, ``u**2 = e**2 - r**2``
the rest of it, along the epipolar line, and ``h``, ``g`` the densities of chance about
the two, each match has the likelihood ratio

    planar    w N(r; s) N(u; s) / h  +  (1 - w)
    rotation  the same, with a homography K2 R K1^-1
    general   w N(r; s) N(u; S) / h  +  w' N(r; s) / g  +  (1 - w - w'),    S >= s.

The first term of the general model is a layer of depth about a plane, as thick as it
takes, the second any place on the epipolar line.  The planar model is a limit of it, so
it never fits worse; what counts is whether it fits better by more than its additional
parameters can by themselves.  So the log evidence of a kind is its log likelihood
ratio, largest over shares and scales, less half the logarithm of the number of matches
for every parameter.

`python -m benchmarks.model_selection` measures how often it is right.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from cvscore._layers import Mixture, log_likelihood, plane_log_likelihood
from cvscore.chance import chance_density, redraw_matches
from cvscore.checks import as_intrinsics, as_points
from cvscore.duplicates import first_occurrences
from cvscore.estimate import (
    estimate_essential,
    estimate_fundamental,
    estimate_homography,
)
from cvscore.homography_fits import fit_rotation
from cvscore.models._epipolar import sampson_residuals
from cvscore.models.homography import homography_residuals
from cvscore.types import Array, Estimate, Mask, RansacOptions

NUM_PLANE_PARAMS = 8
NUM_ROTATION_PARAMS = 3
NUM_EPIPOLAR_PARAMS = {"essential": 5, "fundamental": 7}
# Beside those of the geometry: noise scale and share of inliers; in the general model
# also the spread of the layer and the share of free depth.
NUM_MIXTURE_PARAMS = 2
NUM_LAYER_PARAMS = 4
# How far the maximisation starts from the homography's own scale: parallax that it
# could not follow reaches about so far.
WIDE = 2.0


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which kind of two-view geometry matches tell of.

    Attributes
    ----------
    kind : str
        "general"; "planar" or "rotation" where a homography says it all (without
        cameras these can't be told apart: "planar_or_rotation"); "none" where neither
        estimate is significant.
    evidence : dict of str to float
        Log evidence in nats of every kind over "all matches are by chance".
    homography : Estimate
        The best homography.
    epipolar : Estimate
        The best essential matrix where cameras are given, else fundamental matrix.
    """

    kind: str
    evidence: dict[str, float]
    homography: Estimate
    epipolar: Estimate

    @property
    def estimate(self) -> Estimate:
        """The estimate that goes with the kind."""
        return self.epipolar if self.kind == "general" else self.homography


def select_model(
    x1: ArrayLike,
    x2: ArrayLike,
    K1: ArrayLike | None = None,
    K2: ArrayLike | None = None,
    *,
    options: RansacOptions | None = None,
    quality: ArrayLike | None = None,
) -> Selection:
    """Say whether matches show a general scene, a plane, or a rotation.

    Parameters
    ----------
    x1, x2 : (N, 2) array
        Matching points in pixels, of which many may be wrong.
    K1, K2 : (3, 3) array, optional
        Camera matrices; ``K2`` is ``K1`` where it is not given.  With them the general
        model is the essential matrix, without them the fundamental matrix.
    options : RansacOptions, optional
        Limits of each search.
    quality : (N,) array, optional
        Larger for matches that are likelier to be right; they are sampled first.

    Returns
    -------
    Selection
        The kind, the log evidence of each kind, and both estimates.
    """
    points = as_points(x1, x2)
    homography = estimate_homography(x1, x2, options=options, quality=quality)
    if K1 is None:
        if K2 is not None:
            raise ValueError("K2 was given without K1")
        cameras = None
        epipolar = estimate_fundamental(x1, x2, options=options, quality=quality)
    else:
        first = as_intrinsics(K1, "K1")
        cameras = first, first if K2 is None else as_intrinsics(K2, "K2")
        epipolar = estimate_essential(
            x1, x2, *cameras, options=options, quality=quality
        )
    evidence = log_evidence(points, homography, epipolar, cameras)
    best = max(evidence, key=lambda kind: evidence[kind])
    significant = homography.is_significant or epipolar.is_significant
    return Selection(
        kind=best if significant else "none",
        evidence=evidence,
        homography=homography,
        epipolar=epipolar,
    )


def log_evidence(
    points: Array,
    homography: Estimate,
    epipolar: Estimate,
    cameras: tuple[Array, Array] | None,
) -> dict[str, float]:
    """Return the log evidence of every kind that can be told."""
    evidence = {"planar_or_rotation" if cameras is None else "planar": -math.inf}
    if cameras is not None:
        evidence["rotation"] = -math.inf
    evidence["general"] = -math.inf
    # A homography needs fewer matches; where it fails there is nothing to tell.
    if homography.model is None:
        return evidence
    distinct, _ = first_occurrences(points)
    matches = _Matches(points[:, distinct], homography.inliers[distinct])
    plane = matches.about_plane(homography.model, homography)
    planar_kind, *_ = evidence
    evidence[planar_kind] = matches.plane_evidence(plane, NUM_PLANE_PARAMS)
    if cameras is not None:
        H = fit_rotation(matches.inlying, *cameras)
        rotation = matches.about_plane(H, homography)
        evidence["rotation"] = matches.plane_evidence(rotation, NUM_ROTATION_PARAMS)
    if epipolar.model is not None:
        F, num_params = epipolar.model, NUM_EPIPOLAR_PARAMS["fundamental"]
        if cameras is not None:
            inverses = [np.linalg.inv(K) for K in cameras]
            F = inverses[1].T @ epipolar.model @ inverses[0]
            num_params = NUM_EPIPOLAR_PARAMS["essential"]
        line = matches.about(F, sampson_residuals, epipolar, dim=1)
        evidence["general"] = matches.general_evidence(plane, line, num_params)
    return evidence


@dataclass(frozen=True)
class _Layer:
    """Matches about a model: squared distances (N,), density of chance, noise scale."""

    model: Array
    sq_residuals: Array
    density: float
    scale: float


class _Matches:
    """Distinct matches, and the same points matched at random."""

    def __init__(self, points: Array, is_inlying: Mask) -> None:
        self._points = np.ascontiguousarray(points)
        self._redrawn = redraw_matches(self._points)
        self._share = float(np.mean(is_inlying))
        self._penalty = 0.5 * math.log(points.shape[1])  # of a parameter
        self.inlying = np.ascontiguousarray(points[:, is_inlying])

    def about(
        self,
        model: Array,
        residuals: Callable[[Array, Array], Array],
        found: Estimate,
        dim: int,
    ) -> _Layer:
        by_chance = residuals(model[None], self._redrawn)[0]
        return _Layer(
            model,
            residuals(model[None], self._points)[0],
            chance_density(by_chance, found.threshold, dim),
            max(found.scale, np.finfo(np.float64).tiny),
        )

    def about_plane(self, H: Array, found: Estimate) -> _Layer:
        # Models are stored with the sign that puts their points before the horizon.
        w = H[2] @ np.vstack([self.inlying[:2], np.ones(self.inlying.shape[1])])
        oriented = H if np.median(w) > 0.0 else -H
        return self.about(
            np.ascontiguousarray(oriented), homography_residuals, found, dim=2
        )

    def plane_evidence(self, plane: _Layer, num_params: int) -> float:
        start = Mixture(self._share, 0.0, plane.scale, plane.scale)
        reached = plane_log_likelihood(plane.sq_residuals, plane.density, start)
        return reached - self._penalty * (num_params + NUM_MIXTURE_PARAMS)

    def general_evidence(self, plane: _Layer, line: _Layer, num_params: int) -> float:
        across = line.sq_residuals
        along = np.maximum(plane.sq_residuals - np.minimum(across, 1e300), 0.0)
        # A thin layer and free depth; a thick layer; and the planar limit itself.
        starts = (
            Mixture(0.1, 0.4, line.scale, line.scale),
            Mixture(0.4, 0.1, line.scale, WIDE * plane.scale),
            Mixture(0.9 * self._share, 0.1 * self._share, plane.scale, plane.scale),
        )
        reached = max(
            log_likelihood(along, across, plane.density, line.density, start)
            for start in starts
        )
        num_params += NUM_PLANE_PARAMS + NUM_LAYER_PARAMS
        return reached - self._penalty * num_params
