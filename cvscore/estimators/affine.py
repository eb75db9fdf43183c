"""Affine maps ``x2 = A x1 + t`` of the plane and of space."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from cvscore.estimators import point_maps
from cvscore.estimators.registry import Form, register
from cvscore.models.affine import COUNTS, affine_model
from cvscore.scores.calibration import Calibration, score_of
from cvscore.types import Estimate, RansacOptions, Score

IN_PLANE = point_maps.MAPS_OF_PLANE
IN_SPACE = point_maps.MAPS_OF_SPACE


@register(
    Form(COUNTS[2], IN_PLANE.data, partial(affine_model, 2)),
    Form(COUNTS[3], IN_SPACE.data, partial(affine_model, 3)),
)
def estimate_affine(
    x1: ArrayLike,
    x2: ArrayLike,
    *,
    score: Score | None = None,
    calibration: Calibration | None = None,
    options: RansacOptions | None = None,
    quality: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Estimate:
    """Estimate ``x2 = A x1 + t`` from matches of which many may be wrong.

    Parameters
    ----------
    x1, x2 : (N, 2) or (N, 3) array
        Matching points of the plane or of space, in pixels or any other unit.
    score : Score, optional
        What makes a model good; by default the scale-free `MarginalScore`.
    calibration : Calibration, optional
        What was learned from labelled pairs, in place of a score.
    options : RansacOptions, optional
        Limits of the search.
    quality : (N,) array, optional
        Larger for matches that are likelier to be right; they are sampled first.
    weights : (N,) array, optional
        How precise the matches are: inverse variances of their noise, such as the
        squares of 1 / size of features.  Only their ratios count: ``scale`` and
        ``threshold`` are those of a match of mean weight m (the geometric mean), and
        ``sqrt(m / w)`` times that for one of weight w.

    Returns
    -------
    Estimate
        ``model`` is ``[A | t]``, (2, 3) or (3, 4).  Residuals are the symmetric
        (Sampson) distances, for noise of one scale in both sets.

    Examples
    --------
    >>> import numpy as np
    >>> x1 = np.random.default_rng(0).uniform(0, 1000, (100, 2))
    >>> x2 = x1 @ [[1.0, 0.2], [0.0, 2.0]] + [10, 20]
    >>> x2[:40] = x2[:40][::-1]  # wrong matches
    >>> found = estimate_affine(x1, x2)
    >>> np.allclose(found.model, [[1.0, 0.0, 10], [0.2, 2.0, 20]])
    True
    >>> estimate_affine(x1[:3], x2[:3]).reason
    '3 distinct matches, but a 2-D affine map needs at least 4'
    """
    dim = point_maps.dimension_of(x1)
    estimator = IN_PLANE if dim == 2 else IN_SPACE
    return estimator.run(
        affine_model(dim),
        estimator.data.pack(x1, x2),
        score=score_of(calibration, score, "affine"),
        options=options,
        quality=quality,
        weights=weights,
    )
