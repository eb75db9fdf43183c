"""What figures share: matplotlib, where it is there, and the colours."""

from __future__ import annotations

from typing import Any

from cvscore.types.extras import install_command

INLIER, OUTLIER = "#0072b2", "#d55e00"


def matplotlib_figure() -> Any:
    """Return the class of figures.

    Raises
    ------
    ImportError
        Where matplotlib is not installed; says how to.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            f"this picture needs matplotlib: {install_command('draw')}"
        ) from error
    return Figure
