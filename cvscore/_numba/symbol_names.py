"""Names of compiled functions, where pycolmap came first.

numba puts the options of a function into its symbol, compressed by zlib.  The wheel of
pycolmap 4.2.1 has a zlib of its own that gets mixed up with the one of Python where it
is loaded first: ``import pycolmap, zlib; zlib.compress(b"")`` aborts the process.  A
digest of the options tells functions apart as well.
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any

from numba.core.targetconfig import TargetConfig

NUM_CHARACTERS = 16


def name_without_zlib() -> None:
    """Let numba name functions without zlib, if that may end the process."""
    if "pycolmap" in sys.modules:
        setattr(TargetConfig, "get_mangle_string", _digest)  # noqa: B010 (for mypy)


def _digest(options: Any) -> str:
    text: str = options.summary()
    return hashlib.sha256(text.encode()).hexdigest()[:NUM_CHARACTERS]
