"""What is installed only by those who need it, and how to get it."""

from __future__ import annotations

# On the package index the name of the module belongs to another project.
DISTRIBUTION = "cvscore-ransac"


def install_command(extra: str) -> str:
    """Return the command that installs an extra, for an installed package and a clone.

    >>> install_command("draw")
    'pip install "cvscore-ransac[draw]" (in a clone: pip install ".[draw]")'
    """
    return (
        f'pip install "{DISTRIBUTION}[{extra}]" (in a clone: pip install ".[{extra}]")'
    )
