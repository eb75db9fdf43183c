"""Reports: one HTML file each, to look at in a browser and to share.

A page holds its pictures, numbers, styles and scripts, and asks the network for
nothing.  What it shows comes from an `Estimate` or from a database; nothing is
estimated here.
"""

from cvscore.report.database import database_page
from cvscore.report.example import example_page
from cvscore.report.pair import PairViews, page_without_model, pair_page

__all__ = [
    "PairViews",
    "database_page",
    "example_page",
    "page_without_model",
    "pair_page",
]
