"""The decorators of compiled kernels, and why they are set as they are.

``error_model="numpy"``
    A point at infinity gives ``inf`` and not an exception, and the loop vectorises.
``nogil=True``
    Callers thread over image pairs; kernels keep no state.
``cache=True``
    Compilation is paid once per machine.  Where no folder can be written the
    kernels still work, compiled afresh in each process, after one warning.

No ``parallel``: its thread layer aborts the process when two threads enter it.
No ``fastmath``: it makes ``isfinite(nan)`` true.  Long sums may be reordered, see
`reordering_kernel`.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numba
from numba.core import event

# Set in the environment of the process that compiles ahead, so that it starts no other.
_AHEAD = "CVSCORE_COMPILES_AHEAD"

_state = {"announced": False, "warned": False}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` on its first call, cached on disk where that is possible."""
    options = {"nogil": True, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba found no folder that it may write to
        if not _state["warned"]:
            _state["warned"] = True
            warnings.warn(
                "cvscore found no writable folder for compiled kernels; they will be "
                "compiled in every process. Set NUMBA_CACHE_DIR to avoid this.",
                RuntimeWarning,
                stacklevel=2,
            )
        return numba.njit(**options)(function)


# A sum in the order of its terms cannot be vectorised.  These flags let the compiler
# add in any order and fuse products into sums (measured: 4 times faster); unlike the
# full fastmath they keep NaN and inf.  Its functions are compiled into the cached
# kernels that call them, hence no cache of their own.
reordering_kernel = numba.njit(
    nogil=True, error_model="numpy", fastmath={"reassoc", "contract"}
)


def _compile_ahead() -> None:
    """Let a second process compile what this one will need last, into the same cache.

    Compiling is serial within a process; with two cores the first call ever takes half
    the time.  Nothing depends on it: what is not in the cache is compiled here.
    """
    alone = (os.cpu_count() or 1) < 2 or _state["warned"]
    if alone or os.environ.get(_AHEAD):
        return
    with contextlib.suppress(OSError):
        helper = subprocess.Popen(
            [sys.executable, "-m", "cvscore._compile_ahead"],
            env={**os.environ, _AHEAD: "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        helper.returncode = 0  # nobody waits for it, and nobody need be warned


class _Announcer(event.Listener):
    """Says once per process, on stderr, that the first call is slow for a reason."""

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__
        if _state["announced"] or not module.startswith("cvscore."):
            return
        _state["announced"] = True
        print(
            "cvscore: compiling kernels (once per machine; cached for later runs) ...",
            file=sys.stderr,
            flush=True,
        )
        _compile_ahead()

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Announcer())
