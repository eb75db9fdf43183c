"""Plane, rotation or general motion: which of them makes the matches likeliest.

A homography and an epipolar geometry constrain different things: two residuals a match
against one.  They are put on common ground by asking of both how much more likely they
make the second point of a match, given the first, than *chance* does, which is matching
to any of the points of the second image (`cvscore.data.permutation`).  With ``e`` the
distance of a match to the homography, ``r`` that to the epipolar geometry,
``u**2 = e**2 - r**2`` the rest of it, along the epipolar line, and ``h``, ``g`` the
densities of chance about the two, each match has the likelihood ratio

    planar    w N(r; s) N(u; s) / h  +  (1 - w)
    rotation  the same, with a homography K2 R K1^-1
    general   w N(r; s) N(u; S) / h  +  w' N(r; s) / g  +  (1 - w - w'),    S >= s.

The first term of the general model is a layer of depth about a plane, as thick as it
takes, the second any place on the epipolar line.  The planar model is a limit of it, so
it never fits worse; what counts is whether it fits better by more than its additional
parameters can by themselves.  So the log evidence of a kind is its log likelihood
ratio, largest over shares and scales, less half the logarithm of the number of matches
for every parameter: the Bayesian information criterion (BIC; Schwarz 1978).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cvscore._numba.compile import brief_kernel, kernel
from cvscore.data.permutation import redraw_matches
from cvscore.inference.inlier_mixture import InlierMixture, fit_mixture
from cvscore.inference.null_density import TINY, null_density
from cvscore.models import essential, fundamental, homography
from cvscore.models.homography import homography_residuals
from cvscore.models.rotation_homography import fit_rotation
from cvscore.models.sampson import sampson_residuals
from cvscore.numerics.matrix3 import form_of_images
from cvscore.two_view.plane_line_mixture import (
    LayerMixture,
    fit_layers,
    log_likelihoods,
)
from cvscore.types import Array, Mask

Cameras = tuple[Array, Array]

NUM_PLANE_PARAMS = homography.COUNTS.num_params
NUM_ROTATION_PARAMS = 3
# Beside those of the geometry: noise scale and share of inliers; in the general model
# also the spread of the layer and the share of free depth.
NUM_MIXTURE_PARAMS = 2
NUM_LAYER_PARAMS = 4
# How far the maximisation starts from the homography's own scale: parallax that it
# could not follow reaches about so far.
WIDE = 2.0


@dataclass(frozen=True)
class Layer:
    """Matches about a model.

    Attributes
    ----------
    model : (3, 3) array
        Fundamental matrix, or homography that takes its inliers to positive multiples.
    sq_residuals : (N,) array
        Squared distances to it.
    density : float
        Of chance about it.
    threshold, scale : float
        How far its inliers reach, and their noise.
    mixture : InlierMixture
        Noise and chance about it.
    """

    model: Array
    sq_residuals: Array
    density: float
    threshold: float
    scale: float
    mixture: InlierMixture


class Matches:
    """Distinct matches (4, N), and the same points matched at random."""

    def __init__(self, points: Array) -> None:
        self.points = np.ascontiguousarray(points)
        self.penalty = 0.5 * math.log(points.shape[1])  # of a parameter
        self.redrawn = redraw_matches(self.points)

    def about_lines(
        self, F: Array, is_inlying: Mask, threshold: float, scale: float
    ) -> Layer:
        """Put matches about the epipolar lines of a fundamental matrix.

        ``is_inlying`` says which are near: within the threshold, at this noise scale.
        """
        return self._about(_about_lines, F, is_inlying, threshold, scale)

    def about_plane(
        self, H: Array, is_inlying: Mask, threshold: float, scale: float
    ) -> Layer:
        """Put matches about a homography, of either sign, of the inlying ones."""
        return self._about(_about_plane, H, is_inlying, threshold, scale)

    def about_rotation(self, cameras: Cameras, plane: Layer, is_inlying: Mask) -> Layer:
        """Put matches about the homography of the rotation of the inlying ones.

        Chance is as dense there as about the plane's homography, which is close by: two
        densities, each measured, differ by more than a plane and a rotation do.
        """
        given = self.points, is_inlying, plane.density, plane.scale
        model, sq_residuals, mixture = _about_rotation(np.array(cameras), *given)
        return replace(plane, model=model, sq_residuals=sq_residuals, mixture=mixture)

    def _about(
        self,
        measure: Callable[..., Any],
        what: Array,
        is_inlying: Mask,
        threshold: float,
        scale: float,
    ) -> Layer:
        scale = max(scale, TINY)
        given = self.points, self.redrawn, is_inlying, threshold, scale
        model, sq_residuals, density, mixture = measure(
            np.ascontiguousarray(what), *given
        )
        return Layer(model, sq_residuals, density, threshold, scale, mixture)


@brief_kernel
def _about_lines(F, points, redrawn, is_inlying, radius, scale):
    """Return F, its squared residuals, the density of chance, and the mixture."""
    model = F.reshape((1, 3, 3))
    sq_residuals = sampson_residuals(model, points)[0]
    by_chance = sampson_residuals(model, redrawn)[0]
    given = sq_residuals, by_chance, is_inlying, radius, scale
    return (F, sq_residuals, *_against_chance(1, *given))


@kernel
def _about_plane(H, points, redrawn, is_inlying, radius, scale):
    """Return what `_about_lines` does, and H of the sign that has the inliers ahead."""
    ahead = 0.0
    for i in range(points.shape[1]):
        if is_inlying[i]:
            ahead += H[2, 0] * points[0, i] + H[2, 1] * points[1, i] + H[2, 2]
    oriented = H if ahead > 0.0 else -H
    model = oriented.reshape((1, 3, 3))
    sq_residuals = homography_residuals(model, points)[0]
    by_chance = homography_residuals(model, redrawn)[0]
    given = sq_residuals, by_chance, is_inlying, radius, scale
    return (oriented, sq_residuals, *_against_chance(2, *given))


@kernel
def _about_rotation(cameras, points, is_inlying, density, scale):
    """Return the best rotation of cameras (2, 3, 3), residuals and the mixture."""
    H = fit_rotation(points, is_inlying, cameras[0], cameras[1])
    sq_residuals = homography_residuals(H.reshape((1, 3, 3)), points)[0]
    share = is_inlying.sum() / is_inlying.shape[0]
    return H, sq_residuals, fit_mixture(sq_residuals, 2, density, share, scale)


@kernel
def _against_chance(dim, sq_residuals, by_chance, is_inlying, radius, scale):
    """Density of chance about a model, and the mixture of noise and chance."""
    density = null_density(by_chance, radius, dim)
    share = is_inlying.sum() / is_inlying.shape[0]
    return density, fit_mixture(sq_residuals, dim, density, share, scale)


def fundamental_of(model: Array, cameras: Cameras | None) -> Array:
    """Return F of an essential matrix, or of itself where there are no cameras."""
    if cameras is None:
        return model
    F: Array = form_of_images(*map(np.ascontiguousarray, (model, *cameras)))
    return F


def no_evidence(cameras: Cameras | None) -> dict[str, float]:
    """Return minus infinity for every kind that can be told."""
    names = ("planar_or_rotation",) if cameras is None else ("planar", "rotation")
    return dict.fromkeys((*names, "general"), -math.inf)


def evidence_of_kinds(
    matches: Matches,
    plane: Layer,
    line: Layer | None,
    is_inlying: Mask,
    cameras: Cameras | None,
) -> dict[str, float]:
    """Return the log evidence, in nats, of every kind that can be told.

    Parameters
    ----------
    matches : Matches
        N of them.
    plane, line : Layer
        The same about a homography, and about epipolar lines if there are any.
    is_inlying : (N,) bool array
        The inliers of the homography.
    cameras : pair of (3, 3) arrays, or None
        Camera matrices; without them a plane and a rotation can't be told apart.
    """
    evidence = no_evidence(cameras)
    share = np.count_nonzero(is_inlying) / len(is_inlying)

    def plane_evidence(layer: Layer, num_params: int) -> float:
        penalty = matches.penalty * (num_params + NUM_MIXTURE_PARAMS)
        return layer.mixture.log_likelihood - penalty

    if cameras is None:
        evidence["planar_or_rotation"] = plane_evidence(plane, NUM_PLANE_PARAMS)
    else:
        evidence["planar"] = plane_evidence(plane, NUM_PLANE_PARAMS)
        turned = matches.about_rotation(cameras, plane, is_inlying)
        evidence["rotation"] = plane_evidence(turned, NUM_ROTATION_PARAMS)
    if line is not None:
        num_params = num_general_params(cameras)
        reached = general_log_likelihood(plane, line, share)
        evidence["general"] = reached - matches.penalty * num_params
    return evidence


def num_general_params(cameras: Cameras | None) -> int:
    """Return how many parameters general motion has, with its layer of depth."""
    epipolar = fundamental if cameras is None else essential
    return epipolar.COUNTS.num_params + NUM_PLANE_PARAMS + NUM_LAYER_PARAMS


def general_log_likelihood(plane: Layer, line: Layer, share: float) -> float:
    """Return the log likelihood ratio of matches in depth about a plane.

    ``share`` is about the share of matches on the plane.
    """
    return fit_general(plane, line, share).log_likelihood


def fit_general(plane: Layer, line: Layer, share: float) -> LayerMixture:
    """Return the likeliest mixture of matches in depth about a plane."""
    starts = np.array(
        [
            # A thin layer and free depth; a thick layer; and the planar limit itself.
            (0.1, 0.4, line.scale, line.scale),
            (0.4, 0.1, line.scale, WIDE * plane.scale),
            (0.9 * share, 0.1 * share, plane.scale, plane.scale),
        ]
    )
    found: LayerMixture = fit_layers(
        plane.sq_residuals, line.sq_residuals, plane.density, line.density, starts
    )
    return found


def general_log_likelihoods(plane: Layer, line: Layer, mixture: LayerMixture) -> Array:
    """Return the log likelihood ratio (N,) of every match, for such a mixture."""
    given = plane.sq_residuals, line.sq_residuals, plane.density, line.density
    found: Array = log_likelihoods(*given, mixture)
    return found
