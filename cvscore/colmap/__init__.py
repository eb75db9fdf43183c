"""Geometric verification of COLMAP databases without an inlier threshold.

`verify_matches` takes the place of ``pycolmap.verify_matches``, `two_view_geometry`
that of ``pycolmap.estimate_two_view_geometry``, `absolute_pose` that of
``pycolmap.estimate_and_refine_absolute_pose``.  Needs pycolmap 3.11 or newer
(``pip install "cvscore-ransac[colmap]"``).
"""

from __future__ import annotations

from cvscore.colmap.absolute_pose import absolute_pose
from cvscore.colmap.cameras import colmap_from_opencv
from cvscore.colmap.geometry import two_view_geometry
from cvscore.colmap.summary import VerificationSummary
from cvscore.colmap.verification import verify_matches

__all__ = [
    "VerificationSummary",
    "absolute_pose",
    "colmap_from_opencv",
    "two_view_geometry",
    "verify_matches",
]
