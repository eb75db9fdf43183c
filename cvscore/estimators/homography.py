"""Homographies ``x2 ~ H x1``."""

from __future__ import annotations

from numpy.typing import ArrayLike

from cvscore.data.normalization import Frame
from cvscore.estimators.pipeline import SOLVERS, Estimator
from cvscore.estimators.registry import Form, register
from cvscore.inference.last_fit import WIDEN_AND_POLISH
from cvscore.models.homography import COUNTS, homography_model
from cvscore.numerics.linalg import EPSILON
from cvscore.numerics.matrix3 import scale_to_unit_norm
from cvscore.scores.calibration import Calibration, score_of
from cvscore.two_view.image_frames import homography_outside
from cvscore.two_view.image_pairs import PLANE_MATCHES
from cvscore.types import Array, Estimate, RansacOptions, Score, one_of


def denormalise(frame: Frame, inside: Array) -> Array:
    """H[2, 2] = 1 as everybody expects, unless H sends the origin to infinity."""
    H: Array = homography_outside(frame, inside)
    scale_to_unit_norm(H)
    return H / H[2, 2] if abs(H[2, 2]) > EPSILON else H


ESTIMATOR = Estimator(
    data=PLANE_MATCHES,
    denormalise=denormalise,
    change_outside=homography_outside,
    last_fit=WIDEN_AND_POLISH,
)


@register(Form(COUNTS, ESTIMATOR.data, homography_model))
def estimate_homography(
    x1: ArrayLike,
    x2: ArrayLike,
    *,
    score: Score | None = None,
    calibration: Calibration | None = None,
    options: RansacOptions | None = None,
    quality: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    solver: str = "native",
) -> Estimate:
    """Estimate H with ``x2 ~ H x1`` from matches of which many may be wrong.

    Parameters
    ----------
    x1, x2 : (N, 2) array
        Matching points, in pixels or any other unit.
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
    solver : {"native", "opencv"}
        Minimal solver.

    Returns
    -------
    Estimate
        ``model`` is H (3, 3) with ``H[2, 2] = 1`` (unit norm where that entry is 0);
        false, with a ``reason``, where no model was found.

    Examples
    --------
    >>> import numpy as np
    >>> x1 = np.random.default_rng(0).uniform(0, 1000, (100, 2))
    >>> x2 = 2 * x1 + [10, 20]
    >>> x2[:40] = x2[:40][::-1]  # wrong matches
    >>> H = estimate_homography(x1, x2).model
    >>> np.allclose(H, [[2, 0, 10], [0, 2, 20], [0, 0, 1]])
    True
    >>> estimate_homography(x1[:4], x2[:4]).reason
    '4 distinct matches, but a homography matrix needs at least 5'
    """
    return ESTIMATOR.run(
        homography_model(one_of(solver, "solver", SOLVERS)),
        ESTIMATOR.data.pack(x1, x2),
        score=score_of(calibration, score, "homography"),
        options=options,
        quality=quality,
        weights=weights,
    )
