"""The decorators of compiled kernels, and why they are set as they are.

``error_model="numpy"``
    A point at infinity gives ``inf`` and not an exception, and the loop vectorises.
``nogil=True``
    Callers thread over image pairs; kernels keep no state.  Those that take less time
    than it takes to get the interpreter's lock back (some 50 us, where another thread
    wants it) keep it: `brief_kernel`.
a cache (:mod:`cvscore._numba.cache`)
    Compilation is paid once per machine.  Where no folder can be written the
    kernels still work, compiled afresh in each process, after one warning.

No ``parallel``: its thread layer aborts the process when two threads enter it.
No ``fastmath``: it makes ``isfinite(nan)`` true.  Long sums may be reordered, see
`reordering_kernel`.
"""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numba
from numba.core import event

from cvscore._numba import cache as _cache
from cvscore._numba.progress import ProgressBar

logger = logging.getLogger("cvscore")

# Set in the environment of the process that compiles ahead, so that it starts no other.
_AHEAD = "CVSCORE_COMPILES_AHEAD"

# All kernels of the modules imported so far.
kernels: list[Any] = []


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` on its first call, cached on disk where that is possible."""
    return _compiled(function, nogil=True)


def brief_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Do the same, for a function that the interpreter calls and that is soon done."""
    return _compiled(function, nogil=False)


def _compiled(function: Callable[..., Any], *, nogil: bool) -> Callable[..., Any]:
    compiled: Any = numba.njit(nogil=nogil, error_model="numpy")(function)
    if not hasattr(
        compiled, "_cache"
    ):  # NUMBA_DISABLE_JIT leaves functions as they are
        return function
    try:
        compiled._cache = _cache.KernelCache(function)
    except RuntimeError:  # numba found no folder that it may write to
        _cache.warn_once("found no writable folder for compiled kernels")
    kernels.append(compiled)
    dispatcher: Callable[..., Any] = compiled
    return dispatcher


# A sum in the order of its terms cannot be vectorised.  These flags let the compiler
# add in any order and fuse products into sums (measured: 4 times faster); unlike the
# full fastmath they keep NaN and inf.  Its functions are compiled into the cached
# kernels that call them, hence no cache of their own.
reordering_kernel = numba.njit(
    nogil=True, error_model="numpy", fastmath={"reassoc", "contract"}
)


def _has_idle_core() -> bool:
    """Whether a core is left beside this process and what else runs."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return (os.cpu_count() or 1) - max(load, 1.0) >= 0.5


def _compile_ahead() -> None:
    """Let a second process compile what this one will need last, into the same cache.

    Compiling is serial within a process; with two cores the first call ever takes half
    the time.  Nothing depends on it: what is not in the cache is compiled here.
    """
    if not _has_idle_core() or not _cache.is_usable() or os.environ.get(_AHEAD):
        return
    with contextlib.suppress(OSError):
        helper = subprocess.Popen(
            [sys.executable, "-m", "cvscore.cli.compile_ahead"],
            env={**os.environ, _AHEAD: "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        helper.returncode = 0  # nobody waits for it, and nobody need be warned


class Announcer(event.Listener):
    """Says that the first call is slow for a reason, and counts at a terminal."""

    def __init__(self) -> None:
        self._started = False
        self._depth = 0  # kernels compile the kernels that they call
        self._bar: ProgressBar | None = None

    @contextlib.contextmanager
    def counting(self, total: int) -> Iterator[ProgressBar]:
        """Show a bar up to ``total`` kernels meanwhile, in place of words."""
        with ProgressBar(total, "compiling") as bar:
            self._bar = bar
            try:
                yield bar
            finally:
                self._bar = None

    def on_start(self, event: Any) -> None:
        if not _is_ours(event):
            return
        self._depth += 1
        if self._bar is None:
            logger.warning("cvscore: compiling kernels (%s) ...", _how_often())
            self._bar = ProgressBar(label="cvscore: compiling kernels")
        if not self._started:
            self._started = True
            _compile_ahead()

    def on_end(self, event: Any) -> None:
        if not _is_ours(event) or self._bar is None:
            return
        self._bar.advance()
        self._depth -= 1
        if self._depth == 0:
            self._bar.close()  # redrawn by the next kernel, if there is one


def _is_ours(event: Any) -> bool:
    module: str = event.data["dispatcher"].py_func.__module__
    return module.startswith("cvscore.")


def _how_often() -> str:
    if _cache.is_usable():
        return "once per machine; cached for later runs"
    return "in every process; see the warning about the cache"


announcer = Announcer()
event.register("numba:compile", announcer)
