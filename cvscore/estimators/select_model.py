"""Plane, rotation or general motion?  Decided by evidence, without a threshold.

The evidence of each kind is that of `cvscore.two_view.model_selection`.
`python -m benchmarks model-selection` measures how often it is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from cvscore.data.deduplication import first_occurrences
from cvscore.data.validation import as_intrinsics
from cvscore.estimators import (
    estimate_essential,
    estimate_fundamental,
    estimate_homography,
)
from cvscore.two_view.image_pairs import SCENE_MATCHES
from cvscore.two_view.model_selection import (
    Cameras,
    Matches,
    evidence_of_kinds,
    fundamental_of,
    no_evidence,
)
from cvscore.types import Array, Estimate, RansacOptions


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
    weights: ArrayLike | None = None,
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
    weights : (N,) array, optional
        How precise the matches are: inverse variances of their noise, of which only the
        ratios count.  Both estimates use them; between the kinds all matches decide on
        equal terms.

    Returns
    -------
    Selection
        The kind, the log evidence of each kind, and both estimates.
    """
    points = SCENE_MATCHES.pack(x1, x2)
    choices: dict[str, Any] = {
        "options": options,
        "quality": quality,
        "weights": weights,
    }
    homography = estimate_homography(x1, x2, **choices)
    if K1 is None:
        if K2 is not None:
            raise ValueError("K2 was given without K1")
        cameras = None
        epipolar = estimate_fundamental(x1, x2, **choices)
    else:
        first = as_intrinsics(K1, "K1")
        cameras = first, first if K2 is None else as_intrinsics(K2, "K2")
        epipolar = estimate_essential(x1, x2, *cameras, **choices)
    evidence = _log_evidence(points, homography, epipolar, cameras)
    best = max(evidence, key=lambda kind: evidence[kind])
    significant = homography.is_significant or epipolar.is_significant
    return Selection(
        kind=best if significant else "none",
        evidence=evidence,
        homography=homography,
        epipolar=epipolar,
    )


def _log_evidence(
    points: Array, homography: Estimate, epipolar: Estimate, cameras: Cameras | None
) -> dict[str, float]:
    """Return the log evidence of every kind that can be told."""
    # A homography needs fewer matches; where it fails there is nothing to tell.
    if homography.model is None:
        return no_evidence(cameras)
    distinct, _ = first_occurrences(points)
    matches = Matches(points[:, distinct])
    is_inlying = homography.inliers[distinct]
    plane = matches.about_plane(
        homography.model, is_inlying, homography.threshold, homography.scale
    )
    line = None
    if epipolar.model is not None:
        F = fundamental_of(epipolar.model, cameras)
        cut = epipolar.inliers[distinct], epipolar.threshold, epipolar.scale
        line = matches.about_lines(F, *cut)
    return evidence_of_kinds(matches, plane, line, is_inlying, cameras)
