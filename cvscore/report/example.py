"""A page of two rendered views, for the documentation and for a first look."""

from __future__ import annotations

from cvscore.estimators import estimate_essential
from cvscore.images.features import match_images
from cvscore.images.rendering import render_pair
from cvscore.report.pair import PairViews, pair_page

RATIO_OF_EXAMPLE = 0.95  # permissive, so that there are many wrong matches to reject


def example_page(seed: int = 0) -> str:
    """Return the page of an essential matrix between two views of a rendered room.

    Parameters
    ----------
    seed : int
        Of the room and of the motion.

    Returns
    -------
    str
        HTML, to be written as UTF-8; a page of documentation can show it in an iframe.
    """
    pair = render_pair(seed)
    images = pair.image1, pair.image2
    matches = match_images(*images, ratio=RATIO_OF_EXAMPLE)
    names = "room, first view", "room, second view"
    views = PairViews(matches.x1, matches.x2, names, images, (pair.K, pair.K))
    estimate = estimate_essential(matches.x1, matches.x2, pair.K, pair.K)
    return pair_page(views, estimate, "essential", scene="rendered; cameras known")
