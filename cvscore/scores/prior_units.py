"""The unit of a prior against the unit of the points: converted, or refused.

Nothing about numbers says whether they are pixels; but no image is a few pixels wide
and no lens has a focal length of a few pixels.  Points like that have been normalised
(divided by the focal length), and a prior in pixels is wrong for them by six orders of
magnitude.  Where the focal length is known it converts; where not, that is an error.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from cvscore.scores.priors import AS_POINTS, NORMALISED, PIXELS, InverseGamma

# Pixels: images are larger than this, and so are focal lengths.  Normalised points of
# any lens, up to a field of view of 165 degrees, extend over less.
SMALLEST_IMAGE = 16.0


def prior_for_points(
    prior: InverseGamma, extent: float, focal: float | None
) -> InverseGamma:
    """Return a prior in the unit of the points.

    Parameters
    ----------
    prior : InverseGamma
        In the unit that it says.
    extent : float
        Of the points, in their own unit.
    focal : float or None
        Focal length of the cameras in the unit of the points, where they are known.

    Raises
    ------
    ValueError
        Where the units differ and nothing tells how to convert.
    """
    if prior.unit == AS_POINTS:
        return prior
    # No scale, no unit; and points without extent have no model, in any unit.
    if prior.beta == 0.0 or extent == 0.0:
        return _in_unit_of_points(prior)
    if prior.unit == NORMALISED and focal is not None:
        return _in_unit_of_points(prior.pixels(focal))
    if prior.unit == PIXELS and not are_pixels(extent, focal):
        raise ValueError(
            f"the prior is in pixels but the points are not: {_size(extent, focal)}. "
            "Give pixels (and camera matrices in pixels), or prior.normalised(focal) "
            "with the focal length, in pixels, that the points were divided by"
        )
    if prior.unit == NORMALISED and are_pixels(extent, focal):
        raise ValueError(
            "the prior is for normalised points but these are pixels: "
            f"{_size(extent, focal)}. Give prior.pixels(focal) with the focal length "
            "in pixels"
        )
    return _in_unit_of_points(prior)


@lru_cache(maxsize=16)  # most calls have the same prior
def _in_unit_of_points(prior: InverseGamma) -> InverseGamma:
    return replace(prior, unit=AS_POINTS)


def check_half_width(half_width: float, extent: float, focal: float | None) -> None:
    """Refuse a half-width in pixels for points that are not."""
    if 0.0 < extent < half_width and not are_pixels(extent, focal):
        raise ValueError(
            f"half_width = {half_width:g} exceeds the extent of the points: "
            f"{_size(extent, focal)}. It must be in the unit of the points; divide it "
            "by the focal length if they were"
        )


def are_pixels(extent: float, focal: float | None) -> bool:
    """Whether points of this extent, or before such a camera, can be pixels."""
    return (extent if focal is None else focal) >= SMALLEST_IMAGE


def _size(extent: float, focal: float | None) -> str:
    if focal is None:
        return f"they extend over {extent:.3g}"
    return f"the focal length is {focal:.3g}"
