"""Image pairs as data: matches of a whole scene, or of a plane in it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from cvscore.data.normalization import Region
from cvscore.data.point_sets import PointSets
from cvscore.two_view.spatial_prosac import SpatialProsacSampler
from cvscore.types import Array, RansacOptions, Sampler

# Cells a side of the first image that coherent samples take turns from, for models that
# hold in all of it.
GRID_SIZE = 4


def spatial_sampler(
    points: Array,
    region: Region,
    sample_size: int,
    options: RansacOptions,
    *,
    grid_size: int,
) -> Sampler:
    """Return the sampler of an image pair: coherent matches first, by turns."""
    return SpatialProsacSampler(
        points,
        region,
        sample_size,
        options.max_iterations // 2,
        grid_size,
        options.seed,
    )


SCENE_MATCHES = PointSets(
    dims=(2, 2), make_sampler=partial(spatial_sampler, grid_size=GRID_SIZE)
)
PLANE_MATCHES = replace(
    SCENE_MATCHES, make_sampler=partial(spatial_sampler, grid_size=1)
)
