"""Pictures of estimates: matches, epipolar lines, overlays, the score, doubts.

What is called ``draw_...`` needs OpenCV and returns images as OpenCV has them (BGR);
what is called ``plot_...`` needs matplotlib (``pip install "cvscore-ransac[draw]"``)
and returns a figure: how the score chose, how sure mapped points are, which poses fit.
"""

from cvscore.draw.epipolar import draw_epipolar_lines
from cvscore.draw.matches import draw_matches
from cvscore.draw.overlay import draw_overlay
from cvscore.draw.poses import plot_poses
from cvscore.draw.stack import stack
from cvscore.draw.sweep import plot_sweep
from cvscore.draw.transfer import plot_transfer

__all__ = [
    "draw_epipolar_lines",
    "draw_matches",
    "draw_overlay",
    "plot_poses",
    "plot_sweep",
    "plot_transfer",
    "stack",
]
