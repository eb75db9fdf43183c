"""Fundamental matrices ``x2' F x1 = 0``."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cvscore.data.normalization import Frame
from cvscore.estimators.open_directions import fundamental_open
from cvscore.estimators.pipeline import SOLVERS, Estimator
from cvscore.estimators.registry import Form, register
from cvscore.inference.last_fit import WIDEN_AND_POLISH
from cvscore.models.fundamental import COUNTS, fundamental_model
from cvscore.numerics.matrix3 import scale_to_unit_norm, smallest_singular_value
from cvscore.ransac.stopping import ENOUGH_CLEAN, SearchStyle
from cvscore.scores.calibration import Calibration, score_of
from cvscore.two_view.degeneracy.repeated_structure import escape_dominant_plane
from cvscore.two_view.image_frames import fundamental_outside
from cvscore.two_view.image_pairs import SCENE_MATCHES
from cvscore.types import Array, Estimate, RansacOptions, Score, one_of

# Of the smallest singular value over the norm.
RANK_TOLERANCE = 1e-13


def denormalise(frame: Frame, inside: Array) -> Array:
    """Return F for the points outside of the frame, of unit norm and rank two."""
    F: Array = fundamental_outside(frame, inside)
    scale_to_unit_norm(F)
    if smallest_singular_value(F) > RANK_TOLERANCE:
        # Terms that cancel outside left their rounding.
        U, values, Vt = np.linalg.svd(F)
        F = (U[:, :2] * values[:2]) @ Vt[:2]
    return F


ESTIMATOR = Estimator(
    data=SCENE_MATCHES,
    steps=(escape_dominant_plane,),
    denormalise=denormalise,
    change_outside=fundamental_outside,
    find_open=fundamental_open,
    style=SearchStyle(clean_share=ENOUGH_CLEAN),
    last_fit=WIDEN_AND_POLISH,
)


@register(Form(COUNTS, ESTIMATOR.data, fundamental_model))
def estimate_fundamental(
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
    """Estimate F with ``x2' F x1 = 0`` from matches of which many may be wrong.

    Parameters and result are those of `estimate_homography`; ``model`` is F (3, 3) of
    rank two and unit Frobenius norm.
    """
    return ESTIMATOR.run(
        fundamental_model(one_of(solver, "solver", SOLVERS)),
        ESTIMATOR.data.pack(x1, x2),
        score=score_of(calibration, score, "fundamental"),
        options=options,
        quality=quality,
        weights=weights,
    )
