"""Similarities ``x2 = s R x1 + t`` of the plane and of space."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from numpy.typing import ArrayLike

from cvscore.estimators import point_maps
from cvscore.estimators.registry import Form, register
from cvscore.models.similarity import COUNTS, similarity_model
from cvscore.scores.calibration import Calibration, score_of
from cvscore.types import Estimate, RansacOptions, Score

IN_PLANE = point_maps.MAPS_OF_PLANE
IN_SPACE = replace(point_maps.MAPS_OF_SPACE, data=point_maps.SIMILAR_CLOUDS)


@register(
    Form(COUNTS[2], IN_PLANE.data, partial(similarity_model, 2)),
    Form(COUNTS[3], IN_SPACE.data, partial(similarity_model, 3)),
)
def estimate_similarity(
    x1: ArrayLike,
    x2: ArrayLike,
    *,
    score: Score | None = None,
    calibration: Calibration | None = None,
    options: RansacOptions | None = None,
    quality: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Estimate:
    """Estimate ``x2 = s R x1 + t`` from matches of which many may be wrong.

    Parameters and result are those of `estimate_affine`; ``model`` is
    ``[s R | t]`` with a rotation R (never a mirror image) and a scale s > 0.
    """
    dim = point_maps.dimension_of(x1)
    estimator = IN_PLANE if dim == 2 else IN_SPACE
    return estimator.run(
        similarity_model(dim),
        estimator.data.pack(x1, x2),
        score=score_of(calibration, score, "similarity"),
        options=options,
        quality=quality,
        weights=weights,
    )
