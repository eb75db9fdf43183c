"""The decorators of compiled kernels, and why they are set as they are.

``error_model="numpy"``
    A point at infinity gives ``inf`` and not an exception, and the loop vectorises.
``nogil=True``
    Callers thread over image pairs; kernels keep no state.  Those that take less time
    than it takes to get the interpreter's lock back (some 50 us, where another thread
    wants it) keep it: `brief_kernel`.
no wrappers that nobody calls (:mod:`cvscore._numba.dispatcher`)
    They would take a sixth of the time to compile.
no counts of the arrays that are given (:mod:`cvscore._numba.borrowed_arrays`)
    They took up to a fifth of the time.
a cache (:mod:`cvscore._numba.cache`)
    Kernels come with the wheel, or are compiled once and kept.  Where no folder can be
    written they still work, compiled afresh in each process, after one warning.

No ``parallel``: its thread layer aborts the process when two threads enter it.
No ``fastmath``: it makes ``isfinite(nan)`` true.  Long sums may be reordered, see
`reordering_kernel`.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

import numba
from numba.core import event
from numba.core.registry import cpu_target

from cvscore._numba import cache as _cache
from cvscore._numba import prebuilt
from cvscore._numba.dispatcher import KernelDispatcher
from cvscore._numba.progress import ProgressBar

logger = logging.getLogger("cvscore")

# All kernels of the modules imported so far.
kernels: list[Any] = []


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` on its first call, cached on disk where that is possible."""
    return _compiled(function, nogil=True)


def brief_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Do the same, for a function that the interpreter calls and that is soon done."""
    return _compiled(function, nogil=False)


def _compiled(function: Callable[..., Any], *, nogil: bool) -> Callable[..., Any]:
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined, unused-ignore]
        return function
    options = {"nopython": True, "nogil": nogil, "error_model": "numpy"}
    compiled = KernelDispatcher(function, targetoptions=options)
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


class Announcer(event.Listener):
    """Says that the first call is slow for a reason, and counts at a terminal."""

    def __init__(self) -> None:
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

    def on_end(self, event: Any) -> None:
        if not _is_ours(event) or self._bar is None:
            return
        self._bar.advance()
        self._depth -= 1
        if self._depth == 0:
            self._bar.close()  # redrawn by the next kernel, if there is one


def _is_ours(event: Any) -> bool:
    # Functions that somebody made with `exec` have no module.
    module: str | None = event.data["dispatcher"].py_func.__module__
    return module is not None and module.startswith("cvscore.")


def _how_often() -> str:
    if not _cache.is_usable():
        return "in every process; see the warning about the cache"
    return f"kept for later runs{_why()}"


def _why() -> str:
    """Return why the kernels of the wheel don't serve, where there are some."""
    trouble = prebuilt.find(cpu_target.target_context.codegen()).trouble
    told = trouble in (None, prebuilt.NONE_CAME, prebuilt.SWITCHED_OFF)
    return "" if told else f"; those of the wheel are not used: {trouble}"


announcer = Announcer()
event.register("numba:compile", announcer)
