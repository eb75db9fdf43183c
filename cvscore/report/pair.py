"""The page of one pair of views: its matches, its model, and what thresholds would do.

The scripts of the page draw epipolar lines and mapped places from the matrix alone, as
`cvscore.draw` does; every other number is the estimate's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore.draw.score_sweep import score_sweep, whitened
from cvscore.report.page import filled_page, short_numbers, shown_name
from cvscore.report.pictures import picture_uri
from cvscore.scores.marginal_score import MarginalScore
from cvscore.two_view.model_selection import fundamental_of
from cvscore.types import Array, Estimate

TEMPLATE = "pair.html"
# What a model says of a point: a line that its partner lies on, or the very place.
LINE, PLACE = "line", "place"
EPIPOLAR = ("fundamental", "essential")
MARGIN = 0.05  # around the points, of their extent, where there are no images


class PairViews(NamedTuple):
    """Two views and their matches.

    Attributes
    ----------
    x1, x2 : (N, 2) array
        Matches in pixels.
    names : tuple of str
        Of the two images, any text.
    images : tuple of (height, width[, 3]) uint8 arrays, or None
        BGR or grey; without them the page shows the points alone.
    cameras : tuple of (3, 3) arrays, or None
        For the essential matrix.
    weights : (N,) array, or None
        Of the matches, where they were estimated with some; the page has residuals as
        of matches of mean weight then.
    """

    x1: Array
    x2: Array
    names: tuple[str, str] = ("first image", "second image")
    images: tuple[NDArray[Any], NDArray[Any]] | None = None
    cameras: tuple[Array, Array] | None = None
    weights: Array | None = None


def pair_page(
    views: PairViews,
    estimate: Estimate,
    kind: str,
    *,
    score: MarginalScore | None = None,
    scene: str = "",
) -> str:
    """Return a page about an estimate, as HTML.

    Parameters
    ----------
    views : PairViews
        What it was estimated from.
    estimate : Estimate
        The page of a false one says why there is no model.
    kind : str
        What was estimated, such as "homography": any model of two images.
    score : MarginalScore, optional
        What it was estimated with, where that is not the default.
    scene : str
        What is known of the scene, in words.
    """
    if estimate.model is None:
        return page_without_model(views, estimate.reason)
    sweep = score_sweep(estimate, views.x1, views.x2, kind, score, views.weights)
    relation, matrix = _relation(kind, estimate.model, views)
    data = _views(views) | {
        "kind": kind,
        "scene": scene,
        "relation": relation,
        "matrix": matrix,
        "residuals": short_numbers(whitened(estimate.residuals, views.weights)),
        "inliers": estimate.inliers.astype(np.uint8),
        "threshold": estimate.threshold,
        "scale": estimate.scale,
        "scaleInterval": estimate.scale_interval(),
        "evidence": estimate.evidence,
        "isSignificant": estimate.is_significant,
        "sweep": {
            "residuals": short_numbers(sweep.residuals),
            "scores": short_numbers(sweep.scores),
            "k": sweep.k,
        },
    }
    return filled_page(TEMPLATE, _title(views), data)


def _relation(
    kind: str, model: Array, views: PairViews
) -> tuple[str | None, Array | None]:
    """What the model says of a point, and the matrix (3, 3) that says it in pixels."""
    if kind in EPIPOLAR:
        cameras = views.cameras if kind == "essential" else None
        F = fundamental_of(model, cameras)
        return LINE, F / np.abs(F).max()
    if kind == "homography" or model.shape == (2, 3):
        return PLACE, np.vstack([model, np.eye(3)[len(model) :]])
    return None, None


def page_without_model(views: PairViews, reason: str) -> str:
    """Return a page of matches that no model was found in, as HTML."""
    data = _views(views) | {"kind": None, "reason": shown_name(reason)}
    return filled_page(TEMPLATE, _title(views), data)


def _title(views: PairViews) -> str:
    return " and ".join(views.names)


def _views(views: PairViews) -> dict[str, Any]:
    points = [np.asarray(x, dtype=np.float64).reshape(-1, 2) for x in views[:2]]
    if views.images is None:
        frames = [_frame_of_points(x) for x in points]
    else:
        frames = [_frame_of_image(image) for image in views.images]
    return {
        "names": [shown_name(name) for name in views.names],
        "frames": frames,
        "points": [short_numbers(x) for x in points],
    }


def _frame_of_image(image: NDArray[Any]) -> dict[str, Any]:
    """A picture, and the rectangle of pixels that it shows."""
    height, width = image.shape[:2]
    # Pixel centres have integer coordinates, so that an image begins at minus a half.
    corner = {"left": -0.5, "top": -0.5}
    return {**corner, "width": width, "height": height, "source": picture_uri(image)}


def _frame_of_points(x: ArrayLike) -> dict[str, Any]:
    """The rectangle that holds the points, where there is no image."""
    points = np.asarray(x) if len(np.asarray(x)) else np.zeros((1, 2))
    low, high = points.min(axis=0), points.max(axis=0)
    margin = MARGIN * (high - low).max() or 1.0
    (left, top), (width, height) = low - margin, high - low + 2.0 * margin
    sides = {"left": left, "top": top, "width": width, "height": height}
    return {**sides, "source": None}
