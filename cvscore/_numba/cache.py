"""The disk cache of compiled kernels: numba's, made safe to upgrade and to lose.

numba keys a compiled function by the file that holds it.  A kernel that calls one of
another file would stay as it was when only that other file changes, as an upgrade of
this package may do; here the key is all files with kernels.  And where numba raises
because a file of the cache is damaged, unreadable or finds no room on the disk, these
kernels are compiled as if there were no cache.
"""

from __future__ import annotations

import hashlib
import pickle
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache

_state = {"warned": False}

# Sources with one of these hold kernels, or what kernels are made with.
MARKS = (
    b"@kernel",
    b"@brief_kernel",
    b"@reordering_kernel",
    b"@bound_kernel",
    b"@brief_bound_kernel",
    b"import numba",
    b"from numba",
)

# What unpickling raises on a truncated or overwritten file.
DAMAGED = (EOFError, pickle.UnpicklingError, ValueError, IndexError, KeyError)


@lru_cache(maxsize=1)
def kernels_stamp() -> str:
    """Return a hash of all sources of the package that hold kernels."""
    folder = Path(__file__).parents[1]  # the package
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        source = path.read_bytes()
        if any(mark in source for mark in MARKS):
            digest.update(str(path.relative_to(folder)).encode())
            digest.update(source)
    return digest.hexdigest()


class KernelCache(FunctionCache):
    """The cache of one kernel; a RuntimeError where no folder can be written to."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file._source_stamp = (stamp, kernels_stamp())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function of this signature; None compiles it."""
        try:
            return super().load_overload(sig, target_context)
        except (OSError, *DAMAGED):
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function for the next process."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warn_once(f"could not write compiled kernels ({error})")
        except DAMAGED:
            self.flush()
            super().save_overload(sig, data)


def warn_once(trouble: str) -> None:
    """Say, once per process, that every process will have to compile."""
    if not _state["warned"]:
        _state["warned"] = True
        warnings.warn(
            f"cvscore {trouble}; they will be compiled in every process. Set "
            "NUMBA_CACHE_DIR to a writable folder to avoid this.",
            RuntimeWarning,
            stacklevel=3,
        )


def is_usable() -> bool:
    """Whether nothing has kept the kernels from being cached so far."""
    return not _state["warned"]
