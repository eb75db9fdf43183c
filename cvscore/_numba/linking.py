"""Large kernels are called where they are, and not copied into their callers.

numba links the code of all that a function calls into it, and optimises the whole anew.
Small callees gain by it: they are inlined.  A large one gains nothing, and in a chain
of callers it is optimised once for each of them, which was two fifths of the time that
all kernels took to compile.  So a caller of a large kernel gets its symbol only.

Code that is read from a file knows the symbols that it needs, and of which kernels they
are: these are brought first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from llvmlite import binding

# Bytes of optimised bitcode from which on a kernel is large: beyond what is inlined.
LARGE = 12_000


class Callee(NamedTuple):
    """A kernel by its names, for types of arguments; ``symbol`` is what callers use."""

    symbol: str
    module: str
    name: str
    arguments: tuple[Any, ...]


_dispatchers: dict[tuple[str, str], Any] = {}
_callees: dict[str, Callee] = {}


def register(dispatcher: Any) -> None:
    """Make a kernel known by its names."""
    function = dispatcher.py_func
    _dispatchers[function.__module__, function.__qualname__] = dispatcher


def settle(dispatcher: Any, result: Any) -> None:
    """Decide how a compiled kernel is called, and make it known if by its symbol."""
    names = dispatcher.py_func.__module__, dispatcher.py_func.__qualname__
    library = result.library
    if "_get_module_for_linking" not in vars(library):  # it was compiled just now
        # Functions within functions share their names, and can't be found by them.
        can_be_found = "<locals>" not in names[1] and _dispatchers[names] is dispatcher
        if can_be_found and len(library._get_module_for_linking().as_bitcode()) > LARGE:
            set_apart(library)
    if is_apart(library):
        symbol = result.fndesc.llvm_func_name
        _callees[symbol] = Callee(symbol, *names, tuple(result.signature.args))
        _publish(symbol, result)


def is_apart(library: Any) -> bool:
    """Whether callers link nothing of it."""
    return vars(library).get("_get_module_for_linking") is _nothing


def set_apart(library: Any) -> None:
    """Let callers link nothing of it."""
    library._get_module_for_linking = _nothing


def callees_among(symbols: list[str]) -> list[Callee]:
    """Return which of the symbols that a kernel needs are those of other kernels."""
    return [_callees[symbol] for symbol in symbols if symbol in _callees]


def bring(callees: list[Callee]) -> bool:
    """Load or compile kernels under the symbols that a caller uses; False if one can't.

    That symbol need not be the kernel's own: it has a number that was counted in the
    process which compiled it.
    """
    for callee in callees:
        dispatcher = _dispatchers.get((callee.module, callee.name))
        if dispatcher is None:
            return False
        dispatcher.compile(callee.arguments)
        _publish(callee.symbol, dispatcher.overloads[callee.arguments])
    return True


def _publish(symbol: str, result: Any) -> None:
    name = result.fndesc.llvm_func_name
    binding.add_symbol(symbol, result.library.get_pointer_to_function(name))


def _nothing() -> Any:
    return binding.parse_assembly("")
