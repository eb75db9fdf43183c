"""Kernels, compiled for the interpreter only where it calls them.

numba gives every compiled function a wrapper that takes Python objects.  Nine of ten
kernels are called by other kernels or by address, and compiling takes a sixth longer
with all the wrappers.  So a kernel gets one when the interpreter calls it.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Any

from numba.core import sigutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from cvscore._numba import linking
from cvscore._numba.borrowed_arrays import count_no_borrowed_arrays
from cvscore._numba.boxing import box_in_c
from cvscore._numba.cache import KernelCache
from cvscore._numba.forks import let_forks_wait
from cvscore._numba.interrupts import give_up_if_interrupted, uninterrupted
from cvscore._numba.symbol_names import name_without_zlib

NO_WRAPPER = "no_cpython_wrapper"  # numba's option

box_in_c()
count_no_borrowed_arrays()
name_without_zlib()
let_forks_wait()


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc, unused-ignore]
    """numba's dispatcher, with our cache."""

    def __init__(
        self, py_func: Any, locals: Any = None, targetoptions: Any = None
    ) -> None:
        given = {**targetoptions, NO_WRAPPER: True, "no_cfunc_wrapper": True}
        super().__init__(py_func, locals or {}, given)
        self._cache = KernelCache(py_func)
        linking.register(self)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Do what a call of the interpreter needs: numba calls it for nothing else."""
        with global_compiler_lock:
            was_without = self.targetoptions[NO_WRAPPER]
            self.targetoptions[NO_WRAPPER] = False
            self._cache.for_interpreter = True
            compile_for_args = super()._compile_for_args  # type: ignore[misc, unused-ignore]
            try:
                return uninterrupted(lambda: compile_for_args(*args, **kws))
            finally:
                self.targetoptions[NO_WRAPPER] = was_without
                self._cache.for_interpreter = not was_without

    def compile(self, sig: Any) -> Any:
        """Compile for these types; anew if there is only code without a wrapper."""
        with global_compiler_lock:
            arguments = tuple(sigutils.normalize_signature(sig)[0])
            found = self.overloads.get(arguments)
            if self._cache.for_interpreter and found and not has_wrapper(found):
                del self.overloads[arguments]
            give_up_if_interrupted()
            compile_for = super().compile
            with _no_collection():
                return uninterrupted(lambda: compile_for(sig))

    def add_overload(self, cres: Any) -> None:
        """Let kernels find the code; the interpreter too, if it can call it."""
        linking.settle(self, cres)
        if has_wrapper(cres):
            super().add_overload(cres)
        else:
            self.overloads[tuple(cres.signature.args)] = cres


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Let no garbage be looked for meanwhile: a fifth of the time to compile.

    The compiler makes a million objects that live until it is done.  The switch is the
    whole process's; only who holds the compiler's lock may turn it, so that one thread
    does not take another's for the user's.
    """
    was_enabled = gc.isenabled()
    try:
        gc.disable()
        yield
    finally:
        if was_enabled:
            gc.enable()


def has_wrapper(result: Any) -> bool:
    """Whether the interpreter can call the code."""
    name = result.fndesc.llvm_cpython_wrapper_name
    return bool(result.library.get_pointer_to_function(name))
