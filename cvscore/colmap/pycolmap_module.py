"""pycolmap, which is installed by those who need it."""

from __future__ import annotations

from typing import Any

from cvscore.types.extras import install_command


def import_pycolmap() -> Any:
    """Import pycolmap, or say how to get it."""
    try:
        import pycolmap
    except ImportError as error:
        raise ImportError(
            f"cvscore.colmap needs pycolmap 3.11 or newer: {install_command('colmap')}"
        ) from error
    return pycolmap
