"""Pictures of estimates: matches, epipolar lines, overlays, and how the score chose.

The first three need OpenCV and return images as OpenCV has them (BGR); the last needs
matplotlib (``pip install "cvscore-ransac[draw]"``) and returns a figure.
"""

from cvscore.draw.epipolar import draw_epipolar_lines
from cvscore.draw.matches import draw_matches
from cvscore.draw.overlay import draw_overlay
from cvscore.draw.stack import stack
from cvscore.draw.sweep import plot_sweep

__all__ = [
    "draw_epipolar_lines",
    "draw_matches",
    "draw_overlay",
    "plot_sweep",
    "stack",
]
