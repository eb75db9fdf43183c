"""What the estimators of maps share: the data, the steps, and the way out of the frame.

Points have two or three coordinates; which, is told by their shape.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from cvscore.data.normalization import Frame, Region
from cvscore.data.point_sets import PointSets
from cvscore.data.validation import as_real_array
from cvscore.estimators.pipeline import Estimator
from cvscore.inference.last_fit import WIDEN_AND_POLISH
from cvscore.ransac.congruent_samples import CongruentSampler
from cvscore.ransac.samplers import UniformSampler
from cvscore.two_view.image_pairs import PLANE_MATCHES
from cvscore.types import Array, RansacOptions, Sampler


def uniform_sampler(
    points: Array, region: Region, sample_size: int, options: RansacOptions
) -> Sampler:
    """Return the sampler to which all points are alike."""
    return UniformSampler(points.shape[1], sample_size, options.seed)


def congruent_sampler(
    points: Array, region: Region, sample_size: int, options: RansacOptions
) -> Sampler:
    """Return the sampler of points whose distances are kept."""
    return CongruentSampler(points, any_scale=False, seed=options.seed)


def similar_sampler(
    points: Array, region: Region, sample_size: int, options: RansacOptions
) -> Sampler:
    """Return the sampler of points whose distances keep their ratios."""
    return CongruentSampler(points, any_scale=True, seed=options.seed)


def map_outside(frame: Frame, inside: Array) -> Array:
    """Return the map ``[A | t]`` of the points that is ``inside`` in the frame."""
    dim = len(inside)
    A, first, second = inside[:, :dim], frame.shift[:dim], frame.shift[dim:]
    t = frame.unit * inside[:, dim] + second - A @ first
    return np.column_stack([A, t])


def map_change_outside(frame: Frame, inside: Array) -> Array:
    """Return a change of the map of the points that is ``inside`` in the frame."""
    dim = len(inside)
    A = inside[:, :dim]
    t = frame.unit * inside[:, dim] - A @ frame.shift[:dim]
    return np.column_stack([A, t])


CLOUD_MATCHES = PointSets(dims=(3, 3), make_sampler=uniform_sampler)
CONGRUENT_CLOUDS = replace(CLOUD_MATCHES, make_sampler=congruent_sampler)
SIMILAR_CLOUDS = replace(CLOUD_MATCHES, make_sampler=similar_sampler)

MAPS_OF_PLANE = Estimator(
    data=PLANE_MATCHES,
    denormalise=map_outside,
    change_outside=map_change_outside,
    last_fit=WIDEN_AND_POLISH,
)
MAPS_OF_SPACE = replace(MAPS_OF_PLANE, data=CLOUD_MATCHES)


def dimension_of(x1: ArrayLike) -> int:
    """Return the number of coordinates of points: 2, or 3.

    Raises
    ------
    ValueError
        For points of another shape.
    """
    shape = as_real_array(x1, "x1").shape
    if len(shape) != 2 or shape[1] not in (2, 3):
        raise ValueError(f"x1 must have shape (N, 2) or (N, 3), got {shape}")
    return shape[1]
