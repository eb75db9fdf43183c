"""Methods and scores of your own, from the files named in $CVSCORE_YOURS.

A file is Python.  Of it are taken, where it has them, ``METHODS`` (a list of `Method`)
and ``SCORES`` (a list of `PoolScore`); docs/your_own.md has an example.  Several files
are separated as the folders of $PATH are.  It is a variable of the environment, so that
every process of a run has them.
"""

from __future__ import annotations

import os
import runpy
from functools import cache
from typing import Any

VARIABLE = "CVSCORE_YOURS"


def yours(name: str) -> list[Any]:
    """Return the lists that your files have under a name, joined."""
    paths = [path for path in os.environ.get(VARIABLE, "").split(os.pathsep) if path]
    return [item for path in paths for item in _content(path).get(name, [])]


@cache
def _content(path: str) -> dict[str, Any]:
    return runpy.run_path(path)
